import type { Failure } from '@/lib/domain/outcome';
import { isStateWord, type StateWord } from '@/lib/domain/request-record';
import { failureMember, lineObject, problemMember } from './facets-line';

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

/** One line of the answer. The last one is `complete` or `problem`. */
export type HistogramLine =
  | { kind: 'head'; head: HistogramHead }
  | { kind: 'bucket'; index: number; counts: BucketCounts }
  /** Rows that belong to no bucket: they have no readable time, or one outside of what was asked for. */
  | { kind: 'unplaced'; rows: number }
  | { kind: 'complete' }
  | { kind: 'problem'; failure: Failure };

const HEAD_NUMBERS = ['fromMs', 'toMs', 'startMs', 'endMs', 'bucketMs', 'buckets'] as const;

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

/** The line as JSON text, without its line break. */
export function writeHistogramLine(line: HistogramLine): string {
  switch (line.kind) {
    case 'head':
      return JSON.stringify(line.head);
    case 'bucket':
      return JSON.stringify({ index: line.index, counts: line.counts });
    case 'unplaced':
      return JSON.stringify({ unplaced: line.rows });
    case 'complete':
      return JSON.stringify({ complete: true });
    case 'problem':
      return JSON.stringify({ problem: problemMember(line.failure) });
  }
}

/** Undefined for a line that is not one of ours. */
export function readHistogramLine(text: string): HistogramLine | undefined {
  const line = lineObject(text);
  if (line === undefined) return undefined;
  if (line.complete === true) return { kind: 'complete' };
  const failure = failureMember(line.problem);
  if (failure !== undefined) return { kind: 'problem', failure };
  if (isWhole(line.unplaced)) return { kind: 'unplaced', rows: line.unplaced };
  if (isWhole(line.index)) {
    const counts = countsOf(line.counts);
    return counts === undefined ? undefined : { kind: 'bucket', index: line.index, counts };
  }
  const head = headOf(line);
  return head === undefined ? undefined : { kind: 'head', head };
}

function countsOf(value: unknown): BucketCounts | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const given = value as Record<string, unknown>;
  const counts = noCounts();
  for (const state of HISTOGRAM_STATES) {
    const count = given[state];
    if (!isWhole(count)) return undefined;
    counts[state] = count;
  }
  return counts;
}

function headOf(line: Record<string, unknown>): HistogramHead | undefined {
  const { exact, total } = line;
  if (exact !== 'rows' && exact !== 'counts') return undefined;
  if (typeof total !== 'string' || !/^\d+$/.test(total)) return undefined;
  const numbers = HEAD_NUMBERS.map((name) => [name, line[name]] as const);
  if (!numbers.every(([, value]) => typeof value === 'number' && Number.isFinite(value))) return undefined;
  const head = { ...Object.fromEntries(numbers), exact, total } as HistogramHead;
  return head.bucketMs > 0 && isWhole(head.buckets) ? head : undefined;
}

function isWhole(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
