import { isStateWord, type StateWord } from '@/lib/core/request-record';

/** From the bottom of a bar to its top: what went well carries what did not. */
export const HISTOGRAM_STATES = ['completed', 'callback-failed', 'failed', 'pending', 'unknown'] as const;

/** Our words, and `unknown` for every state that has no word of ours. */
export type HistogramState = StateWord | 'unknown';

/** Rows by state. */
export type BucketCounts = Record<HistogramState, number>;

/**
 * What the buckets are. All times are unix milliseconds; bucket `i` begins at `fromMs + i * bucketMs`, on a round moment
 * in UTC, and ends before the next one begins. The view itself goes from `startMs` to `endMs`, both inclusive, which cuts
 * the first and the last bucket short.
 */
export type HistogramHead = {
  fromMs: number;
  /** The end of the last bucket, exclusive. */
  toMs: number;
  startMs: number;
  endMs: number;
  bucketMs: number;
  /** How many buckets; 0 when the view holds no rows and names no beginning. */
  buckets: number;
  /** Whether the rows themselves were looked at, or only counts of them. The figures are exact either way. */
  exact: 'rows' | 'counts';
  /** All rows of the view, decimal digits. */
  total: string;
};

export function noCounts(): BucketCounts {
  return { completed: 0, 'callback-failed': 0, failed: 0, pending: 0, unknown: 0 };
}

export function sumOf(counts: BucketCounts): number {
  return HISTOGRAM_STATES.reduce((sum, state) => sum + counts[state], 0);
}

/** The counts of both together. */
export function addCounts(a: BucketCounts, b: BucketCounts): BucketCounts {
  const sum = noCounts();
  for (const state of HISTOGRAM_STATES) sum[state] = a[state] + b[state];
  return sum;
}

/** Which member of the counts a state (our word or a wire name) belongs to. */
export function histogramState(state: string): HistogramState {
  return isStateWord(state) ? state : 'unknown';
}
