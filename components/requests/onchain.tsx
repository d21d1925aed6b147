'use client';
import { Group, List, Text } from '@mantine/core';
import { useNow } from '@/components/ui/clock';
import { Field } from '@/components/ui/field';
import { Icon, type IconName } from '@/components/ui/icons';
import { useNetwork } from '@/components/ui/networks';
import { Muted, MutedInline, SmallButton } from '@/components/ui/text';
import { explainFailure } from '@/lib/core/explain-failure';
import { explorerTxUrl } from '@/lib/core/network';
import { groupDigits } from '@/lib/core/numbers';
import { clipped } from '@/lib/core/text';
import { formatAge } from '@/lib/core/time';
import type { useOnchain } from '@/lib/onchain/client';
import type { SimulatedOnchain, ToldOnchain } from '@/lib/onchain/onchain-response';
import { Moment, Section } from './request-parts';

type Props = { networkId: string; onchain: ReturnType<typeof useOnchain> };

/** On-chain facts of a request: verdict, then evidence. A failed call is one muted line. */
export function OnchainSection({ networkId, onchain }: Props) {
  const { answer, receivedAtMs, failure, isAsking, refresh } = onchain;
  const ageMs = Math.max(0, useNow() - receivedAtMs) + (answer?.ageMs ?? 0);
  const canAsk = answer?.asked === true || (answer?.asked === false && answer.because === 'failed');
  const beside = (
    <Group gap="xs">
      {answer?.asked && <MutedInline size="sm">Asked {formatAge(ageMs)} ago</MutedInline>}
      {(canAsk || failure) && (
        <SmallButton onClick={refresh} disabled={isAsking}>
          {isAsking ? 'Asking…' : 'Ask again'}
        </SmallButton>
      )}
    </Group>
  );
  return (
    <Section title="On-chain" beside={beside}>
      {answer === undefined && failure === undefined ? <Muted mih="6rem">Asking the chain…</Muted> : null}
      {failure && <Muted>{explainFailure(failure).title}.</Muted>}
      {answer?.asked === false && <Muted className="foreign">{clipped(answer.why, 300)}</Muted>}
      {answer?.asked && <OnchainAnswer answer={answer} ageMs={ageMs} networkId={networkId} />}
    </Section>
  );
}

const TONES: Record<ToldOnchain['verdict']['tone'], [icon: IconName, color: string]> = {
  good: ['check', 'var(--ks-good)'],
  bad: ['alert', 'var(--ks-bad)'],
  unknown: ['dotted', 'dimmed'],
};

const TRANSACTIONS: Record<NonNullable<ToldOnchain['transaction']>['state'], string> = {
  mined: 'Mined',
  reverted: 'Reverted',
  waiting: 'Not mined yet',
  missing: 'Unknown to the chain',
};

const REQUESTS: Record<NonNullable<ToldOnchain['request']>['state'], string> = {
  open: 'Open, not answered',
  'callback-failed': 'Open, callback failed',
  'in-progress': 'Callback in progress',
  gone: 'Not stored (any more)',
};

type OnchainAnswerProps = { answer: ToldOnchain; ageMs: number; networkId: string };

function OnchainAnswer({ answer, ageMs, networkId }: OnchainAnswerProps) {
  const network = useNetwork(networkId);
  const { verdict, transaction, request, answer: found, search, reveal, callback, head, notes } = answer;
  const [icon, color] = TONES[verdict.tone];
  const inBlock = (block: string | undefined) =>
    block === undefined ? '' : ` in block ${groupDigits(block)}`;
  return (
    <>
      <Text c={color} fw={600} data-verdict={verdict.kind}>
        <Icon name={icon} size={14} /> <bdi>{clipped(verdict.headline, 400)}</bdi>.
      </Text>
      {verdict.next && <p>{verdict.next}.</p>}
      <dl>
        {transaction && (
          <Field name="Request transaction">
            {TRANSACTIONS[transaction.state]}
            {inBlock(transaction.block)}
          </Field>
        )}
        {request && (
          <Field name="Request in the contract" value={undefined}>
            {REQUESTS[request.state]}
          </Field>
        )}
        {found && (
          <>
            <Field name="Answered in" value={found.tx} href={explorerTxUrl(network, found.tx)} />
            <Field name="Answer block">
              {groupDigits(found.block)}
              {found.timeMs === undefined ? null : (
                <MutedInline>
                  {' · '}
                  <Moment time={{ ms: found.timeMs, text: new Date(found.timeMs).toISOString() }} />
                </MutedInline>
              )}
            </Field>
            <Field name="Outcome">
              {found.callback === 'ok' ? 'Callback ran' : 'Callback reverted: '}
              {found.reason && <bdi>{found.reason}</bdi>}
            </Field>
            {found.from && <Field name="Sent by" value={found.from} />}
          </>
        )}
        {search && found === undefined && (
          <Field name="Answer" hint="Looked for in the events of the contract">
            {search.toBlock === undefined
              ? 'Not looked for: the RPC refused'
              : `Not found from block ${groupDigits(search.fromBlock)} to ${groupDigits(search.toBlock)}`}
            {search.said && !search.complete ? (
              <MutedInline>
                {' · '}
                <bdi>{clipped(search.said, 200)}</bdi>
              </MutedInline>
            ) : null}
          </Field>
        )}
        {reveal && <SimulatedField name="Reveal now" simulated={reveal} />}
        {callback && <SimulatedField name="Callback now" simulated={callback} />}
        {request?.numHashes !== undefined && (
          <Field name="Hashes needed">
            {groupDigits(request.numHashes)}
            {request.maxNumHashes === undefined ? '' : ` of ${groupDigits(request.maxNumHashes)} allowed`}
          </Field>
        )}
        {answer.randomNumbersLeft && (
          <Field name="Random numbers left" hint="Of the provider’s chain of commitments">
            {groupDigits(answer.randomNumbersLeft)}
          </Field>
        )}
        <Field name="Newest block">
          <span className="num">
            {groupDigits(head.block)}
            <MutedInline> · {formatAge(answer.atMs - head.timeMs + ageMs)} old</MutedInline>
          </span>
        </Field>
        <Field name="RPC">
          <bdi>{clipped(answer.host, 100)}</bdi>
        </Field>
      </dl>
      {notes.length === 0 ? null : (
        <List size="sm" className="foreign">
          {notes.map((note) => (
            <List.Item key={note}>{clipped(note, 300)}</List.Item>
          ))}
        </List>
      )}
    </>
  );
}

function SimulatedField({ name, simulated }: { name: string; simulated: SimulatedOnchain }) {
  const { kind, gas, reason = '', why = '' } = simulated;
  return (
    <Field name={name} hint="Simulated at the newest block, never sent">
      {kind === 'succeeds' && `Would succeed${gas === undefined ? '' : ` with ${groupDigits(gas)} gas`}`}
      {kind === 'reverts' && (
        <>
          Would revert: <bdi>{clipped(reason, 300)}</bdi>
        </>
      )}
      {kind === 'not-asked' && (
        <MutedInline>
          Not simulated: <bdi>{clipped(why, 300)}</bdi>
        </MutedInline>
      )}
    </Field>
  );
}
