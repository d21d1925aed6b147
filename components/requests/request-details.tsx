'use client';
import { useQuery } from '@tanstack/react-query';
import dynamic from 'next/dynamic';
import { type ReactNode, useEffect } from 'react';
import { CopyButton } from '@/components/ui/copy-button';
import { Icon } from '@/components/ui/icons';
import { orNotice } from '@/components/ui/part-not-loaded';
import { WatchToggle } from '@/components/ui/watch-toggle';
import { decodeFailure } from '@/lib/core/failure';
import { logsCallAsCurl } from '@/lib/core/log-query';
import { explorerAddressUrl, explorerTxUrl, type Network } from '@/lib/core/network';
import { groupDigitsBriefly } from '@/lib/core/numbers';
import { requestDuration, stateWord, type UnreadableRow } from '@/lib/core/request-record';
import { clipped } from '@/lib/core/text';
import { formatAge, formatDuration } from '@/lib/core/time';
import { isWatched, MOST_WATCHED, useWatch } from '@/lib/pending/watch';
import { type GasBar, type GasBars, gasBars } from '@/lib/requests/cell-text';
import type { ListedRecord, Related, TypicalLatency } from '@/lib/requests/one';
import { prettyJson } from '@/lib/requests/pretty-json';
import { type RandomNumberVerdict, retryCommand, verifyRandomNumber } from '@/lib/requests/random-number';
import { rememberRequest } from '@/lib/requests/recent';
import { requestPath } from '@/lib/requests/request-address';
import {
  latencyFigures,
  latencyPlace,
  latencySpan,
  PLACE_WORDS,
  percentWords,
  whatHappened,
  whatNext,
} from '@/lib/requests/request-words';
import { useNetwork } from './networks-context';
import classes from './request.module.css';
import {
  Command,
  Field,
  Fields,
  HexField,
  LeftOut,
  MomentField,
  Section,
  SHOWN_UNITS,
  TextField,
} from './request-parts';
import { RelatedRequests } from './request-related';
import { StateBadge } from './state-badge';
import { useTableClock } from './table-clock';

const DiagnosisParts = dynamic(
  () => orNotice(import('@/components/pending/diagnosis').then((part) => part.RequestDiagnosis)),
  { ssr: false, loading: () => <p className={classes.waiting}>Loading diagnosis…</p> },
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
    <div className={classes.details}>
      <Summary record={record} />
      <div className={classes.columns}>
        <div className={classes.column}>
          {record.state.kind === 'pending' ? (
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
          {record.state.kind === 'pending' ? <RandomNumber record={record} /> : null}
          <OtherFields record={record} />
        </div>
        <div className={classes.column}>
          <RelatedRequests record={record} related={related} networks={networks} />
          <Section title="API call">
            <Command text={logsCallAsCurl(callOf(record))} label="Copy as curl" />
          </Section>
          <RawJson text={record.rawJson} />
        </div>
      </div>
    </div>
  );
}

function askedOf({ keeper, networkId, sequence, provider, requestTxHash: tx }: ListedRecord) {
  return { keeper, networkId, sequence, provider, tx };
}

/** Puts a request that is looked at among those that the command palette offers. */
function useRemembered(record: ListedRecord): void {
  const network = useNetwork(record.networkId);
  const label = `${clipped(network.name, 60)} ${record.sequence}`;
  const path = requestPath(record);
  useEffect(() => rememberRequest(label, path), [label, path]);
}

/** The service's own parameters that find the request. */
function callOf({ networkId, sequence }: ListedRecord): URLSearchParams {
  return new URLSearchParams({ network_id: networkId, query: sequence });
}

/** What happened, how fast, and what can be done. */
function Summary({ record }: Pick<Props, 'record'>) {
  const nowMs = useTableClock();
  const network = useNetwork(record.networkId);
  const failure = decodeFailure(record);
  const next = whatNext(record, retryCommand(record, network).kind === 'command', nowMs);
  return (
    <div className={classes.summary}>
      <StateBadge state={record.state} />
      <p className={classes.sentence}>
        {whatHappened(record, nowMs)}
        {failure === undefined ? null : (
          <>
            : <bdi>{clipped(failure.text, 200)}</bdi>
          </>
        )}
        . {next}
      </p>
      {record.gone ? (
        <span className={classes.gone} title="The log service has this request no more; shown as last seen">
          No longer served
        </span>
      ) : null}
      <Watch record={record} />
    </div>
  );
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

/** The number, the two contributions it is made of, and whether it is. */
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
      <p className={classes.faint}>
        Hash of both contributions, so neither side can choose it:{' '}
        <code>keccak256(user ‖ provider ‖ 32 zero bytes)</code>
      </p>
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

function Mark({
  tone,
  icon,
  text,
}: {
  tone: string;
  icon: 'check' | 'cross' | 'clock' | 'dash';
  text: string;
}) {
  return (
    <span className={classes.mark} data-tone={tone}>
      <Icon name={icon} size={13} /> {text}
    </span>
  );
}

/** Why it failed, as far as that can be told, and how a callback is run again. */
function Failure({ record }: { record: ListedRecord }) {
  const network = useNetwork(record.networkId);
  const failure = decodeFailure(record);
  if (failure === undefined) return null;
  const isCallback = record.state.kind === 'completed';
  const retry = retryCommand(record, network);
  return (
    <>
      <Section title={isCallback ? 'Callback reverted' : 'Failure'}>
        <p className={classes.failure}>
          <bdi>{clipped(failure.text, SHOWN_UNITS)}</bdi>
        </p>
        <OutOfGas record={record} />
        <Fields>
          {failure.name === undefined ? null : <Field name="Error">{failure.name}</Field>}
          {failure.meaning === undefined ? null : <Field name="Meaning">{failure.meaning}</Field>}
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
            <p className={classes.soft}>{retry.because}</p>
          ) : (
            <>
              <p className={classes.soft}>
                Run it with Foundry from any account. It costs gas, and the callback may revert again.
              </p>
              <Command text={retry.text} label="Copy retry command" />
            </>
          )}
        </Section>
      )}
    </>
  );
}

