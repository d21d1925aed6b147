import type { SpanTotals } from '@/lib/core/span-figures';
import type { PendingNow, SpanFigures } from './answer';

/** The six figures of the overview, each with its change against the span before. */

export const FIGURES = ['requests', 'success-rate', 'callback-failures', 'p50', 'p95', 'pending'] as const;
export type FigureId = (typeof FIGURES)[number];

export type Figure = {
  id: FigureId;
  /** Requests, a share of 1 (`success-rate`), or microseconds (`p50`, `p95`); null where there is none. */
  value: number | null;
  /** The same of the span before; for `pending`, when the span began. Null where it is not known. */
  before: number | null;
  /** 0.5 is half as much again; of a share its difference, 0.01 is one point. Null where unknown. */
  change: number | null;
  /** Whether the change is one to look at. `same` also where nothing can be compared. */
  verdict: 'better' | 'worse' | 'same';
  /** One for each bucket; null where a bucket has none. */
  overTime: (number | null)[];
};

/** The keeper did its part: completed and callback failed, of finished. Null where nothing has finished. */
export function successRate(
  counts: Pick<SpanTotals, 'completed' | 'callbackFailed' | 'failed'>,
): number | null {
  const served = counts.completed + counts.callbackFailed;
  const finished = served + counts.failed;
  return finished === 0 ? null : served / finished;
}

export function sixFigures(figures: SpanFigures): Figure[] {
  const { now, before, pending, pendingAtStart, overTime, pendingOverTime } = figures;
  return FIGURES.map((id): Figure => {
    if (id === 'pending') {
      const [value, verdict] = [pending.pending, pendingVerdict(pending)];
      const change = growth(value, pendingAtStart);
      return { id, value, before: pendingAtStart, change, verdict, overTime: pendingOverTime };
    }
    const [read, verdict] = OF_TOTALS[id];
    const [is, was] = [read(now), before === null ? null : read(before)];
    const change = id === 'success-rate' ? difference(is, was) : growth(is, was);
    const judged = before === null ? 'same' : verdict(now, before);
    return { id, value: is, before: was, change, verdict: judged, overTime: overTime.map(read) };
  });
}

type Verdict = (now: SpanTotals, before: SpanTotals) => Figure['verdict'];

function growth(is: number | null, was: number | null): number | null {
  return is === null || was === null || was === 0 ? null : (is - was) / was;
}

function difference(is: number | null, was: number | null): number | null {
  return is === null || was === null ? null : is - was;
}

/** Fewer failures than this are chance: one failure of 179 is nothing to look at. */
const FEWEST_FAILURES = 5;
/** A success rate that moves by less stays the same. */
const RATE_STEP = 0.01;
/** Failed callbacks, as a share of finished requests, and latencies are another when they grew by half. */
const GROWN = 1.5;
/** Percentiles of fewer rows jump by themselves. */
const ENOUGH_CALLED = 20;

const successVerdict: Verdict = (now, before) => {
  const moved = difference(successRate(now), successRate(before)) ?? 0;
  if (moved <= -RATE_STEP && now.failed >= FEWEST_FAILURES) return 'worse';
  return moved >= RATE_STEP && before.failed >= FEWEST_FAILURES ? 'better' : 'same';
};

const callbackVerdict: Verdict = (now, before) => {
  const share = ({ completed, callbackFailed, failed }: SpanTotals) =>
    callbackFailed / Math.max(1, completed + callbackFailed + failed);
  const [is, was] = [share(now), share(before)];
  if (now.callbackFailed >= FEWEST_FAILURES && is >= GROWN * was) return 'worse';
  return before.callbackFailed >= FEWEST_FAILURES && was >= GROWN * is ? 'better' : 'same';
};

const latencyVerdict =
  (of: 'p50Us' | 'p95Us'): Verdict =>
  (now, before) => {
    const [is, was] = [now[of], before[of]];
    if (is === null || was === null || Math.min(now.called, before.called) < ENOUGH_CALLED) return 'same';
    if (is >= GROWN * was) return 'worse';
    return was >= GROWN * is ? 'better' : 'same';
  };

/** What each figure reads of a span, and whether its change is one to look at. */
const OF_TOTALS: Record<Exclude<FigureId, 'pending'>, [(totals: SpanTotals) => number | null, Verdict]> = {
  requests: [({ requests }) => requests, () => 'same'],
  'success-rate': [successRate, successVerdict],
  'callback-failures': [({ callbackFailed }) => callbackFailed, callbackVerdict],
  p50: [({ p50Us }) => p50Us, latencyVerdict('p50Us')],
  p95: [({ p95Us }) => p95Us, latencyVerdict('p95Us')],
};

/** Pending requests come and go; those that are stuck do not. */
function pendingVerdict({ stuck }: PendingNow): Figure['verdict'] {
  return stuck > 0 ? 'worse' : 'same';
}

export function sumOfPending(parts: readonly PendingNow[]): PendingNow {
  const oldest = parts.flatMap(({ oldestUs }) => oldestUs ?? []);
  return {
    pending: parts.reduce((sum, part) => sum + part.pending, 0),
    stuck: parts.reduce((sum, part) => sum + part.stuck, 0),
    oldestUs: oldest.length === 0 ? null : Math.min(...oldest),
  };
}

/** How many were pending at the end of each bucket. @param flow rows by bucket */
export function pendingOverTime(
  flow: { atStart: number; came: readonly BucketRows[]; went: readonly BucketRows[] },
  buckets: number,
): number[] {
  const came = seriesOf(flow.came, buckets);
  const went = seriesOf(flow.went, buckets);
  let pending = flow.atStart;
  return came.map((rows, at) => {
    pending += rows - (went[at] ?? 0);
    return pending;
  });
}

export type BucketRows = { bucket: number; rows: number };

export function seriesOf(rows: readonly BucketRows[], buckets: number): number[] {
  const series = Array.from({ length: buckets }, () => 0);
  for (const { bucket, rows: count } of rows) series[bucket] = (series[bucket] ?? 0) + count;
  return series;
}

export function noTotals(): SpanTotals {
  const none = { p50Us: null, p95Us: null, p99Us: null };
  return { requests: 0, completed: 0, callbackFailed: 0, failed: 0, pending: 0, called: 0, ...none };
}
