'use client';
import { Group, Stack, Text } from '@mantine/core';
import { useNow } from '@/components/ui/clock';
import { Field } from '@/components/ui/field';
import { Icon, type IconName } from '@/components/ui/icons';
import { useNetwork } from '@/components/ui/networks';
import { Muted, MutedInline, SmallButton } from '@/components/ui/text';
import { explainFailure } from '@/lib/core/explain-failure';
import { explorerAddressUrl, explorerTxUrl } from '@/lib/core/network';
import { groupDigits } from '@/lib/core/numbers';
import { clipped } from '@/lib/core/text';
import { formatAge } from '@/lib/core/time';
import type { useOnchain } from '@/lib/onchain/client/use-onchain';
import { conclusiveAnswer, simulatedFields } from '@/lib/onchain/next-step';
import type { AnsweredOnchain } from '@/lib/onchain/onchain-response';
import { Moment, RequestSection } from './request-parts';

type Props = { networkId: string; onchain: ReturnType<typeof useOnchain> };

export function OnchainSection({ networkId, onchain }: Props) {
  const { answer, receivedAtMs, failure, isRefreshing, refresh } = onchain;
  const ageMs = Math.max(0, useNow() - receivedAtMs) + (answer?.ageMs ?? 0);
  const canRefresh = answer?.asked === true || (answer?.asked === false && answer.because === 'failed');
  const refreshControl = (
    <Group gap="xs">
      {answer?.asked && <MutedInline size="sm">Queried {formatAge(ageMs)} ago</MutedInline>}
      {(canRefresh || failure) && (
        <SmallButton onClick={refresh} disabled={isRefreshing}>
          {isRefreshing ? 'Querying…' : 'Query again'}
        </SmallButton>
      )}
    </Group>
  );
  return (
    <RequestSection title="On-chain" beside={refreshControl}>
      {answer === undefined && failure === undefined ? <Muted mih="6rem">Querying the chain…</Muted> : null}
      {failure && <Muted>{explainFailure(failure).title}.</Muted>}
      {answer?.asked === false && <Muted className="foreign">{clipped(answer.why, 300)}</Muted>}
      {answer?.asked && <OnchainAnswer answer={answer} ageMs={ageMs} networkId={networkId} />}
    </RequestSection>
  );
}

const TONES: Record<AnsweredOnchain['verdict']['tone'], [icon: IconName, color: string]> = {
  good: ['check', 'var(--ks-good)'],
  bad: ['alert', 'var(--ks-bad)'],
  unknown: ['dotted', 'dimmed'],
};

const TRANSACTIONS: Record<NonNullable<AnsweredOnchain['transaction']>['state'], string> = {
  mined: 'Mined',
  reverted: 'Reverted',
  waiting: 'Not mined yet',
  missing: 'Unknown to the chain',
  'not-indexed': 'Unknown to this RPC',
};

const REQUESTS: Record<NonNullable<AnsweredOnchain['request']>['state'], string> = {
  open: 'Open, not answered',
  'callback-failed': 'Open, callback failed',
  'in-progress': 'Callback in progress',
  gone: 'Not stored (any more)',
};

type OnchainAnswerProps = { answer: AnsweredOnchain; ageMs: number; networkId: string };

function OnchainAnswer({ answer, ageMs, networkId }: OnchainAnswerProps) {
  const network = useNetwork(networkId);
  const { verdict, transaction, request, answer: answering, search, head, notes } = answer;
  const [icon, color] = TONES[verdict.tone];
  const inBlock = (block: string | undefined) =>
    block === undefined ? '' : ` in block ${groupDigits(block)}`;
  return (
    <>
      <Text c={color} fw={600} data-verdict={verdict.kind}>
        <Icon name={icon} size={14} /> <bdi>{clipped(verdict.headline, 400)}</bdi>.
      </Text>
      {/* If the step is about the request, the verdict at the top has it. */}
      {verdict.next && conclusiveAnswer(answer) === undefined ? <Text mb="xs">{verdict.next}.</Text> : null}
      <dl>
        {/* The timeline has the block of a mined transaction. */}
        {transaction && transaction.state !== 'mined' && (
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
        {/* Where it is as logged, the timeline has transaction, block and time. */}
        {answering && verdict.kind !== 'answered' && (
          <>
            <Field name="Answered in" value={answering.tx} href={explorerTxUrl(network, answering.tx)} />
            <Field name="Answer block">
              {groupDigits(answering.block)}
              {answering.timeMs === undefined ? null : (
                <MutedInline>
                  {' · '}
                  <Moment time={{ ms: answering.timeMs, text: new Date(answering.timeMs).toISOString() }} />
                </MutedInline>
              )}
            </Field>
            <Field name="Outcome">
              {answering.callback === 'ok' ? 'Callback ran' : 'Callback reverted: '}
              {answering.reason && <bdi>{answering.reason}</bdi>}
            </Field>
          </>
        )}
        {answering?.from && <Field name="Answer sent by" value={answering.from} />}
        {search && answering === undefined && <SearchFields search={search} />}
        {simulatedFields(answer).map((field) => (
          <SimulatedField key={field.name} {...field} />
        ))}
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
        <Field
          name="Contract"
          hint="The one that was queried"
          value={answer.contract}
          href={explorerAddressUrl(network, answer.contract)}
        />
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
        <Stack gap="xs" mt="xs" className="foreign">
          {notes.map((note) => (
            <Text key={note} size="sm">
              {clipped(note, 300)}
            </Text>
          ))}
        </Stack>
      )}
    </>
  );
}

/** How far the answer was searched for, among events of the present contract and those from before its upgrade. */
function SearchFields({ search }: { search: NonNullable<AnsweredOnchain['search']> }) {
  const { fromBlock, toBlock, complete, nodeMessage, older } = search;
  const reached = (to: string | undefined) =>
    to === undefined
      ? 'Not looked for: the RPC refused'
      : `Not found from block ${groupDigits(fromBlock)} to ${groupDigits(to)}`;
  const words = (node: string | undefined) =>
    node && (
      <MutedInline>
        {' · '}
        <bdi>{clipped(node, 200)}</bdi>
      </MutedInline>
    );
  return (
    <>
      <Field name="Answer" hint="Looked for in the events of the contract">
        {reached(toBlock)}
        {complete ? null : words(nodeMessage)}
      </Field>
      {older && (
        <Field name="Older answer" hint="In the form of events before the contract’s upgrade">
          {older.toBlock === undefined && older.nodeMessage === undefined
            ? 'Not looked for: calls or time are used up'
            : reached(older.toBlock)}
          {older.complete ? null : words(older.nodeMessage)}
        </Field>
      )}
    </>
  );
}

function SimulatedField({ name, simulated, note }: ReturnType<typeof simulatedFields>[number]) {
  const { kind, gas, reason = '', why = '' } = simulated;
  return (
    <Field name={name} hint="Simulated at the newest block, never sent">
      {kind === 'succeeds' &&
        `Would succeed${gas === undefined ? '' : ` with ${groupDigits(gas)} gas`}${note}`}
      {kind === 'reverts' && (
        <>
          Would revert: <bdi>{clipped(reason, 300)}</bdi>
        </>
      )}
      {kind === 'not-simulated' && (
        <MutedInline>
          Not simulated: <bdi>{clipped(why, 300)}</bdi>
        </MutedInline>
      )}
    </Field>
  );
}
