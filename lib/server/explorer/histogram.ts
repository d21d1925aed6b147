import 'server-only';
import {
  addCounts,
  type BucketCounts,
  type HistogramHead,
  type HistogramLine,
  noCounts,
} from '@/lib/contract/codec/histogram';
import { type Outcome, ok } from '@/lib/domain/outcome';
import type { LogRow } from '@/lib/domain/request-record';
import { asKnown } from './counts-as-known';
import { type CountedPart, preparePart, SMALL } from './histogram-part';
import {
  type HistogramAsked,
  type HistogramEdges,
  type HistogramPlan,
  planHistogram,
  type SizedPart,
} from './histogram-plan';
import { type RowEdges, rowsByBucket, rowsOfPart } from './histogram-rows';

/** Buckets under way at once. */
const AT_ONCE = 8;

/**
 * The rows of a view by time and state: the head, then the buckets as they are known, the newest first. The view is
 * pinned to `asof`, or else to the second of `nowMs`. Rejects only when the signal is aborted.
 */
export async function* histogramLines(
  asked: HistogramAsked,
  edges: HistogramEdges,
): AsyncGenerator<HistogramLine, void, void> {
  const { signal } = asked;
  const plan = await planHistogram(asked, edges);
  if (!plan.ok) {
    yield { kind: 'problem', failure: plan.failure };
    return;
  }
  yield { kind: 'head', head: plan.value.head };
  const prepared = await prepare(plan.value, { ...edges, signal });
  if (!prepared.ok) {
    yield { kind: 'problem', failure: prepared.failure };
    return;
  }
  for await (const bucket of bucketsOf(plan.value.head, prepared.value)) {
    if (!bucket.ok) {
      yield { kind: 'problem', failure: bucket.failure };
      return;
    }
    yield { kind: 'bucket', ...bucket.value };
  }
  if (prepared.value.unplaced > 0) yield { kind: 'unplaced', rows: prepared.value.unplaced };
  yield { kind: 'complete' };
}

type Prepared = {
  /** By bucket, from the rows that were looked at. */
  known: BucketCounts[];
  counted: CountedPart[];
  unplaced: number;
};

/** Looks at the rows of a small view and of small parts, and makes the others ready to be counted. */
async function prepare(
  { sized, head }: HistogramPlan,
  edges: HistogramEdges & { signal: AbortSignal },
): Promise<Outcome<Prepared>> {
  const isLookedAt = ({ total }: SizedPart) => head.exact === 'rows' || total <= SMALL;
  const others = sized.filter((one) => !isLookedAt(one));
  const [rows, parts] = await Promise.all([
    rowsOf(sized.filter(isLookedAt), edges),
    Promise.all(others.map(({ part, total }) => preparePart(part, total, head, edges))),
  ]);
  if (!rows.ok) return rows;
  const { counts: known, unplaced } = rowsByBucket(rows.value, head);
  const counted: CountedPart[] = [];
  for (const part of parts) {
    if (!part.ok) return part;
    counted.push(part.value);
  }
  return ok({ known, counted, unplaced: counted.reduce((sum, part) => sum + part.unplaced, unplaced) });
}

/** The rows of these parts. One whose state changes meanwhile can come with two of them, and counts once. */
async function rowsOf(sized: readonly SizedPart[], edges: RowEdges): Promise<Outcome<LogRow[]>> {
  const pages = await Promise.all(sized.map(({ part, total }) => rowsOfPart(part, total, edges)));
  const rows: LogRow[] = [];
  const elsewhere = new Set<string>();
  for (const page of pages) {
    if (!page.ok) return page;
    const own = page.value.filter(({ kind, key }) => kind === 'unreadable' || !elsewhere.has(key));
    for (const { key } of own) elsewhere.add(key);
    rows.push(...own);
  }
  edges.signal.throwIfAborted();
  return ok(rows);
}

type Bucket = { index: number; counts: BucketCounts };

/** The newest bucket first: that is what one looks at. */
async function* bucketsOf(
  head: HistogramHead,
  { known, counted }: Prepared,
): AsyncGenerator<Outcome<Bucket>, void, void> {
  const newestFirst = Array.from({ length: head.buckets }, (_, at) => head.buckets - 1 - at);
  const work = newestFirst.map((index) => async (): Promise<Outcome<Bucket>> => {
    const found = await Promise.all(counted.map((part) => part.countBucket(index)));
    let sum = known[index] ?? noCounts();
    for (const one of found) {
      if (!one.ok) return one;
      sum = addCounts(sum, one.value);
    }
    return ok({ index, counts: sum });
  });
  yield* asKnown(work, AT_ONCE);
}
