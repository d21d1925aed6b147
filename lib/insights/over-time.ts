import type { SpanTotals } from '@/lib/core/span-figures';
import type { Insights, SpanFigures } from './answer';

/** States from the bottom of a bar up. */
export const BARS = [
  { key: 'completed', label: 'Completed', colour: 'var(--ks-chart-fine)' },
  { key: 'pending', label: 'Pending', colour: 'color-mix(in srgb, var(--ks-wait) 60%, var(--ks-sandbox))' },
  { key: 'callbackFailed', label: 'Callback failed', colour: 'var(--ks-warn)' },
  { key: 'failed', label: 'Failed', colour: 'var(--ks-bad)' },
] as const;

export const LINES = [
  { key: 'p50', label: 'p50', colour: 'var(--ks-text-faint)', dash: undefined, width: 1.3 },
  { key: 'p95', label: 'p95', colour: 'var(--ks-chart-line)', dash: undefined, width: 1.8 },
  { key: 'p99', label: 'p99', colour: 'var(--ks-chart-line)', dash: '2 3', width: 1.3 },
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
