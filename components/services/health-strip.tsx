'use client';
import { Group } from '@mantine/core';
import { failureWord } from '@/lib/core/health';
import { countOf } from '@/lib/core/numbers';
import { HISTORY_MS, HISTORY_SPAN_MS, type HostReport } from '@/lib/core/service-report';
import classes from './services.module.css';

const SPANS = HISTORY_MS / HISTORY_SPAN_MS;

/** State of a step: `unknown` before this server started, `none` without calls. */
type SpanState = 'unknown' | 'none' | 'ok' | 'some' | 'failing';

type Props = {
  history: HostReport['history'];
  nowMs: number;
  startedAtMs: number;
  /** Formats unix ms for a sentence. */
  moment: (ms: number) => string;
};

/** Calls of the last day by outcome in steps of ten minutes. Unknown steps look like steps without calls. */
export function HealthStrip({ history, nowMs, startedAtMs, moment }: Props) {
  const endMs = (Math.floor(nowMs / HISTORY_SPAN_MS) + 1) * HISTORY_SPAN_MS;
  const beginMs = endMs - HISTORY_MS;
  const states = Array.from({ length: SPANS }, (_, at): SpanState => {
    const fromMs = beginMs + at * HISTORY_SPAN_MS;
    const span = history.find((one) => one.fromMs === fromMs);
    if (span === undefined) return fromMs + HISTORY_SPAN_MS <= startedAtMs ? 'unknown' : 'none';
    if (span.failed === 0) return 'ok';
    return span.failed === span.calls ? 'failing' : 'some';
  });
  const runs = states.reduce<{ state: SpanState; from: number; count: number }[]>((all, state, at) => {
    const last = all.at(-1);
    if (last?.state === state) last.count += 1;
    else all.push({ state, from: at, count: 1 });
    return all;
  }, []);
  const words = stripWords({ history, beginMs, startedAtMs, moment });
  return (
    <figure className={classes.strip} title={words}>
      <svg role="img" aria-label={words} viewBox={`0 0 ${SPANS} 10`} preserveAspectRatio="none">
        <defs>
          <pattern id="no-record" width={3} height={10} patternUnits="userSpaceOnUse">
            <path d="M0 10L3 0" stroke="var(--ks-line)" />
          </pattern>
        </defs>
        {runs.map(({ state, from, count }) => (
          <rect key={from} data-state={state} x={from} width={count} height={10} />
        ))}
      </svg>
      <figcaption aria-hidden="true">
        <span>24 h ago</span>
        <span>now</span>
      </figcaption>
    </figure>
  );
}

const LEGEND: readonly [SpanState, string][] = [
  ['ok', 'All calls OK'],
  ['some', 'Some failed'],
  ['failing', 'All failed'],
  ['none', 'No calls'],
  ['unknown', 'Not recorded: before this server started'],
];

/** Meaning of the colours of the strips. */
export function StripLegend() {
  return (
    <Group
      gap="0 var(--ks-gap-lg)"
      component="ul"
      aria-label="Last 24 h, in steps of 10 minutes"
      visibleFrom="sm"
    >
      {LEGEND.map(([state, text]) => (
        <li key={state} className={`${classes.strip} ${classes.legend}`}>
          <svg aria-hidden="true" width={14} height={10}>
            <rect data-state={state} width={14} height={10} />
          </svg>
          {text}
        </li>
      ))}
    </Group>
  );
}

type WordsOf = Pick<Props, 'history' | 'startedAtMs' | 'moment'> & { beginMs: number };

function stripWords({ history, beginMs, startedAtMs, moment }: WordsOf): string {
  const calls = history.reduce((sum, span) => sum + span.calls, 0);
  const failed = history.reduce((sum, span) => sum + span.failed, 0);
  const first = history.find(({ firstFailure }) => firstFailure !== undefined)?.firstFailure;
  return [
    `Last 24 h: ${countOf(calls, 'call')}, ${failed} failed`,
    first === undefined ? '' : `, the first ${moment(first.atMs)}: ${failureWord(first.kind)}`,
    startedAtMs > beginMs ? `. Nothing is known before ${moment(startedAtMs)}, when this server started` : '',
  ].join('');
}
