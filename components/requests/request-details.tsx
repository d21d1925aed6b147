'use client';
import { Badge, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import dynamic from 'next/dynamic';
import { useEffect } from 'react';
import { useNow } from '@/components/ui/clock';
import { CopyButton } from '@/components/ui/copy-button';
import { Field, type FieldProps, LeftOut, SHOWN_UNITS } from '@/components/ui/field';
import { Icon, type IconName } from '@/components/ui/icons';
import { Link } from '@/components/ui/link';
import { useNetwork } from '@/components/ui/networks';
import { orNotice } from '@/components/ui/part-not-loaded';
import { Dim, Soft } from '@/components/ui/text';
import { WatchToggle } from '@/components/ui/watch-toggle';
import { decodeFailure, failureGroup } from '@/lib/core/failure';
import { logsCallAsCurl } from '@/lib/core/log-query';
import { explorerAddressUrl, explorerTxUrl, type Network } from '@/lib/core/network';
import { requestDuration, stateWord, type UnreadableRow } from '@/lib/core/request-record';
import { clipped } from '@/lib/core/text';
import { formatAge, formatDuration } from '@/lib/core/time';
import { isOver, useDiagnosis } from '@/lib/pending/client';
import { useWatchOf } from '@/lib/pending/watch';
import type { ListedRecord, Related } from '@/lib/requests/answers';
import { percentOf } from '@/lib/requests/cell-text';
import { prettyJson } from '@/lib/requests/pretty-json';
import { type RandomNumberVerdict, retryCommand, verifyRandomNumber } from '@/lib/requests/random-number';
import { rememberRequest } from '@/lib/requests/recent';
import { requestPath } from '@/lib/requests/request-address';
import { defaultRequestsView, formatRequestsUrl, type RequestsView } from '@/lib/requests/view';
import classes from './request.module.css';
import { Command, Gas, percentText, RelatedRequests, Section, Timeline } from './request-parts';
import { NetworkName } from './requests-context';
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

/** All that is known of a request, a sentence first: one column in a panel, two on a wide page. */
export function RequestDetails(props: Props) {
  return props.record.state.kind === 'pending' ? <PendingDetails {...props} /> : <Details {...props} />;
}

const askedOf = ({ keeper, networkId, sequence, provider, requestTxHash: tx }: ListedRecord) => ({
  ...{ keeper, networkId, sequence, provider, tx },
});

/** Of one that finishes just then the diagnosis may know it first: nothing above it says pending any more. */
function PendingDetails(props: Props) {
  const { answer } = useDiagnosis(askedOf(props.record));
  const outcome = answer !== undefined && isOver(answer) ? answer.request : undefined;
  return <Details {...props} record={outcome?.kind === 'record' ? outcome : props.record} />;
}

function Details({ record, related, networks }: Props) {
  const network = useNetwork(record.networkId);
  const { networkId, sequence, state } = record;
  const label = `${clipped(network.name, 60)} ${sequence}`;
  const path = requestPath(record);
  useEffect(() => rememberRequest(label, path), [label, path]);
  const isPending = state.kind === 'pending';
  const call = new URLSearchParams({ network_id: networkId, query: sequence });
  return (
    <Stack gap="md" className={classes.details}>
      <Summary record={record} />
      <div className={classes.columns}>
        <div className={classes.columns}>
          {isPending ? (
            <Section title="Diagnosis">
              <DiagnosisParts key={record.key} asked={askedOf(record)} sinceMs={record.createdAt.ms} />
            </Section>
          ) : (
            <RandomNumber record={record} />
          )}
          <Failure record={record} />
          <Timeline record={record} related={related} />
          <Gas record={record} />
          <Identity record={record} />
          {isPending ? <RandomNumber record={record} /> : null}
          <OtherFields record={record} />
        </div>
        <div className={classes.columns}>
          <RelatedRequests record={record} related={related} networks={networks} />
          <Section title="API call">
            <Command text={logsCallAsCurl(call)} label="Copy as curl" />
          </Section>
          <RawJson text={record.rawJson} />
        </div>
      </div>
    </Stack>
  );
}

function Summary({ record }: Pick<Props, 'record'>) {
  const nowMs = useNow();
  const network = useNetwork(record.networkId);
  const { happened, next } = summaryOf(record, retryCommand(record, network).kind === 'command', nowMs);
  const gas = outOfGas(record);
  const failure = gas ? undefined : decodeFailure(record);
  return (
    <Group gap="xs">
      <StateBadge state={record.state} />
      <Text size="lg">
        {happened}
        {gas === undefined ? '' : `, likely out of gas: ${gas} used`}
        {failure === undefined ? null : (
          <>
            : <bdi>{clipped(failure.text, 200)}</bdi>
          </>
        )}
        . {next}
      </Text>
      {record.gone ? (
        <Badge title="No longer in the log service; shown as last seen">No longer served</Badge>
      ) : null}
      <Watch record={record} />
    </Group>
  );
}

/** A failed request may still complete for so long, as a rule. */
const STILL_RETRIED_MS = 3_600_000;

/** What happened, and what can be done or is still to come. @param retry whether a command runs the callback again */
function summaryOf(record: ListedRecord, retry: boolean, nowMs: number): { happened: string; next?: string } {
  const { state } = record;
  const length = requestDuration(record, nowMs);
  const spent = length === undefined ? undefined : formatDuration(length.ms);
  const answered = spent === undefined ? 'Answered' : `Answered in ${spent}`;
  switch (state.kind) {
    case 'pending':
      return {
        happened: `Pending for ${formatAge(Math.max(0, nowMs - record.createdAt.ms))}`,
        next: 'No outcome logged. Verify on-chain.',
      };
    case 'failed':
      return {
        happened: spent === undefined ? 'Failed' : `Failed after ${spent}`,
        ...(nowMs - record.createdAt.ms < STILL_RETRIED_MS ? { next: 'It may still complete.' } : {}),
      };
    case 'unknown':
      return { happened: 'Unknown state' };
    case 'completed':
      if (state.callback === 'unknown') return { happened: `${answered}; callback result not reported` };
      if (state.callback === 'ok') return { happened: `${answered}; callback ran` };
      return {
        happened: `${answered}; the contract’s own callback reverted`,
        ...(retry ? { next: 'It can be retried by anyone.' } : {}),
      };
  }
}

/** From so much of the limit on, percent, a callback that reverted most likely ran out of gas. */
const OUT_OF_GAS_PERCENT = 95;

/** How much of its gas a callback used that likely ran out of it: `98.5%`. */
function outOfGas({ gasLimit, state }: ListedRecord): string | undefined {
  if (state.kind !== 'completed' || state.callback !== 'failed') return undefined;
  const percent = percentOf(state.callbackGasUsed, gasLimit);
  return percent === undefined || Number(percent) < OUT_OF_GAS_PERCENT ? undefined : percentText(percent);
}

/** Watches a request whose state may still change; a completed one stays as it is. */
function Watch({ record: { key: id, keeper, networkId, sequence, state } }: { record: ListedRecord }) {
  const of = useWatchOf({ kind: 'request', id, keeper, networkId, state: stateWord(state) });
  if (state.kind === 'completed' && of.watched !== 'yes') return null;
  return <WatchToggle what={`request ${sequence}`} {...of} />;
}

function RandomNumber({ record: { userRandomNumber: user, state } }: { record: ListedRecord }) {
  const provider = 'providerRandomNumber' in state ? state.providerRandomNumber : undefined;
  const combined = state.kind === 'completed' ? state.combinedRandomNumber : undefined;
  const { data: verdict } = useQuery({
    queryKey: ['random-number', user, provider, combined],
    queryFn: () => verifyRandomNumber({ user, provider, combined }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const isRevealed = state.kind !== 'pending';
  return (
    <Section title="Random number" beside={<Verdict verdict={verdict} isRevealed={isRevealed} />}>
      <dl>
        {isRevealed ? (
          <Field name="Random number" hint="What the contract received" value={combined} />
        ) : null}
        {verdict?.kind === 'mismatch' ? <Field name="Computed here" value={verdict.computed} /> : null}
        <Field name="User contribution" hint="Sent with the request" value={user} />
        {isRevealed ? (
          <Field name="Provider contribution" hint="Revealed by the keeper" value={provider} />
        ) : null}
      </dl>
      <Soft size="sm">
        Hash of both contributions, so neither side can choose it:{' '}
        <code>keccak256(user ‖ provider ‖ 32 zero bytes)</code>
      </Soft>
    </Section>
  );
}

const NUMBERS = { user: 'user contribution', provider: 'provider contribution', combined: 'random number' };

function Verdict({ verdict, isRevealed }: { verdict: RandomNumberVerdict | undefined; isRevealed: boolean }) {
  const mark = (color: string, icon: IconName, text: string) => (
    <Badge color={color} leftSection={<Icon name={icon} size={13} />}>
      {text}
    </Badge>
  );
  if (verdict === undefined) return null;
  if (verdict.kind === 'verified') return mark('good', 'check', 'Verified');
  if (verdict.kind === 'mismatch') return mark('bad', 'cross', 'Does not match');
  if (!isRevealed) return mark('idle', 'clock', 'Not revealed yet');
  const problem = verdict.problem === 'missing' ? 'missing' : 'not 32 bytes of hex';
  return mark('idle', 'dash', `Not verifiable: ${NUMBERS[verdict.number]} ${problem}`);
}

function Failure({ record }: { record: ListedRecord }) {
  const network = useNetwork(record.networkId);
  const failure = decodeFailure(record);
  if (failure === undefined) return null;
  const group = failureGroup(record);
  const isCallback = record.state.kind === 'completed';
  const retry = retryCommand(record, network);
  const gas = outOfGas(record);
  const ofGroup = (failures: string[]): RequestsView => ({
    ...defaultRequestsView(),
    ...{ keepers: [record.keeper], failures, time: { kind: 'last', range: '7d' } },
  });
  return (
    <>
      <Section title={isCallback ? 'Callback reverted' : 'Failure'}>
        <Text c="var(--ks-bad)" fw={600}>
          <bdi>{clipped(failure.text, SHOWN_UNITS)}</bdi>
        </Text>
        {gas === undefined ? null : <p>Likely out of gas ({gas} used). Raise the callback gas limit.</p>}
        <dl>
          {failure.name === undefined ? null : <Field name="Error">{failure.name}</Field>}
          {failure.meaning === undefined ? null : <Field name="Meaning">{failure.meaning}</Field>}
          {group === undefined ? null : (
            <Field name="Failure group">
              <Link href={formatRequestsUrl(ofGroup([group]))}>
                <bdi>{clipped(group, 200)}</bdi>
              </Link>{' '}
              in the last 7 days
            </Field>
          )}
          {failure.selector === undefined ? null : <Field name="Selector" value={failure.selector} />}
          <Field name={isCallback ? 'Return value' : 'Reason'} value={failure.raw || undefined} />
        </dl>
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

function Identity({ record }: { record: ListedRecord }) {
  const network = useNetwork(record.networkId);
  const { state, sender, provider, requestTxHash } = record;
  const keeperName = clipped(record.chainName, 200);
  const fields: FieldProps[] = [
    { name: 'Keeper', hint: 'Keeper that logged it', value: record.keeper },
    { name: 'Sequence', hint: 'Counts up per network and provider', value: record.sequence },
    {
      ...{ name: 'Sender', hint: 'Contract that requested the number', value: sender },
      href: explorerAddressUrl(network, sender),
    },
    {
      ...{ name: 'Provider', hint: 'Whose contribution is revealed', value: provider },
      href: explorerAddressUrl(network, provider),
    },
    { name: 'Request transaction', value: requestTxHash, href: explorerTxUrl(network, requestTxHash) },
    { name: 'Request block', value: record.requestBlock },
  ];
  if (state.kind === 'completed') {
    const hint = 'In which the keeper revealed and called back';
    const href = explorerTxUrl(network, state.revealTxHash);
    fields.push(
      { name: 'Callback transaction', hint, value: state.revealTxHash, href },
      { name: 'Callback block', value: state.revealBlock },
    );
  }
  return (
    <Section title="Request">
      <dl>
        <Field name="Network" value={record.networkId}>
          <NetworkName network={network} />
          {network.known ? <span> ({record.networkId})</span> : null}
          {keeperName === '' ? null : (
            <Dim>
              {' '}
              · <bdi title="The keeper’s name for it">{keeperName}</bdi>
            </Dim>
          )}
        </Field>
        {fields.map((field) => (
          <Field key={field.name} {...field} />
        ))}
      </dl>
    </Section>
  );
}

function OtherFields({ record }: { record: ListedRecord }) {
  const members = Object.entries(record.extra);
  if (members.length === 0) return null;
  return (
    <Section title="Other fields">
      <dl>
        {members.map(([name, json]) => (
          <Field key={name} name={clipped(name, 200)} value={json} />
        ))}
      </dl>
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
      <pre className="foreign" {...SCROLLABLE}>
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
