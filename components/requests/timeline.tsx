'use client';
import { Text } from '@mantine/core';
import { Field } from '@/components/ui/field';
import { Icon, type IconName } from '@/components/ui/icons';
import { useNetwork } from '@/components/ui/networks';
import { MutedInline } from '@/components/ui/text';
import { explorerTxUrl } from '@/lib/core/network';
import { groupDigitsBriefly } from '@/lib/core/numbers';
import { type BlockTimes, requestDuration } from '@/lib/core/request-record';
import { clipped, shortenHex } from '@/lib/core/text';
import { DAY_MS, formatAge, formatDuration, formatSpan } from '@/lib/core/time';
import { blockTimesByChain, transactionByChain } from '@/lib/onchain/next-step';
import type { Onchain } from '@/lib/onchain/onchain-response';
import type { ListedRecord, Related, TypicalLatency } from '@/lib/requests/requests-response';
import { useServerNow } from '@/lib/requests/revision-stream';
import { type Step, stepsOf } from '@/lib/requests/steps';
import { Moment, Section } from './request-parts';
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

const SINCE_REQUEST = 'Since the block of the request. Times of blocks are whole seconds';

/** Steps of a request, horizontal, or vertical if the page is narrow. */
function Steps({ record, transaction, times }: StepsProps) {
  const network = useNetwork(record.networkId);
  return (
    <ol className={classes.steps}>
      {stepsOf(record, useServerNow(), transaction, times).map(
        ({ name, hint, state, time, noTime, before, block, txHash, after }) => {
          const url = explorerTxUrl(network, txHash);
          const { icon, tone } = LOOKS[state];
          return (
            <li key={name} data-step={state} style={{ '--tone': `var(--ks-${tone})` } as React.CSSProperties}>
              <span className={classes.dot}>
                <Icon name={icon} size={20} />
              </span>
              <strong title={hint}>{name}</strong>
              {time !== undefined ? (
                <Moment time={time} />
              ) : noTime !== undefined ? (
                <span className="faint">{noTime}</span>
              ) : null}
              {before === undefined ? null : (
                <span title="The log has no time of the transaction, only when the keeper saw it">
                  before <Moment time={before} />
                </span>
              )}
              {block === undefined ? null : (
                <span className="num">block {clipped(groupDigitsBriefly(block), 40)}</span>
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
              {after === undefined ? null : (
                <MutedInline className="num" title={after.startsWith('+') ? SINCE_REQUEST : undefined}>
                  {after}
                </MutedInline>
              )}
            </li>
          );
        },
      )}
    </ol>
  );
}

/** Minimum distance between two labels, as a share of the scale. */
const MIN_LABEL_SHARE = 0.14;

type Length = NonNullable<ReturnType<typeof requestDuration>>;
type ScaleProps = { length: Length; latency: TypicalLatency; isSlow: boolean };

/** Latency or age on a scale with p50 and p95, each with its figure. */
function Scale({ length: { kind, ms }, latency: { p50Ms, p95Ms }, isSlow }: ScaleProps) {
  const end = Math.max(ms, p95Ms) * 1.15;
  const at = (value: number) => `${(100 * value) / Math.max(1, end)}%`;
  return (
    <div className={classes.scale} data-slow={isSlow || undefined}>
      <p>
        {kind === 'age' ? 'Pending for' : 'Logged after'}{' '}
        <strong className="num">{kind === 'age' ? formatAge(ms) : formatDuration(ms)}</strong>
      </p>
      <div className={classes.bar} aria-hidden="true">
        <span style={{ width: at(ms) }} />
        {/* If they are close together, their labels would overlap. */}
        {(p95Ms - p50Ms) / end < MIN_LABEL_SHARE ? null : (
          <i style={{ insetInlineStart: at(p50Ms) }}>p50 {formatDuration(p50Ms)}</i>
        )}
        <i style={{ insetInlineStart: at(p95Ms) }}>p95 {formatDuration(p95Ms)}</i>
      </div>
    </div>
  );
}

/** Compares a latency, or the age of an unfinished request, with p50 and p95. */
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

type TimelineProps = { record: ListedRecord; related: Related | undefined; onchain: Onchain | undefined };

/** Timeline of a request, compared with typical latencies. `related` is undefined while loading. */
export function Timeline({ record, related, onchain }: TimelineProps) {
  const nowMs = useServerNow();
  const { updatedAt, firstFinishedAt } = record;
  const revealTx = record.state.kind === 'completed' ? record.state.revealTxHash : undefined;
  const length = requestDuration(record, nowMs);
  const latency = related?.latency;
  const place = length && latency && latencyPlace(length, latency);
  return (
    <Section
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
      <Steps
        record={record}
        transaction={transactionByChain(onchain)}
        times={blockTimesByChain(onchain, revealTx)}
      />
      {length && latency ? (
        <Scale length={length} latency={latency} isSlow={place?.isSlow === true} />
      ) : related === undefined ? (
        <div className={classes.scale} />
      ) : null}
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
    </Section>
  );
}

function Typical({ latency: { count, days, p50Ms, p95Ms } }: { latency: TypicalLatency }) {
  const span = days === undefined ? 'all time' : `last ${formatSpan(days * DAY_MS)}`;
  const population = `${groupDigitsBriefly(String(count))} requests of this network and keeper, ${span}`;
  return (
    <span className="num" title={population}>
      p50 {formatDuration(p50Ms)} · p95 {formatDuration(p95Ms)} · {span}
    </span>
  );
}
