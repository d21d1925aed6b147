import 'server-only';
import {
  addCounts,
  type BucketCounts,
  type HistogramHead,
  type HistogramState,
  histogramState,
  noCounts,
} from '@/lib/contract/codec/histogram';
import { type Outcome, ok } from '@/lib/domain/outcome';
import { isStateWord, type StateWord, WIRE_STATE } from '@/lib/domain/request-record';
import type { Counts } from './counts';
import { countByState, countOfPart } from './counts-by-state';
import { bucketFilter } from './histogram-buckets';
import { type RowEdges, rowsByBucket, rowsOfPart } from './histogram-rows';
import type { Part } from './parts';

/** Up to so many rows are looked at: one page of them costs less than a count for every bucket. */
export const SMALL = 1000;

/** A part whose buckets are to be counted. */
export type CountedPart = {
  /** The rows of one bucket by state. Rejects only when the signal is aborted. */
  countBucket: (index: number) => Promise<Outcome<BucketCounts>>;
  /** Rows without a place in any bucket, as far as rows were looked at. */
  unplaced: number;
};

type Edges = RowEdges & { counts: Counts };

/**
 * Prepares a part of `total` rows. A state filter leaves one count per bucket. Without one, states that are rare in the
 * whole part are placed by their rows, so that only the frequent ones are counted bucket by bucket; that holds where no
 * state can change any more. A bucket with a pending row, and any part with states unknown to us, is counted in full.
 */
export async function preparePart(
  part: Part,
  total: number,
  head: HistogramHead,
  edges: Edges,
): Promise<Outcome<CountedPart>> {
  const { counts, signal } = edges;
  const inBucket = (index: number): Part => ({ ...part, filter: bucketFilter(part.filter, head, index) });
  const { state } = part.filter;
  if (state !== undefined) {
    const only = stateOfFilter(state);
    return ok({ unplaced: 0, countBucket: (index) => countOnly(counts, inBucket(index), only, signal) });
  }
  const inFull = (index: number) => countInFull(counts, inBucket(index), signal);
  const all = await countByState(counts, part, total, signal);
  if (!all.ok) return all;
  const rare = await rareRows(part, all.value, head, edges);
  if (rare === undefined) return ok({ unplaced: 0, countBucket: inFull });
  if (!rare.ok) return rare;
  const frequent = WORDS.filter((word) => all.value[word] > SMALL);
  const countBucket = async (index: number) => {
    const known = rare.value.counts[index] ?? noCounts();
    if (known.pending > 0) return inFull(index);
    return countFrequent(counts, inBucket(index), frequent, known, signal);
  };
  return ok({ unplaced: rare.value.unplaced, countBucket });
}

const WORDS = Object.keys(WIRE_STATE).filter(isStateWord);

function stateOfFilter(wireState: string): HistogramState {
  return histogramState(WORDS.find((word) => WIRE_STATE[word] === wireState) ?? wireState);
}

async function countOnly(
  counts: Counts,
  part: Part,
  state: HistogramState,
  signal: AbortSignal,
): Promise<Outcome<BucketCounts>> {
  const count = await countOfPart(counts, part, { signal });
  return count.ok ? ok({ ...noCounts(), [state]: count.value }) : count;
}

/** First all rows, and their states only where there are any. */
async function countInFull(counts: Counts, part: Part, signal: AbortSignal): Promise<Outcome<BucketCounts>> {
  const total = await countOfPart(counts, part, { signal });
  return total.ok ? countByState(counts, part, total.value, signal) : total;
}

/** Asked anew: a count that is kept may be older than the rows that were looked at. */
async function countFrequent(
  counts: Counts,
  part: Part,
  words: readonly StateWord[],
  known: BucketCounts,
  signal: AbortSignal,
): Promise<Outcome<BucketCounts>> {
  let sum = known;
  for (const word of words) {
    const filter = { ...part.filter, state: WIRE_STATE[word] };
    const count = await countOfPart(counts, { ...part, filter }, { signal, age: 'fresh' });
    if (!count.ok) return count;
    sum = addCounts(sum, { ...noCounts(), [word]: count.value });
  }
  return ok(sum);
}

/**
 * The rows of the rare states by bucket. The pending ones come first: who is not among them has its last state already
 * when the others are asked for. Undefined where rows could be missed: some have an unknown state, or too many are pending.
 */
async function rareRows(
  part: Part,
  all: BucketCounts,
  head: HistogramHead,
  edges: Edges,
): Promise<Outcome<ReturnType<typeof rowsByBucket>> | undefined> {
  if (all.unknown > 0 || all.pending > SMALL) return undefined;
  const rowsIn = (word: StateWord) =>
    rowsOfPart({ ...part, filter: { ...part.filter, state: WIRE_STATE[word] } }, SMALL, edges);
  const pending = await rowsIn('pending');
  if (!pending.ok) return pending;
  const rare = WORDS.filter((word) => word !== 'pending' && all[word] > 0 && all[word] <= SMALL);
  const others = await Promise.all(rare.map(rowsIn));
  const rows = [...pending.value];
  for (const found of others) {
    if (!found.ok) return found;
    rows.push(...found.value);
  }
  edges.signal.throwIfAborted();
  return ok(rowsByBucket(rows, head));
}
