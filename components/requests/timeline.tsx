'use client';
import { Text } from '@mantine/core';
import type { CSSProperties, ReactNode } from 'react';
import { useServerNow } from '@/components/ui/clock';
import { Field } from '@/components/ui/field';
import { Icon, type IconName } from '@/components/ui/icons';
import { useNetwork } from '@/components/ui/networks';
import { MutedInline } from '@/components/ui/text';
import { explorerTxUrl } from '@/lib/core/network';
import { groupDigitsBriefly } from '@/lib/core/numbers';
import { type BlockTimes, requestDuration } from '@/lib/core/request-record';
import { clipped, shortenHex } from '@/lib/core/text';
import { DAY_MS, formatDuration, formatSpan } from '@/lib/core/time';
import { blockTimesByChain, transactionByChain } from '@/lib/onchain/next-step';
import type { Onchain } from '@/lib/onchain/onchain-response';
import type { ListedRecord, Related, TypicalLatency } from '@/lib/requests/requests-response';
import { stepScale } from '@/lib/requests/step-scale';
import { requestSteps, requestWaits, type Step, startMs } from '@/lib/requests/steps';
import { Moment, RequestSection } from './request-parts';
import classes from './timeline.module.css';

const LOOKS: Record<Step['state'], { icon: IconName; tone: string }> = {
  done: { icon: 'check', tone: 'good' },
  open: { icon: 'clock', tone: 'wait' },
  bad: { icon: 'cross', tone: 'bad' },
  unknown: { icon: 'question', tone: 'idle' },
};

type StepsProps = {
  record: ListedRecord;
  transaction: ReturnType<typeof transactionByChain>;
  times: BlockTimes | undefined;
};

const SINCE_REQUEST = 'All steps count from the block of the request. Times of blocks are whole seconds';
const SINCE_SEEN = 'All steps count from when the keeper saw the request: the log has no time of its block';
const ONLY_BEFORE = 'The log has no time of the transaction, only when the keeper saw it';

function Steps({ record, transaction, times }: StepsProps) {
  const network = useNetwork(record.networkId);
  return (
    <ol className={classes.steps}>
      {requestSteps(record, transaction, times).map(
        ({ name, hint, state, time, noTime, before, block, note, blocksAfter, txHash, after }) => {
          const url = explorerTxUrl(network, txHash);
          const { icon, tone } = LOOKS[state];
          return (
            <li key={name} data-step={state} style={{ '--tone': `var(--ks-${tone})` } as CSSProperties}>
              <span className={classes.dot}>
                <Icon name={icon} size={20} />
              </span>
              <strong title={hint}>{name}</strong>
              {time !== undefined ? (
                <Moment time={time} />
              ) : before !== undefined ? (
                <span title={ONLY_BEFORE}>
                  before <Moment time={before} />
                </span>
              ) : (
                <span className="faint">{noTime}</span>
              )}
              {/* Its line is there before the chain's answer, so that it moves nothing. */}
              <Text
                span
                inherit
                mih="1lh"
                fw={600}
                className="num"
                title={times === undefined ? SINCE_SEEN : SINCE_REQUEST}
              >
                {after ?? (before === undefined ? null : <MutedInline fw={400}>no block time</MutedInline>)}
              </Text>
              {block === undefined ? (
                <MutedInline inherit>{note}</MutedInline>
              ) : (
                <span className="num">
                  block {clipped(groupDigitsBriefly(block), 40)}
                  {blocksAfter === undefined ? null : (
                    <MutedInline inherit title="Blocks after that of the request">
                      {' '}
                      ({blocksAfter})
                    </MutedInline>
                  )}
                </span>
              )}
              {txHash === undefined ? null : url === undefined ? (
                <span className="mono">{shortenHex(clipped(txHash, 100))}</span>
              ) : (
                <a
                  href={url}
                  target="_blank"
                  rel="noreferrer noopener"
                  title="Open in block explorer"
                  className="mono"
                >
                  {shortenHex(txHash)}
                  <span className="sr-only">, in block explorer</span>
                </a>
              )}
            </li>
          );
        },
      )}
    </ol>
  );
}

/** A share of the scale. */
const MIN_LABEL_SHARE = 0.08;
/** Room behind the last mark for its label. */
const MARK_ROOM = 1.08;

type ScaleProps = {
  record: ListedRecord;
  times: BlockTimes | undefined;
  latency: TypicalLatency | undefined;
  isSlow: boolean;
};

