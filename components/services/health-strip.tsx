'use client';
import { Group } from '@mantine/core';
import { failureWord } from '@/lib/core/health';
import { countOf } from '@/lib/core/numbers';
import { HISTORY_MS, type HostReport } from '@/lib/core/service-report';
import classes from './services.module.css';
import { answeredText, dayBars, STRIP_BARS, stripWords } from './strip-bars';

/** Share of a bar's place that it takes, so that bars are told apart. */
const BAR_SHARE = 0.72;
/** Bars without failures are lower, so that colour is not the only difference. */
const HEIGHTS = { none: 0.12, ok: 0.72, failed: 1 } as const;

type Props = {
  history: HostReport['history'];
  atMs: number;
  startedAtMs: number;
  /** Formats unix ms. */
  moment: (ms: number) => string;
};

/** The last 24 h as a row of bars. The hatching behind them is the time before the server started, which nobody knows. */
export function HealthStrip({ history, atMs, startedAtMs, moment }: Props) {
  const isYoung = atMs - startedAtMs < HISTORY_MS;
  const span = isYoung ? `Since ${moment(startedAtMs)}, when this server started` : 'Last 24 h';
  const words = stripWords(span, history, (first) => `${moment(first.atMs)}: ${failureWord(first.kind)}`);
  return (
    <figure className={classes.strip} title={words}>
      <svg role="img" aria-label={words} viewBox={`0 0 ${STRIP_BARS} 1`} preserveAspectRatio="none">
        {dayBars(history, { atMs, startedAtMs }).map(({ fromMs, state, failedShare }, at) => {
          if (state === 'unknown') return null;
          const height = HEIGHTS[state];
          return (
            <g key={fromMs}>
              <rect data-state="known" x={at} width={1.02} height={1} />
              <rect data-state={state} x={at} width={BAR_SHARE} y={1 - height} height={height} />
              {state === 'failed' && failedShare < 1 ? (
                <rect data-state="ok" x={at} width={BAR_SHARE} y={failedShare} height={1 - failedShare} />
              ) : null}
            </g>
          );
        })}
      </svg>
      <figcaption aria-hidden="true">
        <span>24 h ago</span>
        <span data-share="">{answeredText(history)}</span>
        <span>now</span>
      </figcaption>
    </figure>
  );
}

const LEGEND: readonly [state: string, text: string][] = [
  ['ok', 'Answered'],
  ['failed', 'Some failed'],
  ['none', 'No call'],
  ['unknown', 'Not known: before the server started'],
];

export function StripLegend({ startedAtMs, atMs }: Pick<Props, 'startedAtMs' | 'atMs'>) {
  const entries = LEGEND.filter(([state]) => state !== 'unknown' || atMs - startedAtMs < HISTORY_MS);
  return (
    <Group gap="0 var(--ks-gap-lg)" component="ul" aria-label="Last 24 h">
      <li className={`${classes.strip} ${classes.legend}`}>{countOf(STRIP_BARS, 'bar')} of half an hour</li>
      {entries.map(([state, text]) => (
        <li key={state} className={`${classes.strip} ${classes.legend}`}>
          <svg aria-hidden="true" width={14} height={10} data-key={state}>
            {state === 'unknown' ? null : <rect data-state="known" width={14} height={10} />}
            <rect data-state={state} width={14} height={10} />
          </svg>
          {text}
        </li>
      ))}
    </Group>
  );
}
