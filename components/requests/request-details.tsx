'use client';
import { Badge, Box, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import dynamic from 'next/dynamic';
import { useEffect } from 'react';
import { useServerNow } from '@/components/ui/clock';
import { CopyButton } from '@/components/ui/copy-button';
import { Field, type FieldProps, LeftOut, SHOWN_UNITS } from '@/components/ui/field';
import { Icon, type IconName } from '@/components/ui/icons';
import { Link } from '@/components/ui/link';
import { useNetwork } from '@/components/ui/networks';
import { noticeOnFailure } from '@/components/ui/part-not-loaded';
import { Muted, MutedInline } from '@/components/ui/text';
import { WatchToggle } from '@/components/ui/watch-toggle';
import { logsCallAsCurl } from '@/lib/core/log-query';
import { explorerAddressUrl, explorerTxUrl, type Network } from '@/lib/core/network';
import { countOf } from '@/lib/core/numbers';
import type { PendingSettings } from '@/lib/core/pending-settings';
import { decodeFailure, failureGroup } from '@/lib/core/request-failure';
import { failureCause, SIDE_LABELS } from '@/lib/core/request-failure-cause';
import { type BlockTimes, requestDuration, stateWord, type UnreadableRow } from '@/lib/core/request-record';
import { clipped } from '@/lib/core/text';
import { formatAge, formatDuration, HOUR_MS } from '@/lib/core/time';
import { useOnchain } from '@/lib/onchain/client/use-onchain';
import {
  blockTimesByChain,
  isEndedByChain,
  nextStepByChain,
  outcomeByChain,
  retryText,
} from '@/lib/onchain/next-step';
import type { Onchain } from '@/lib/onchain/onchain-response';
import { isRequestFinished, useDiagnosis } from '@/lib/pending/client/use-triage';
import { useWatchOf } from '@/lib/pending/client/use-watch';
import { rememberRequest } from '@/lib/requests/client/browsing-history';
import { completion } from '@/lib/requests/column-schema';
import { prettyJson } from '@/lib/requests/pretty-json';
import { type RandomNumberVerdict, verifyRandomNumber } from '@/lib/requests/random-number';
import { requestPath } from '@/lib/requests/request-address';
import type { ListedRecord, Related } from '@/lib/requests/requests-response';
import { retryCommand } from '@/lib/requests/retry-command';
import { STATE_LOOKS, shownState } from '@/lib/requests/state-looks';
import { defaultRequestsView } from '@/lib/requests/view';
import { formatRequestsUrl } from '@/lib/requests/view-url';
import classes from './request.module.css';
import { Command, DigitsField, Gas, RelatedRequests, RequestSection } from './request-parts';
import { NetworkName } from './requests-context';
import { StateBadge } from './state-badge';
import { Timeline } from './timeline';

const DiagnosisParts = dynamic(
  () => noticeOnFailure(import('@/components/pending/diagnosis').then((part) => part.RequestDiagnosis)),
  { ssr: false, loading: () => <Text mih="8rem">Loading diagnosis…</Text> },
);

const RequestConclusion = dynamic(
  () => noticeOnFailure(import('@/components/pending/diagnosis').then((part) => part.RequestConclusion)),
  { ssr: false, loading: () => <Text>Loading verdict…</Text> },
);

const RetryClock = dynamic(
  () => noticeOnFailure(import('@/components/pending/retry-clock').then((part) => part.RetryClock)),
  { ssr: false },
);

const OnchainSection = dynamic(
  () => noticeOnFailure(import('./onchain').then((part) => part.OnchainSection)),
  {
    ssr: false,
    loading: () => (
      <RequestSection title="On-chain">
        <Text mih="6rem">Querying the chain…</Text>
      </RequestSection>
    ),
  },
);

type Props = {
  record: ListedRecord;
  /** Undefined while loading. */
  related: Related | undefined;
  networks: readonly Network[];
};

export function RequestDetails(props: Props) {
  return props.record.state.kind === 'pending' ? <PendingDetails {...props} /> : <Details {...props} />;
}

const diagnosisLocator = ({ keeper, networkId, sequence, provider, requestTxHash: tx }: ListedRecord) => ({
  keeper,
  networkId,
  sequence,
  provider,
  tx,
});

/** If the diagnosis finds the request finished, the parts that call it pending are not rendered. */
function PendingDetails(props: Props) {
  const { answer } = useDiagnosis(diagnosisLocator(props.record));
  const outcome = answer !== undefined && isRequestFinished(answer) ? answer.request : undefined;
  if (outcome?.kind === 'record') return <Details {...props} record={outcome} />;
  return <Details {...props} settings={answer?.settings} />;
}

/** `settings` belongs to a pending request, and is undefined while loading. */
function Details({
  record,
  related,
  networks,
  settings,
}: Props & { settings?: PendingSettings | undefined }) {
  const network = useNetwork(record.networkId);
  const { networkId, sequence, state } = record;
  const label = `${clipped(network.name, 60)} ${sequence}`;
  const path = requestPath(record);
  useEffect(() => rememberRequest(label, path), [label, path]);
  const isPending = state.kind === 'pending';
  const onchain = useOnchain(record);
  const call = new URLSearchParams({ network_id: networkId, query: sequence });
  return (
    <Stack gap="md" className={classes.details}>
      <section
        className={classes.verdict}
        aria-label="Verdict"
        data-tone={STATE_LOOKS[shownState(state)].tone}
      >
        <Summary record={record} onchain={onchain.answer} />
        {isPending ? (
          <div className={classes.conclusion}>
            <RequestConclusion key={record.key} locator={diagnosisLocator(record)} />
          </div>
        ) : (
          <FailureVerdict record={record} related={related} onchain={onchain.answer} />
        )}
      </section>
      <Timeline
        record={record}
        related={related}
        onchain={onchain.answer}
        clock={
          isPending ? (
            <Box mih="3.25rem">
              {settings && (
                <RetryClock sinceMs={record.createdAt.ms} settings={settings} isAgeShown={false} />
              )}
            </Box>
          ) : undefined
        }
      />
      <div className={classes.columns}>
        <div className={classes.columns}>
          {isPending ? (
            <RequestSection title="Diagnosis">
              <DiagnosisParts key={record.key} locator={diagnosisLocator(record)} isConcluded />
            </RequestSection>
          ) : null}
          <Failure record={record} onchain={onchain.answer} />
          <OnchainSection networkId={networkId} onchain={onchain} />
          <Identity record={record} />
          <Gas record={record} />
          <RandomNumber record={record} />
          <OtherFields record={record} />
        </div>
        <div className={classes.columns}>
          <RelatedRequests record={record} related={related} networks={networks} />
          <RequestSection title="API call">
            <Command text={logsCallAsCurl(call)} label="Copy as curl" />
          </RequestSection>
          <RawJson text={record.rawJson} />
        </div>
      </div>
    </Stack>
  );
}

type SummaryProps = { record: ListedRecord; onchain: Onchain | undefined };

function Summary({ record, onchain }: SummaryProps) {
  const network = useNetwork(record.networkId);
  const isRetriable = retryCommand(record, network).kind === 'command';
  const revealTx = completion(record)?.revealTxHash;
  const [happened, asLogged] = summaryOf(record, {
    isRetriable,
    times: blockTimesByChain(onchain, revealTx),
    nowMs: useServerNow(),
  });
  const hasFailed = ['failed', 'callback-failed'].includes(stateWord(record.state));
  const next = (hasFailed ? outcomeByChain(onchain) : undefined) ?? asLogged;
  return (
    <Group gap="xs">
      {/* The sentence of a pending request begins with its state. */}
      {record.state.kind === 'pending' ? null : <StateBadge state={record.state} />}
      {/* Lines of its own on a phone, whose number the chain's answer keeps. */}
      <Text flex={hasFailed ? '1 1 20rem' : '1 1 14rem'} className={classes.outcome}>
        {happened}. {next}
      </Text>
      {record.gone && (
        <Badge title="No longer in the log service; shown as last seen">No longer served</Badge>
      )}
      <Group ml="auto">
        <Watch record={record} />
      </Group>
    </Group>
  );
}

/** A failed request usually completes within this time, if at all. */
const STILL_RETRIED_MS = HOUR_MS;

const CALLBACKS = {
  ok: 'callback ran',
  failed: 'the contract’s own callback reverted',
  unknown: 'callback result not reported',
};

type SummaryOptions = { isRetriable: boolean; times: BlockTimes | undefined; nowMs: number };

function summaryOf(
  record: ListedRecord,
  { isRetriable, times, nowMs }: SummaryOptions,
): [happened: string, next: string] {
  const { state, createdAt } = record;
  const length = requestDuration(record, nowMs);
  if (state.kind === 'unknown') return ['Unknown state', ''];
  if (state.kind === 'pending') {
    return [`Pending for ${formatAge(length?.ms ?? 0)}`, 'No outcome logged.'];
  }
  if (state.kind === 'failed') {
    const mayComplete = nowMs - createdAt.ms < STILL_RETRIED_MS;
    return [
      `Failed${length ? ` after ${formatDuration(length.ms)}` : ''}`,
      mayComplete ? 'It may still complete.' : '',
    ];
  }
  const isOpen = state.callback === 'failed' && isRetriable;
  // Keepers log answers of others minutes later, so the log does not show when it was answered.
  const logged = length ? ` · logged ${formatDuration(length.ms)} after it was seen` : '';
  const after = times && ` ${formatAge(times.answeredMs - times.requestedMs)} after the request`;
  return [
    `Answered${after ?? logged}; ${CALLBACKS[state.callback]}`,
    isOpen ? 'It can be retried by anyone.' : '',
  ];
}

function Watch({ record: { key: id, keeper, networkId, sequence, state } }: { record: ListedRecord }) {
  const watch = useWatchOf({ kind: 'request', id, keeper, networkId, state: stateWord(state) });
  if (state.kind === 'completed' && watch.watched !== 'yes') return null;
  return <WatchToggle what={`request ${sequence}`} {...watch} />;
}

function RandomNumber({ record: { userRandomNumber: user, state } }: { record: ListedRecord }) {
  const provider = 'providerRandomNumber' in state ? state.providerRandomNumber : undefined;
  const combined = completion({ state })?.combinedRandomNumber;
  const { data: verdict } = useQuery({
    queryKey: ['random-number', user, provider, combined],
    queryFn: () => verifyRandomNumber({ user, provider, combined }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const isRevealed = state.kind !== 'pending';
  const [color, icon, text] = verdict === undefined ? [] : verdictOf(verdict, isRevealed);
  const badge = icon && (
    <Badge color={color} leftSection={<Icon name={icon} size={13} />}>
      {text}
    </Badge>
  );
  return (
    <RequestSection title="Random number" beside={badge}>
      <dl>
        <Fields
          rows={[
            isRevealed && ['Random number', combined, 'What the contract received'],
            verdict?.kind === 'mismatch' && ['Computed here', verdict.computed],
            ['User contribution', user, 'Sent with the request'],
            isRevealed && ['Provider contribution', provider, PROVIDER_HINTS[state.kind]],
          ]}
        />
      </dl>
      <Muted size="sm">
        Hash of both contributions, so neither side can choose it:{' '}
        <code>keccak256(user ‖ provider ‖ 32 zero bytes)</code>
      </Muted>
    </RequestSection>
  );
}

const PROVIDER_HINTS: Partial<Record<ListedRecord['state']['kind'], string>> = {
  completed: 'Revealed by the keeper',
  failed: 'From the keeper’s log, no reveal logged',
};

const NUMBERS = { user: 'user contribution', provider: 'provider contribution', combined: 'random number' };

function verdictOf(verdict: RandomNumberVerdict, isRevealed: boolean): [string, IconName, string] {
  if (verdict.kind === 'verified') return ['good', 'check', 'Verified'];
  if (verdict.kind === 'mismatch') return ['bad', 'cross', 'Does not match'];
  if (!isRevealed) return ['idle', 'clock', 'No reveal logged'];
  const problem = verdict.problem === 'missing' ? 'missing' : 'not 32 bytes of hex';
  return ['idle', 'dash', `Not verifiable: ${NUMBERS[verdict.number]} ${problem}`];
}

/** The chain's next step replaces that of the log in the same height, so that it moves nothing. */
function FailureVerdict({ record, related, onchain }: SummaryProps & Pick<Props, 'related'>) {
  const failure = decodeFailure(record);
  const { cause, step } = failureCause(record) ?? {};
  const next = nextStepByChain(onchain, failure?.text) ?? step;
  const why = cause ?? failure?.meaning?.replace(/\.$/, '');
  const isEnded = isEndedByChain(onchain);
  return (
    <>
      {failure === undefined ? null : (
        <Text size="lg" fw={650} c={isEnded ? 'dimmed' : 'var(--ks-bad)'}>
          {isEnded && 'Logged failure: '}
          <bdi>{clipped(failure.text, SHOWN_UNITS)}</bdi>
        </Text>
      )}
      {why && <p>{why}.</p>}
      {next === undefined ? null : (
        <div className={classes.nextStep} data-by-log={`Next step: ${step ?? ''}`}>
          <p>
            <strong>Next step:</strong> <bdi>{clipped(next, 300)}</bdi>
          </p>
        </div>
      )}
      <SameFailures record={record} count={related?.sameFailure} />
    </>
  );
}

/** Path of the same failures, in the span for which `sameFailure` counts them. */
function sameFailuresPath(record: ListedRecord) {
  const group = failureGroup(record);
  const time = { kind: 'last', range: '7d' } as const;
  return formatRequestsUrl({
    ...defaultRequestsView(),
    keepers: [record.keeper],
    failures: group === undefined ? [] : [group],
    time,
  });
}

type SameFailuresProps = { record: ListedRecord; count: Related['sameFailure'] };

/** `One of 41 failures with this reason in the last 7 days`. The line has its place before they are counted. */
function SameFailures({ record, count }: SameFailuresProps) {
  if (failureGroup(record) === undefined) return null;
  const isAlone = count?.isOneOfThem === true && count.count === 1;
  const words =
    count === undefined
      ? 'Failures with this reason'
      : isAlone
        ? 'The only failure with this reason'
        : `${count.isOneOfThem ? 'One of ' : ''}${countOf(count.count, 'failure')} with this reason`;
  return (
    <p data-same-failures={count?.count}>
      <Link href={sameFailuresPath(record)}>{words} in the last 7 days</Link>
    </p>
  );
}

function Failure({ record, onchain }: SummaryProps) {
  const network = useNetwork(record.networkId);
  const failure = decodeFailure(record);
  if (failure === undefined) return null;
  const group = failureGroup(record);
  const isCallback = record.state.kind === 'completed';
  const retry = retryCommand(record, network);
  const { side = 'unknown', cause } = failureCause(record) ?? {};
  const { name, meaning, selector, raw, text } = failure;
  return (
    <>
      <RequestSection title={isCallback ? 'Callback reverted' : 'Failure'}>
        <dl>
          <Field name="Side">{SIDE_LABELS[side]}</Field>
          {name && name !== text && <Field name="Error">{name}</Field>}
          {meaning && cause && <Field name="Meaning">{meaning}</Field>}
          {/* The verdict has the link to the group. */}
          {group && group !== text && (
            <Field name="Failure group">
              <bdi>{clipped(group, 200)}</bdi>
            </Field>
          )}
          {selector && selector !== raw && <Field name="Selector" value={selector} />}
          <Field name={isCallback ? 'Return value' : 'Reason'} value={raw || undefined} />
        </dl>
      </RequestSection>
      {retry.kind === 'impossible' && (
        <RequestSection title="Retry callback">
          <p>{retry.because}</p>
        </RequestSection>
      )}
      {retry.kind === 'command' && (
        <RequestSection title="Retry callback">
          <p>{retryText(onchain)}</p>
          <Command text={retry.text} label="Copy retry command" />
        </RequestSection>
      )}
    </>
  );
}

type FieldRow = [name: string, FieldProps['value'], FieldProps['hint']?, FieldProps['href']?];

function Fields({ rows }: { rows: readonly (FieldRow | false | undefined)[] }) {
  const shown = rows.filter((row) => row !== false && row !== undefined);
  return shown.map(([name, value, hint, href]) => (
    <Field key={name} {...{ name: clipped(name, 200), value, hint, href }} />
  ));
}

function Identity({ record }: { record: ListedRecord }) {
  const network = useNetwork(record.networkId);
  const { sender, provider, requestTxHash } = record;
  const done = completion(record);
  const callbackUrl = explorerTxUrl(network, done?.revealTxHash);
  const revealed = 'In which the keeper revealed and called back';
  const keeperName = clipped(record.chainName, 200);
  return (
    <RequestSection title="Request">
      <dl>
        <Field name="Network" value={record.networkId}>
          <NetworkName network={network} />
          {network.known && <span> ({record.networkId})</span>}
          {keeperName && (
            <MutedInline>
              {' '}
              · <bdi title="The keeper’s name for it">{keeperName}</bdi>
            </MutedInline>
          )}
        </Field>
        <Fields
          rows={[
            ['Keeper', record.keeper, 'Keeper that logged it'],
            ['Sequence', record.sequence, 'Counts up per network and provider'],
            ['Sender', sender, 'Contract that requested the number', explorerAddressUrl(network, sender)],
            ['Provider', provider, 'Whose contribution is revealed', explorerAddressUrl(network, provider)],
            ['Request transaction', requestTxHash, undefined, explorerTxUrl(network, requestTxHash)],
          ]}
        />
        <DigitsField name="Request block" value={record.requestBlock} />
        {done && (
          <>
            <Field name="Callback transaction" hint={revealed} value={done.revealTxHash} href={callbackUrl} />
            <DigitsField name="Callback block" value={done.revealBlock} />
          </>
        )}
      </dl>
    </RequestSection>
  );
}

function OtherFields({ record }: { record: ListedRecord }) {
  const members = Object.entries(record.extra);
  if (members.length === 0) return null;
  return (
    <RequestSection title="Other fields">
      <dl>
        <Fields rows={members} />
      </dl>
    </RequestSection>
  );
}

const SHOWN_JSON = 20_000;
/** Makes a scrollable element reachable by keyboard. */
const SCROLLABLE = { tabIndex: 0 };

function RawJson({ text }: { text: string }) {
  // A row may be very long, so only the part that is shown is formatted.
  const lines = prettyJson(text.slice(0, SHOWN_JSON)).split('\n');
  return (
    <RequestSection title="Raw JSON" beside={<CopyButton value={text} label="Copy JSON" />}>
      <pre className="foreign" {...SCROLLABLE}>
        {lines.map((line) => clipped(line, SHOWN_JSON)).join('\n')}
      </pre>
      <LeftOut text={text} shown={SHOWN_JSON} />
    </RequestSection>
  );
}

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
