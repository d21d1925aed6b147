import type { Insights, SpanFigures, SpanTotals } from './answer';

/** The figures of a span over time, as charts and their tables show them. */

/** States from the bottom of a bar up. */
export const BARS = [
  { key: 'completed', label: 'Completed', colour: 'var(--ks-chart-fine)' },
  { key: 'pending', label: 'Pending', colour: 'color-mix(in srgb, var(--ks-wait) 60%, var(--ks-sandbox))' },
  { key: 'callbackFailed', label: 'Callback failed', colour: 'var(--ks-warn)' },
  { key: 'failed', label: 'Failed', colour: 'var(--ks-bad)' },
] as const;

export const LINES = [
  { key: 'p50', label: 'p50', colour: 'var(--ks-text-faint)', dash: undefined },
  { key: 'p95', label: 'p95', colour: 'var(--ks-chart-line)', dash: undefined },
  { key: 'p99', label: 'p99', colour: 'var(--ks-chart-line)', dash: '2 3' },
] as const;

/** Rows by state, and percentiles in microseconds; `fromMs` unix milliseconds. */
export type ChartBucket = Pick<
  SpanTotals,
  'requests' | 'completed' | 'callbackFailed' | 'failed' | 'pending'
> & {
  fromMs: number;
  p50: number | null;
  p95: number | null;
  p99: number | null;
};

export function chartBuckets({
  figures,
  buckets,
}: Pick<Insights, 'buckets'> & { figures: Pick<SpanFigures, 'overTime'> }): ChartBucket[] {
  return figures.overTime.map(({ p50Us, p95Us, p99Us, called: _called, ...counts }, at) => ({
    ...counts,
    fromMs: buckets.fromMs + at * buckets.bucketMs,
    p50: p50Us,
    p95: p95Us,
    p99: p99Us,
  }));
}

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
const STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
  ...[1, 2, 5, 7, 14, 30, 90].map((count) => count * DAY),
];
const MOST_TICKS = 8;

export type TimeTick = { ms: number; unit: 'minute' | 'day' };

/** Round moments among the beginnings of buckets. @param offsetMs of the zone whose clock the axis shows */
export function timeTicks(buckets: readonly Pick<ChartBucket, 'fromMs'>[], offsetMs: number): TimeTick[] {
  const [first, last] = [buckets[0]?.fromMs ?? 0, buckets.at(-1)?.fromMs ?? 0];
  const step = STEPS.find((one) => (last - first) / one <= MOST_TICKS) ?? 365 * DAY;
  return buckets
    .filter(({ fromMs }) => (fromMs + offsetMs) % step === 0)
    .map(({ fromMs }) => ({ ms: fromMs, unit: step >= DAY ? 'day' : 'minute' }));
}

/** `04:35` of `2026-11-20 04:35:00`, and the day where one begins. */
export function tickText(text: string, unit: TimeTick['unit']): string {
  const [, day = '', clock = ''] = /^\d{4}-(\S+) (\S+)$/.exec(text) ?? [];
  return unit === 'day' || clock === '00:00:00' ? day : clock.slice(0, 5);
}

/** `2026-11-20 08:00 – 08:30`: the day is said once, and seconds only where there are some. */
export function spanText(from: string, to: string): string {
  const [one, other] = [from, to].map((text) => text.replace(/:00$/, ''));
  const day = /^\d{4}-\d\d-\d\d /.exec(from)?.[0];
  return `${one} – ${day !== undefined && to.startsWith(day) ? other?.slice(day.length) : other}`;
}

const MILLION = 1_000_000;
const LENGTHS_US = [0.1, 1, 10, 60, 600, 3600, 6 * 3600, 24 * 3600, 10 * 24 * 3600].map(
  (seconds) => seconds * MILLION,
);

/** Round lengths about all of these, for a scale on which each step is several times the one before. Microseconds. */
export function lengthTicks(lengths: readonly number[]): number[] {
  const [least, most] = [Math.min(86_400 * MILLION, ...lengths), Math.max(0, ...lengths)];
  const first = LENGTHS_US.findLastIndex((one) => one <= least);
  const last = LENGTHS_US.findIndex((one) => one >= most);
  const [from, to] = [Math.max(0, first), last === -1 ? LENGTHS_US.length - 1 : last];
  return LENGTHS_US.slice(from, Math.max(to, from + 1) + 1);
}

/** `0.1 s`, `30 s`, `10 min`, `6 h`, `10 d`. */
export function lengthTickText(us: number): string {
  const seconds = us / MILLION;
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${seconds / 60} min`;
  return seconds < 86_400 ? `${seconds / 3600} h` : `${seconds / 86_400} d`;
}
