'use client';
import { Badge, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import dynamic from 'next/dynamic';
import Link from 'next/link';
import { useEffect } from 'react';
import { CopyButton } from '@/components/ui/copy-button';
import { Icon } from '@/components/ui/icons';
import { orNotice } from '@/components/ui/part-not-loaded';
import { WatchToggle } from '@/components/ui/watch-toggle';
import { decodeFailure, failureGroup } from '@/lib/core/failure';
import { logsCallAsCurl } from '@/lib/core/log-query';
import { explorerAddressUrl, explorerTxUrl, type Network } from '@/lib/core/network';
import { requestDuration, stateWord, type UnreadableRow } from '@/lib/core/request-record';
import { clipped } from '@/lib/core/text';
import { formatAge, formatDuration } from '@/lib/core/time';
import { isWatched, MOST_WATCHED, useWatch } from '@/lib/pending/watch';
import type { ListedRecord, Related } from '@/lib/requests/answers';
import { percentOf } from '@/lib/requests/cell-text';
import { prettyJson } from '@/lib/requests/pretty-json';
import { type RandomNumberVerdict, retryCommand, verifyRandomNumber } from '@/lib/requests/random-number';
import { rememberRequest } from '@/lib/requests/recent';
import { requestPath } from '@/lib/requests/request-address';
import { defaultRequestsView, formatRequestsUrl, type RequestsView } from '@/lib/requests/view';
import classes from './request.module.css';
import { Gas, percentText, Timeline } from './request-figures';
import {
  Command,
  Field,
  Fields,
  HexField,
  LeftOut,
  RelatedRequests,
  Section,
  SHOWN_UNITS,
  TextField,
} from './request-parts';
import { useNetwork, useTableClock } from './requests-context';
import { StateBadge } from './state-badge';

const DiagnosisParts = dynamic(
  () => orNotice(import('@/components/pending/diagnosis').then((part) => part.RequestDiagnosis)),
  { ssr: false, loading: () => <Text mih="8rem">Loading diagnosis…</Text> },
);

type Props = {
  record: ListedRecord;
  /** Undefined while it is looked up. */
  related: Related | undefined;
  networks: readonly Network[];
};

/** All that is known of a request, what happened first: one column in a panel, two on a wide page. */
export function RequestDetails({ record, related, networks }: Props) {
  useRemembered(record);
  return (
    <Stack gap="md" className={classes.details}>
      <Summary record={record} />
      <div className={classes.columns}>
        <div className={classes.columns}>
          {record.state.kind === 'pending' ? (
            <Section title="Diagnosis">
              <DiagnosisParts key={record.key} asked={diagnosed(record)} sinceMs={record.createdAt.ms} />
            </Section>
          ) : (
            <RandomNumber record={record} />
          )}
          <Failure record={record} />
          <Timeline record={record} related={related} />
          <Gas record={record} />
          <Identity record={record} />
          {record.state.kind === 'pending' ? <RandomNumber record={record} /> : null}
          <OtherFields record={record} />
        </div>
        <div className={classes.columns}>
          <RelatedRequests record={record} related={related} networks={networks} />
          <Section title="API call">
            <Command text={logsCallAsCurl(logsCall(record))} label="Copy as curl" />
          </Section>
          <RawJson text={record.rawJson} />
        </div>
      </div>
    </Stack>
  );
}

function diagnosed({ keeper, networkId, sequence, provider, requestTxHash: tx }: ListedRecord) {
  return { keeper, networkId, sequence, provider, tx };
}

function useRemembered(record: ListedRecord): void {
  const network = useNetwork(record.networkId);
  const label = `${clipped(network.name, 60)} ${record.sequence}`;
  const path = requestPath(record);
  useEffect(() => rememberRequest(label, path), [label, path]);
}

function logsCall({ networkId, sequence }: ListedRecord): URLSearchParams {
  return new URLSearchParams({ network_id: networkId, query: sequence });
}

function Summary({ record }: Pick<Props, 'record'>) {
  const nowMs = useTableClock();
  const network = useNetwork(record.networkId);
  const failure = decodeFailure(record);
  const next = whatNext(record, retryCommand(record, network).kind === 'command', nowMs);
  return (
    <Group gap="xs">
      <StateBadge state={record.state} />
      <Text size="lg">
        {whatHappened(record, nowMs)}
        {failure === undefined ? null : (
          <>
            : <bdi>{clipped(failure.text, 200)}</bdi>
          </>
        )}
        . {next}
      </Text>
      {record.gone ? (
        <Badge title="The log service has this request no more; shown as last seen">No longer served</Badge>
      ) : null}
      <Watch record={record} />
    </Group>
  );
}

/** A failed request may still complete for so long, as a rule. */
const STILL_RETRIED_MS = 3_600_000;

function whatHappened(record: ListedRecord, nowMs: number): string {
  const { state } = record;
  const length = requestDuration(record, nowMs);
  const spent = length === undefined ? '' : ` in ${formatDuration(length.ms)}`;
  switch (state.kind) {
    case 'pending':
      return `Pending for ${formatAge(Math.max(0, nowMs - record.createdAt.ms))}`;
    case 'failed':
      return length === undefined ? 'Failed' : `Failed after ${formatDuration(length.ms)}`;
    case 'unknown':
      return 'A state this version does not know';
    case 'completed':
      if (state.callback === 'failed') return `Revealed${spent}, then the callback reverted`;
      return state.callback === 'ok' ? `Completed${spent}, callback ran` : `Completed${spent}`;
  }
}

/** What can be done, or what is still to come; undefined where nothing is. `retry`: a command runs the callback again. */
function whatNext(record: ListedRecord, retry: boolean, nowMs: number): string | undefined {
  const { state } = record;
  switch (state.kind) {
    case 'pending':
      return 'No outcome logged. Verify on-chain.';
    case 'failed':
      return nowMs - record.createdAt.ms < STILL_RETRIED_MS ? 'It may still complete.' : undefined;
    case 'completed':
      if (state.callback === 'failed')
        return retry ? 'Retry the callback with the command below.' : undefined;
      return state.callback === 'unknown' ? 'The service does not report the callback.' : undefined;
    case 'unknown':
      return undefined;
  }
}

/** Watches a request whose state may still change; a completed one stays as it is. */
function Watch({ record }: { record: ListedRecord }) {
  const { book, watch, unwatch } = useWatch();
  const { keeper, networkId, sequence, state } = record;
  // Two rows of one key on a page are one request.
  const id = record.key.replace(/#\d+$/, '');
  const isOne = isWatched(book, id);
  if (state.kind === 'completed' && !isOne) return null;
  const pin = () =>
    watch({ kind: 'request', id, keeper, networkId, sinceMs: Date.now(), state: stateWord(state) });
  const isFull = book.watched.length >= MOST_WATCHED;
  return (
    <WatchToggle
      what={`request ${sequence}`}
      watched={isOne ? 'yes' : isFull ? 'full' : 'no'}
      onToggle={() => (isOne ? unwatch(id) : void pin())}
    />
  );
}

function RandomNumber({ record }: { record: ListedRecord }) {
  const { state } = record;
  const user = record.userRandomNumber;
  const provider = 'providerRandomNumber' in state ? state.providerRandomNumber : undefined;
  const combined = state.kind === 'completed' ? state.combinedRandomNumber : undefined;
  const { data: verdict } = useQuery({
    queryKey: ['random-number', user, provider, combined],
    queryFn: () => verifyRandomNumber({ user, provider, combined }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Section title="Random number" beside={<Verdict verdict={verdict} state={state.kind} />}>
      <Fields>
        {state.kind === 'pending' ? null : (
          <TextField name="Random number" hint="What the contract received" value={combined} />
        )}
        {verdict?.kind === 'mismatch' ? <TextField name="Computed here" value={verdict.computed} /> : null}
        <TextField name="User contribution" hint="Sent with the request" value={user} />
        {state.kind === 'pending' ? null : (
          <TextField name="Provider contribution" hint="Revealed by the keeper" value={provider} />
        )}
      </Fields>
      <Text size="sm" c="dimmed">
        Hash of both contributions, so neither side can choose it:{' '}
        <code>keccak256(user ‖ provider ‖ 32 zero bytes)</code>
      </Text>
    </Section>
  );
}

function Verdict({ verdict, state }: { verdict: RandomNumberVerdict | undefined; state: string }) {
  if (verdict === undefined) return null;
  if (verdict.kind === 'verified') return <Mark tone="good" icon="check" text="Verified" />;
  if (verdict.kind === 'mismatch') return <Mark tone="bad" icon="cross" text="Does not match" />;
  if (state === 'pending') return <Mark tone="idle" icon="clock" text="Not revealed yet" />;
  const what = { user: 'user contribution', provider: 'provider contribution', combined: 'random number' };
  const problem = verdict.problem === 'missing' ? 'missing' : 'not 32 bytes of hex';
  return <Mark tone="idle" icon="dash" text={`Not verifiable: ${what[verdict.number]} ${problem}`} />;
}

type MarkProps = { tone: string; icon: 'check' | 'cross' | 'clock' | 'dash'; text: string };

function Mark({ tone, icon, text }: MarkProps) {
  return (
    <Badge color={tone} leftSection={<Icon name={icon} size={13} />}>
      {text}
    </Badge>
  );
}

function Failure({ record }: { record: ListedRecord }) {
  const network = useNetwork(record.networkId);
  const failure = decodeFailure(record);
  if (failure === undefined) return null;
  const group = failureGroup(record);
  const isCallback = record.state.kind === 'completed';
  const retry = retryCommand(record, network);
  return (
    <>
      <Section title={isCallback ? 'Callback reverted' : 'Failure'}>
        <Text c="var(--ks-bad)" fw={600}>
          <bdi>{clipped(failure.text, SHOWN_UNITS)}</bdi>
        </Text>
        <OutOfGas record={record} />
        <Fields>
          {failure.name === undefined ? null : <Field name="Error">{failure.name}</Field>}
          {failure.meaning === undefined ? null : <Field name="Meaning">{failure.meaning}</Field>}
          {group === undefined ? null : (
            <Field name="Failure group">
              <Link href={formatRequestsUrl(requestsOfGroup(record, group))} prefetch={false}>
                <bdi>{clipped(group, 200)}</bdi>
              </Link>{' '}
              in the last 7 days
            </Field>
          )}
          {failure.selector === undefined ? null : <TextField name="Selector" value={failure.selector} />}
          <TextField
            name={isCallback ? 'Return value' : 'Reason'}
            value={failure.raw === '' ? undefined : failure.raw}
          />
        </Fields>
      </Section>
      {retry.kind === 'none' ? null : (
        <Section title="Retry callback">
          {retry.kind === 'impossible' ? (
            <p>{retry.because}</p>
          ) : (
            <>
              <p>Run it with Foundry from any account. It costs gas, and the callback may revert again.</p>
              <Command text={retry.text} label="Copy retry command" />
            </>
          )}
        </Section>
      )}
    </>
  );
}

function requestsOfGroup({ keeper }: ListedRecord, group: string): RequestsView {
  return {
    ...defaultRequestsView(),
    keepers: [keeper],
    failures: [group],
    time: { kind: 'last', range: '7d' },
  };
}

/** From so much of the limit on, percent, a callback that reverted most likely ran out of gas. */
const OUT_OF_GAS_PERCENT = 95;

function OutOfGas({ record: { gasLimit, state } }: { record: ListedRecord }) {
  if (state.kind !== 'completed') return null;
  const percent = percentOf(state.callbackGasUsed, gasLimit);
  if (percent === undefined || Number(percent) < OUT_OF_GAS_PERCENT) return null;
  return <p>Likely out of gas ({percentText(percent)} used). Raise the callback gas limit.</p>;
}

function Identity({ record }: { record: ListedRecord }) {
  const network = useNetwork(record.networkId);
  const { state } = record;
  const keeperName = clipped(record.chainName, 200);
  return (
    <Section title="Request">
      <Fields>
        <Field name="Network" copied={record.networkId}>
          <bdi>{network.known ? clipped(network.name, 100) : `Network ${record.networkId}`}</bdi>
          {network.known ? <span> ({record.networkId})</span> : null}
          {keeperName === '' ? null : (
            <Text span c="dimmed">
              {' '}
              · <bdi title="The keeper’s name for it">{keeperName}</bdi>
            </Text>
          )}
        </Field>
        <TextField name="Keeper" value={record.keeper} />
        <TextField name="Sequence" value={record.sequence} />
        <HexField
          name="Sender"
          hint="The contract that asked for the number"
          value={record.sender}
          explorerUrl={explorerAddressUrl(network, record.sender)}
        />
        <HexField
          name="Provider"
          hint="Whose contribution is revealed"
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

function OtherFields({ record }: { record: ListedRecord }) {
  const members = Object.entries(record.extra);
  if (members.length === 0) return null;
  return (
    <Section title="Other fields">
      <Fields>
        {members.map(([name, json]) => (
          <TextField key={name} name={clipped(name, 200)} value={json} />
        ))}
      </Fields>
    </Section>
  );
}

const SHOWN_JSON = 20_000;
/** It scrolls by itself, so the keyboard must be able to reach it. */
const SCROLLABLE = { tabIndex: 0 };

function RawJson({ text }: { text: string }) {
  // The end of a very long row is not indented for nobody to see.
  const lines = prettyJson(text.slice(0, SHOWN_JSON)).split('\n');
  return (
    <Section title="Raw JSON" beside={<CopyButton value={text} label="Copy JSON" />}>
      <pre className={`${classes.code} foreign`} {...SCROLLABLE}>
        {lines.map((line) => clipped(line, SHOWN_JSON)).join('\n')}
      </pre>
      <LeftOut text={text} shown={SHOWN_JSON} />
    </Section>
  );
}

/** A row that is no request: why not, and its JSON. */
export function UnreadableDetails({ row }: { row: Pick<UnreadableRow, 'problem' | 'rawJson'> }) {
  return (
    <Stack gap="md" className={classes.details}>
      <Text c="var(--ks-odd)" fw={600}>
        This row can’t be read: {clipped(row.problem, 300)}
      </Text>
      <RawJson text={row.rawJson} />
    </Stack>
  );
}