/** From so much of the limit on, percent, a callback that reverted most likely ran out of gas. */
const OUT_OF_GAS_PERCENT = 95;

function OutOfGas({ record: { gasLimit, state } }: { record: ListedRecord }) {
  if (state.kind !== 'completed') return null;
  const { percent } = gasBars({ gasLimit, callbackGasUsed: state.callbackGasUsed }).callback ?? {};
  if (percent === undefined || Number(percent) < OUT_OF_GAS_PERCENT) return null;
  return <p>Likely out of gas ({percentWords(percent)} used). Raise the callback gas limit.</p>;
}

/** From the request to its outcome, and how that compares with what is typical on the network. */
function Timeline({ record, related }: Pick<Props, 'record' | 'related'>) {
  const { state } = record;
  const isOver = state.kind === 'completed' || state.kind === 'failed';
  const ended = { completed: 'Revealed', failed: 'Failed' }[state.kind as string] ?? 'Updated';
  return (
    <Section title="Timeline">
      <Fields>
        <MomentField name="Requested" hint="When the keeper logged the request" time={record.createdAt} />
        <MomentField name={ended} hint="When the keeper last updated it" time={record.updatedAt} />
        {isOver ? <Latency record={record} related={related} nowMs={record.createdAt.ms} /> : null}
        {isOver ? null : <Age record={record} related={related} />}
      </Fields>
    </Section>
  );
}

function Age(props: Pick<Props, 'record' | 'related'>) {
  return <Latency {...props} nowMs={useTableClock()} />;
}

function Latency({ record, related, nowMs }: Pick<Props, 'record' | 'related'> & { nowMs: number }) {
  const length = requestDuration(record, nowMs);
  const latency = related?.latency;
  const place = length && latency ? latencyPlace(length.ms, latency) : undefined;
  return (
    <>
      {length === undefined ? (
        <TextField name="Latency" value={undefined} />
      ) : (
        <Field name={length.kind === 'age' ? 'Age' : 'Latency'}>
          <span className="num">
            {length.kind === 'age' ? formatAge(length.ms) : formatDuration(length.ms)}
          </span>
          {place === undefined ? null : (
            <span className={classes.place} data-place={place}>
              {' '}
              · {PLACE_WORDS[length.kind][place]}
            </span>
          )}
        </Field>
      )}
      <Field name="Typical latency">
        <Typical related={related} />
        {latency && length ? <LatencyBar ms={length.ms} latency={latency} /> : null}
      </Field>
    </>
  );
}

function Typical({ related }: Pick<Props, 'related'>): ReactNode {
  if (related === undefined) return <span className={classes.faint}>Loading…</span>;
  const { latency } = related;
  if (latency === undefined) return <span className={classes.faint}>Too few requests</span>;
  const count = groupDigitsBriefly(String(latency.count));
  return (
    <span className="num" title={`${count} requests of this network and keeper, ${latencySpan(latency)}`}>
      {latencyFigures(latency)}
      <span className={classes.faint}> · {latencySpan(latency)}</span>
    </span>
  );
}

