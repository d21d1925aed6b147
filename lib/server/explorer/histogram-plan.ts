import 'server-only';
import type { HistogramHead } from '@/lib/contract/codec/histogram';
import { type Outcome, ok } from '@/lib/domain/outcome';
import { formatIsoMillis, parseIsoTime, unixMillis } from '@/lib/domain/units';
import type { RequestsView } from '@/lib/requests/view';
import type { Timers } from '@/lib/upstream/timers';
import type { Counts } from './counts';
import { countOfPart } from './counts-by-state';
import { bucketsFor } from './histogram-buckets';
import { oldestRowMs, type RowEdges } from './histogram-rows';
import { isUnserved } from './log-source';
import type { Part } from './parts';

export type HistogramAsked = {
  view: RequestsView;
  /** At most so many. */
  buckets: number;
  /** Unix milliseconds. */
  nowMs: number;
  signal: AbortSignal;
};

export type HistogramEdges = {
  counts: Counts;
  timers: Timers;
  /** The queries that make up a view. */
  parts: (view: RequestsView, nowMs: number) => Outcome<Part[]>;
};

/** A part and how many rows it has; none has 0. */
export type SizedPart = { part: Part; total: number };

export type HistogramPlan = { sized: SizedPart[]; head: HistogramHead };

/** Up to so many rows of the view are looked at themselves. */
const ROWS_LOOKED_AT = 5000;
/** Counts that one histogram may take. A view of very many parts gets fewer buckets instead. */
const MOST_COUNTS = 1200;
const FEWEST_BUCKETS = 10;
/** Counts of a bucket without a state filter: one where most states are rare, up to five where none is. */
const USUAL_COUNTS = 2;

/** What there is to be counted, and in which buckets. Rejects only when the signal is aborted. */
export async function planHistogram(
  asked: HistogramAsked,
  edges: HistogramEdges,
): Promise<Outcome<HistogramPlan>> {
  const { view, nowMs, signal } = asked;
  const parts = edges.parts(pinned(view, nowMs), nowMs);
  if (!parts.ok) return parts;
  const sized = await sizesOf(parts.value, edges.counts, signal);
  if (!sized.ok) return sized;
  const span = await spanOf(parts.value, sized.value, nowMs, { ...edges, signal });
  if (!span.ok) return span;
  const { startMs, endMs } = span.value;
  const total = sized.value.reduce((sum, one) => sum + one.total, 0);
  const exact = total <= ROWS_LOOKED_AT ? 'rows' : 'counts';
  const most = exact === 'rows' ? asked.buckets : affordable(sized.value, asked.buckets);
  return ok({
    sized: sized.value,
    head: { ...bucketsFor(startMs, endMs, most), exact, total: String(total) },
  });
}

/** Without a pin, rows would come in while their buckets are counted. */
function pinned(view: RequestsView, nowMs: number): RequestsView {
  const second = Math.floor(nowMs / 1000) * 1000;
  return view.asof === undefined ? { ...view, asof: formatIsoMillis(unixMillis(second)) } : view;
}

/** The parts that hold rows. A network that a keeper doesn't serve holds none. */
async function sizesOf(
  parts: readonly Part[],
  counts: Counts,
  signal: AbortSignal,
): Promise<Outcome<SizedPart[]>> {
  const sized: SizedPart[] = [];
  const found = await Promise.all(parts.map((part) => countOfPart(counts, part, { signal })));
  for (const [at, count] of found.entries()) {
    const part = parts[at];
    if (part === undefined) continue;
    if (!count.ok && !isUnserved(count.failure, part.filter)) return count;
    if (count.ok && count.value > 0) sized.push({ part, total: count.value });
  }
  return ok(sized);
}

/**
 * From when to when, inclusive. Where the view names no beginning it is the oldest row; without any row there is nothing
 * between the ends.
 */
async function spanOf(
  parts: readonly Part[],
  sized: readonly SizedPart[],
  nowMs: number,
  edges: RowEdges,
): Promise<Outcome<{ startMs: number; endMs: number }>> {
  // All parts of a view have the same bounds.
  const { min, max } = parts[0]?.filter ?? {};
  const endMs = (max === undefined ? undefined : parseIsoTime(max)) ?? nowMs;
  const startMs = min === undefined ? undefined : parseIsoTime(min);
  if (startMs !== undefined) return ok({ startMs, endMs });
  const oldest = await Promise.all(sized.map(({ part, total }) => oldestRowMs(part, total, edges)));
  let first = endMs + 1;
  for (const time of oldest) {
    if (!time.ok) return time;
    first = Math.min(first, time.value);
  }
  return ok({ startMs: first, endMs });
}

function affordable(sized: readonly SizedPart[], asked: number): number {
  const countsPerBucket = sized.reduce(
    (sum, { part }) => sum + (part.filter.state === undefined ? USUAL_COUNTS : 1),
    0,
  );
  return Math.min(asked, Math.max(FEWEST_BUCKETS, Math.floor(MOST_COUNTS / countsPerBucket)));
}
