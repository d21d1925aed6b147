'use client';
import { Group } from '@mantine/core';
import { failureWord } from '@/lib/core/health';
import { countOf, groupDigits } from '@/lib/core/numbers';
import { HISTORY_MS, type HostReport, historySteps } from '@/lib/core/service-report';
import { MINUTE_MS } from '@/lib/core/time';
import classes from './services.module.css';

/** Size of the drawing, which begins with the first step or a later start of the server. */
const WIDTH = 144;
const HEIGHT = 24;
/** A single failure among many calls stays visible. */
const MIN_HEIGHT = 2;
/** Share of a step that its bar takes, so that bars are told apart. */
const BAR_SHARE = 0.8;
/** A younger server fills a part of the width, so that its first minute is no block. */
const MIN_SPAN_MS = 10 * MINUTE_MS;

type Props = {
  history: HostReport['history'];
  /** The report's time, by which the server chose its steps. */
  atMs: number;
  startedAtMs: number;
  /** Formats unix ms. */
  moment: (ms: number) => string;
};

/** A bar for each step, as high as its calls, since the server started, but at most for the last day. */
export function HealthStrip({ history, atMs, startedAtMs, moment }: Props) {
  const { stepMs, fromMs: beginMs, count } = historySteps(startedAtMs, atMs);
  const isYoung = atMs - startedAtMs < HISTORY_MS;
  const span = isYoung ? `Since ${moment(startedAtMs)}, when this server started` : 'Last 24 h';
  const words = stripWords(span, history, moment);
  const shownFromMs = Math.max(beginMs, startedAtMs);
  const spanMs = Math.max(MIN_SPAN_MS, atMs - shownFromMs);
  const xOf = (ms: number) => (WIDTH * Math.max(0, Math.min(atMs, ms) - shownFromMs)) / spanMs;
  const shown = history.filter(({ fromMs }) => fromMs >= beginMs && fromMs < beginMs + count * stepMs);
  const most = Math.max(0, ...shown.map(({ calls }) => calls));
  return (
    <figure className={classes.strip} title={words}>
      <svg role="img" aria-label={words} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none">
        <rect data-state="none" width={xOf(atMs)} y={HEIGHT - 1} height={1} />
        {shown.map(({ fromMs, calls, failed }) => {
          const x = xOf(fromMs);
          const width = (xOf(fromMs + stepMs) - x) * BAR_SHARE;
          const all = barHeight(calls, most);
          const bad = barHeight(failed, most);
          return (
            <g key={fromMs}>
              <rect data-state="ok" x={x} width={width} y={HEIGHT - all} height={all} />
              <rect data-state="failed" x={x} width={width} y={HEIGHT - bad} height={bad} />
            </g>
          );
        })}
      </svg>
      <figcaption aria-hidden="true">
        <span>{isYoung ? moment(shownFromMs) : '24 h ago'}</span>
        <span>{most === 0 ? 'now' : `max ${groupDigits(most)}`}</span>
      </figcaption>
    </figure>
  );
}

const barHeight = (calls: number, most: number) =>
  calls === 0 ? 0 : Math.max(MIN_HEIGHT, (HEIGHT * calls) / most);

const LEGEND: readonly [state: string, text: string][] = [
  ['ok', 'Answered'],
  ['failed', 'Failed'],
];

type LegendProps = Pick<Props, 'atMs' | 'startedAtMs'>;

export function StripLegend({ atMs, startedAtMs }: LegendProps) {
  const { stepMs } = historySteps(startedAtMs, atMs);
  const steps = `Bars: calls in ${countOf(stepMs / MINUTE_MS, 'minute')}`;
  return (
    <Group gap="0 var(--ks-gap-lg)" component="ul" aria-label="Calls over time">
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