/** A latency among the typical ones: the band reaches to p95, its line is p50. */
function LatencyBar({ ms, latency }: { ms: number; latency: TypicalLatency }) {
  const end = Math.max(latency.p95Ms * 1.25, Math.min(ms, latency.p95Ms * 4), 1);
  const at = (value: number) => percent(Math.min(1, value / end));
  return (
    <span className={classes.latencyBar} aria-hidden="true">
      <span className={classes.latencyBand} style={{ width: at(latency.p95Ms) }} />
      <span className={classes.latencyMiddle} style={{ insetInlineStart: at(latency.p50Ms) }} />
      <span
        className={classes.latencyThis}
        data-place={latencyPlace(ms, latency)}
        style={{ insetInlineStart: at(ms) }}
      />
    </span>
  );
}

/** Gas limit, gas of the callback and of the whole reveal, as exact figures and as bars on one scale. */
function Gas({ record: { gasLimit, state } }: { record: ListedRecord }) {
  const used = state.kind === 'completed' ? state : undefined;
  const bars = gasBars({ gasLimit, gasUsed: used?.gasUsed, callbackGasUsed: used?.callbackGasUsed });
  return (
    <Section title="Gas">
      <Fields>
        <GasField name="Callback gas limit" bar={bars.limit} />
        {used === undefined ? null : (
          <>
            <GasField name="Callback gas used" bar={bars.callback} of="of the limit" />
            <GasField name="Reveal gas used" hint="Of the whole transaction" bar={bars.transaction} />
          </>
        )}
      </Fields>
      {used === undefined ? null : <Bars bars={bars} />}
    </Section>
  );
}

function GasField({
  name,
  hint,
  bar,
  of,
}: {
  name: string;
  hint?: string;
  bar: GasBar | undefined;
  of?: string;
}) {
  if (bar === undefined) return <TextField name={name} hint={hint} value={undefined} />;
  return (
    <Field name={name} hint={hint} copied={bar.digits}>
      <span className="num">{clipped(groupDigitsBriefly(bar.digits), 100)}</span>
      {of === undefined || bar.percent === undefined ? null : (
        <span className={classes.soft}>
          {' '}
          · <span className="num">{clipped(percentWords(bar.percent), 90)}</span> {of}
        </span>
      )}
    </Field>
  );
}

/** The figures above as lengths; the mark is the limit. Nothing is drawn without a limit to compare with. */
function Bars({ bars: { limit, callback, transaction } }: { bars: GasBars }) {
  if (limit === undefined || (callback === undefined && transaction === undefined)) return null;
  return (
    <div className={classes.bars} aria-hidden="true">
      {callback === undefined ? null : <Bar of="callback" length={callback.length} />}
      {transaction === undefined ? null : <Bar of="transaction" length={transaction.length} />}
      <div className={classes.limitMark} style={{ insetInlineStart: percent(limit.length) }} />
    </div>
  );
}

function Bar({ of, length }: { of: string; length: number }) {
  return (
    <div className={classes.track}>
      <div className={classes.bar} data-of={of} style={{ width: percent(length) }} />
    </div>
  );
}

function percent(length: number): string {
  return `${(length * 100).toFixed(2)}%`;
}

/** What the request is and who made it: every such field with its full value. */
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
            <span className={classes.soft}>
              {' '}
              · <bdi title="The keeper’s name for it">{keeperName}</bdi>
            </span>
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

/** Members of the row that have no place of their own, by their name on the wire, as JSON. */
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

/** As much JSON as anybody reads; the whole of it is copied. */
const SHOWN_JSON = 20_000;
/** It scrolls by itself, so the keyboard must be able to reach it. */
const SCROLLABLE = { tabIndex: 0 };

/** The row as the service sent it, every digit kept. */
function RawJson({ text }: { text: string }) {
  // The end of a very long row is not indented for nobody to see.
  const lines = prettyJson(text.slice(0, SHOWN_JSON)).split('\n');
  return (
    <Section title="Raw JSON" beside={<CopyButton value={text} label="Copy JSON" />}>
      <pre className={`${classes.json} foreign`} {...SCROLLABLE}>
        {lines.map((line) => clipped(line, SHOWN_JSON)).join('\n')}
      </pre>
      <LeftOut text={text} shown={SHOWN_JSON} />
    </Section>
  );
}

/** A row that is no request: why not, and its JSON. */
export function UnreadableDetails({ row }: { row: Pick<UnreadableRow, 'problem' | 'rawJson'> }) {
  return (
    <div className={classes.details}>
      <p className={classes.odd}>This row can’t be read: {clipped(row.problem, 300)}</p>
      <RawJson text={row.rawJson} />
    </div>
  );
}
