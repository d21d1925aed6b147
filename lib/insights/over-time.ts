import type { SpanTotals } from '@/lib/core/span-figures';
import type { Insights } from './insights-response';

/** Percentiles of fewer callbacks only repeat single durations. */
export const MIN_BUCKET_CALLED = 5;

/** Totals of a bar, without percentiles of too few callbacks. */
export function bucketTotals(totals: SpanTotals): SpanTotals {
  return totals.called < MIN_BUCKET_CALLED ? { ...totals, p50Us: null, p95Us: null, p99Us: null } : totals;
}

/** A bucket that the span cuts would be lower for that reason alone. */
export function ofWholeBuckets<T>(
  values: readonly T[],
  { startMs, endMs, buckets }: Pick<Insights, 'startMs' | 'endMs' | 'buckets'>,
): T[] {
  return values.filter((_, index) => {
    const fromMs = buckets.fromMs + index * buckets.bucketMs;
    return fromMs >= startMs && fromMs + buckets.bucketMs - 1 <= endMs;
  });
}

export const LINES = [
  { key: 'p50Us', label: 'p50', colour: 'var(--ks-text-faint)', dash: undefined, width: 1.3 },
  { key: 'p95Us', label: 'p95', colour: 'var(--ks-chart-line)', dash: undefined, width: 1.8 },
  { key: 'p99Us', label: 'p99', colour: 'var(--ks-chart-line)', dash: '2 3', width: 1.3 },
] as const;

const MILLION = 1_000_000;
const DURATIONS_US = [0.1, 1, 10, 60, 600, 3600, 21_600, 86_400, 864_000].map((seconds) => seconds * MILLION);

/** Logarithmic, covering all of these durations. Microseconds. */
export function durationTicks(lengths: readonly number[]): number[] {
  const min = Math.min(86_400 * MILLION, ...lengths);
  const max = Math.max(0, ...lengths);
  const first = DURATIONS_US.findLastIndex((edgeUs) => edgeUs <= min);
  const last = DURATIONS_US.findIndex((edgeUs) => edgeUs >= max);
  const from = Math.max(0, first);
  const to = last === -1 ? DURATIONS_US.length - 1 : last;
  return DURATIONS_US.slice(from, Math.max(to, from + 1) + 1);
}

/** The plot is low. */
const MAX_TICKS = 4;

/** Every second tick if there are too many, but always the first and the last. */
export function fewerTicks(ticks: readonly number[]): number[] {
  if (ticks.length <= MAX_TICKS) return [...ticks];
  const kept = ticks.filter((_, index) => index % 2 === 0);
  return ticks.length % 2 === 1 ? kept : [...kept.slice(0, -1), ticks.at(-1) ?? 0];
}

/** `0.1 s`, `30 s`, `10 min`, `6 h`, `10 d`. */
export function durationTickText(us: number): string {
  const seconds = us / MILLION;
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${seconds / 60} min`;
  return seconds < 86_400 ? `${seconds / 3600} h` : `${seconds / 86_400} d`;
}
