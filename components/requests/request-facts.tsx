'use client';
import { clipped } from '@/lib/client/foreign-text';
import type { ListedRecord } from '@/lib/client/related-requests';
import { explorerAddressUrl, explorerTxUrl, type Network } from '@/lib/domain/network';
import { useNetwork } from './networks-context';
import classes from './request-content.module.css';
import { Field, Fields, HexField, TextField } from './request-field';
import { Section } from './request-section';

/** What the request is and who made it: every such field with its full value. */
export function RequestIdentity({ record }: { record: ListedRecord }) {
  const network = useNetwork(record.networkId);
  const { state } = record;
  return (
    <Section title="Request">
      <Fields>
        <NetworkField record={record} network={network} />
        <TextField name="Keeper" value={record.keeper} />
        <TextField name="Sequence" value={record.sequence} />
        <HexField
          name="Sender"
          value={record.sender}
          explorerUrl={explorerAddressUrl(network, record.sender)}
        />
        <HexField
          name="Provider"
          value={record.provider}
          explorerUrl={explorerAddressUrl(network, record.provider)}
        />
        <HexField
          name="Request transaction"
          value={record.requestTxHash}
          explorerUrl={explorerTxUrl(network, record.requestTxHash)}
        />
        <TextField name="Request block" value={record.requestBlock} />
        {state.kind === 'completed' ? (
          <>
            <HexField
              name="Reveal transaction"
              value={state.revealTxHash}
              explorerUrl={explorerTxUrl(network, state.revealTxHash)}
            />
            <TextField name="Reveal block" value={state.revealBlock} />
          </>
        ) : null}
      </Fields>
    </Section>
  );
}

/** By name and id, and by what the keeper calls it. */
function NetworkField({ record, network }: { record: ListedRecord; network: Network }) {
  const keeperName = clipped(record.chainName, 200);
  return (
    <Field name="Network" copied={record.networkId}>
      <bdi>{network.known ? clipped(network.name, 100) : `Network ${record.networkId}`}</bdi>
      {network.known ? <span> ({record.networkId})</span> : null}
      {keeperName === '' ? null : (
        <span className={classes.soft}>
          , <bdi>“{keeperName}”</bdi> to the keeper
        </span>
      )}
    </Field>
  );
}

/** Members of the row that have no place of their own, by their name on the wire, as JSON. */
export function FurtherMembers({ record }: { record: ListedRecord }) {
  const members = Object.entries(record.extra);
  if (members.length === 0) return null;
  return (
    <Section title="Further members">
      <Fields>
        {members.map(([name, json]) => (
          <TextField key={name} name={clipped(name, 200)} value={json} />
        ))}
      </Fields>
    </Section>
  );
}
