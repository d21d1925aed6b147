import { isStateWord, type StateWord } from '@/lib/core/request-record';

/** From the bottom of a bar to its top: what went well carries what did not. */
export const HISTOGRAM_STATES = ['completed', 'callback-failed', 'failed', 'pending', 'unknown'] as const;

/** Our words, and `unknown` for every state that has no word of ours. */
export type HistogramState = StateWord | 'unknown';

export type BucketCounts = Record<HistogramState, number>;

export function noCounts(): BucketCounts {
  return { completed: 0, 'callback-failed': 0, failed: 0, pending: 0, unknown: 0 };
}

export function sumOf(counts: BucketCounts): number {
  return HISTOGRAM_STATES.reduce((sum, state) => sum + counts[state], 0);
}

export function addCounts(a: BucketCounts, b: BucketCounts): BucketCounts {
  const sum = noCounts();
  for (const state of HISTOGRAM_STATES) sum[state] = a[state] + b[state];
  return sum;
}

/** Which member of the counts a state (our word or a wire name) belongs to. */
export function histogramState(state: string): HistogramState {
  return isStateWord(state) ? state : 'unknown';
}
