'use client';
import { Group } from '@mantine/core';
import { failureWord } from '@/lib/core/health';
import { countOf } from '@/lib/core/numbers';
import { HISTORY_MS, type HostReport, historySteps } from '@/lib/core/service-report';
import { MINUTE_MS } from '@/lib/core/time';
import classes from './services.module.css';

/** Width of the drawing, from the first step, or a later start of the server, to the time of the report. */
const WIDTH = 144;

/** `none`: no calls. */
type SpanState = 'none' | 'ok' | 'some' | 'failing';

type Props = {
  history: HostReport['history'];
  /** The report's time, by which the server chose its steps. */
  atMs: number;
  startedAtMs: number;
  /** Formats unix ms. */
  moment: (ms: number) => string;
};

/** Calls since the server started, but at most for the last day. */
export function HealthStrip({ history, atMs, startedAtMs, moment }: Props) {
  const { stepMs, fromMs: beginMs, count } = historySteps(startedAtMs, atMs);
  const isYoung = atMs - startedAtMs < HISTORY_MS;
  const states = Array.from({ length: count }, (_, at): SpanState => {
    const fromMs = beginMs + at * stepMs;
    const span = history.find((bucket) => bucket.fromMs === fromMs);
    if (span === undefined) return 'none';
    if (span.failed === 0) return 'ok';
    return span.failed === span.calls ? 'failing' : 'some';
  });
  const runs = states.reduce<{ state: SpanState; from: number; count: number }[]>((all, state, at) => {
    const last = all.at(-1);
    if (last?.state === state) last.count += 1;
    else all.push({ state, from: at, count: 1 });
    return all;
  }, []);
  const span = isYoung ? `Since ${moment(startedAtMs)}, when this server started` : 'Last 24 h';
  const words = stripWords(span, history, moment);
  const shownFromMs = Math.max(beginMs, startedAtMs);
  const xOf = (step: number) => {
    const ms = Math.min(atMs, beginMs + step * stepMs) - shownFromMs;
    return (WIDTH * Math.max(0, ms)) / Math.max(1, atMs - shownFromMs);
  };
  return (
    <figure className={classes.strip} title={words}>
      <svg role="img" aria-label={words} viewBox={`0 0 ${WIDTH} 10`} preserveAspectRatio="none">
        {runs.map(({ state, from, count: steps }) => (
          <rect
            key={from}
            data-state={state}
            x={xOf(from)}
            width={xOf(from + steps) - xOf(from)}
            height={10}
          />
        ))}
      </svg>
      <figcaption aria-hidden="true">
        <span>{isYoung ? moment(shownFromMs) : '24 h ago'}</span>
        <span>now</span>
      </figcaption>
    </figure>
  );
}

const LEGEND: readonly [SpanState, string][] = [
  ['ok', 'All answered'],
  ['some', 'Some failed'],
  ['failing', 'All failed'],
  ['none', 'No calls'],
];

type LegendProps = Pick<Props, 'atMs' | 'startedAtMs'>;

export function StripLegend({ atMs, startedAtMs }: LegendProps) {
  const { stepMs } = historySteps(startedAtMs, atMs);
  const steps = `Steps of ${countOf(stepMs / MINUTE_MS, 'minute')}`;
  return (
    <Group gap="0 var(--ks-gap-lg)" component="ul" aria-label={`Colours of the calls. ${steps}`}>
      {LEGEND.map(([state, text]) => (
        <li key={state} className={`${classes.strip} ${classes.legend}`}>
          <svg aria-hidden="true" width={14} height={10}>
            <rect data-state={state} width={14} height={10} />
          </svg>
          {text}
        </li>
      ))}
      <li className={`${classes.strip} ${classes.legend}`}>{steps}</li>
    </Group>
  );
}

/** `Last 24 h: 412 calls, 3 failed, the first 11:20:43 UTC: timed out`. */
function stripWords(span: string, history: Props['history'], moment: Props['moment']): string {
  const calls = history.reduce((sum, bucket) => sum + bucket.calls, 0);
  const failed = history.reduce((sum, bucket) => sum + bucket.failed, 0);
  const first = history.find(({ firstFailure }) => firstFailure !== undefined)?.firstFailure;
  const failure = first === undefined ? '' : `, the first ${moment(first.atMs)}: ${failureWord(first.kind)}`;
  return `${span}: ${countOf(calls, 'call')}, ${failed} failed${failure}`;
}