/** The waits between the steps in proportion, beside the typical latency, which counts from when a request was seen. */
function Scale({ record, times, latency, isSlow }: ScaleProps) {
  const seenMs = record.createdAt.ms;
  const waits = requestWaits(record, times, useServerNow());
  const fromMs = startMs(record.createdAt, times);
  const toMs = waits.at(-1)?.toMs ?? fromMs;
  const marks =
    latency === undefined
      ? []
      : [
          { name: 'p50', ms: latency.p50Ms },
          { name: 'p95', ms: latency.p95Ms },
        ].map(({ name, ms }) => ({ name, atMs: seenMs + ms }));
  const lastMs = Math.max(toMs, ...marks.map(({ atMs }) => fromMs + (atMs - fromMs) * MARK_ROOM));
  const { shareOf, broken } = stepScale([fromMs, ...waits.map((wait) => wait.toMs), lastMs]);
  const placed = (from: number, to = from) =>
    ({ '--from': shareOf(from), '--length': shareOf(to) - shareOf(from) }) as CSSProperties;
  // Close together, their labels would overlap.
  const [p50, p95] = marks;
  const shownMarks =
    p50 && p95 && shareOf(p95.atMs) - shareOf(p50.atMs) < MIN_LABEL_SHARE ? marks.slice(1) : marks;
  return (
    <div className={classes.scale} data-slow={isSlow || undefined} aria-hidden="true">
      {waits.map((wait) => (
        <span
          key={wait.id}
          data-wait={wait.id}
          style={placed(wait.fromMs, wait.toMs)}
          title={`${wait.length} ${wait.name}`}
        >
          <small>
            {wait.length} {wait.name}
          </small>
        </span>
      ))}
      {broken && (
        <b
          style={{ '--from': (broken.from + broken.to) / 2 } as CSSProperties}
          title="Scale broken: this span is drawn shorter than it was"
        />
      )}
      {shownMarks.map(({ name, atMs }) => (
        <i key={name} style={placed(atMs)} title={LOGGED_AFTER}>
          {name}
        </i>
      ))}
    </div>
  );
}

function latencyPlace(length: { kind: 'duration' | 'age'; ms: number }, { p50Ms, p95Ms }: TypicalLatency) {
  const place = length.ms <= p50Ms ? 0 : length.ms <= p95Ms ? 1 : 2;
  const labels = {
    duration: ['Faster than p50', 'Between p50 and p95', 'Slower than p95'],
    age: ['Below p50 so far', 'Past p50', 'Past p95'],
  };
  return { label: labels[length.kind][place], isSlow: place === 2 };
}

const LOGGED_AFTER =
  'Time from creation until the keeper logged the outcome. Requests answered by others are logged minutes later';

type TimelineProps = {
  record: ListedRecord;
  /** Undefined while loading. */
  related: Related | undefined;
  onchain: Onchain | undefined;
  /** Retry clock of a pending request, which replaces the scale. */
  clock: ReactNode;
};

export function Timeline({ record, related, onchain, clock }: TimelineProps) {
  const nowMs = useServerNow();
  const { updatedAt, firstFinishedAt } = record;
  const revealTx = record.state.kind === 'completed' ? record.state.revealTxHash : undefined;
  const times = blockTimesByChain(onchain, revealTx);
  const length = requestDuration(record, nowMs);
  const latency = related?.latency;
  const place = length && latency && latencyPlace(length, latency);
  return (
    <RequestSection
      title="Timeline"
      beside={
        <MutedInline size="sm">
          {latency !== undefined ? (
            <>
              <Text span c={place?.isSlow ? 'var(--ks-warn)' : undefined} title={LOGGED_AFTER}>
                {place?.label}
              </Text>
              {' · '}
              <Typical latency={latency} />
            </>
          ) : related === undefined ? (
            'Loading typical latency…'
          ) : (
            'Too few requests for a typical latency'
          )}
        </MutedInline>
      }
    >
      {clock ?? <Scale {...{ record, times, latency }} isSlow={place?.isSlow === true} />}
      <Steps record={record} transaction={transactionByChain(onchain)} times={times} />
      {firstFinishedAt === undefined || updatedAt === undefined ? null : (
        <dl>
          <Field
            name="Logged again"
            hint="The keeper changed this time later, as it does after a restart. It is not part of the latency"
            value={updatedAt.text}
          >
            <Moment time={updatedAt} />
          </Field>
        </dl>
      )}
    </RequestSection>
  );
}

function Typical({ latency: { count, days, p50Ms, p95Ms } }: { latency: TypicalLatency }) {
  const span = days === undefined ? 'all time' : `last ${formatSpan(days * DAY_MS)}`;
  const population = `${groupDigitsBriefly(String(count))} requests of this network and keeper, ${span}`;
  return (
    <span className="num" title={population}>
      p50 {formatDuration(p50Ms)} · p95 {formatDuration(p95Ms)} · <span className={classes.span}>{span}</span>
    </span>
  );
}
