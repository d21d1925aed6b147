import 'server-only';
import { failed, type Outcome, ok } from '@/lib/domain/outcome';
import { parseIsoTime } from '@/lib/domain/units';
import { NO_TOTAL } from './log-source';
import { deepSlice, type Heads, TAIL_ROWS, tailSlice } from './paging-deep';
import type { PagingMemory } from './paging-memory';
import type { PartReader, Window } from './paging-reader';
import { runsFrom, type Slice, sliceForward, totalOf } from './paging-runs';
import type { Part } from './parts';

/** One list, and what is known about it. */
export type OpenList = {
  parts: readonly Part[];
  reader: PartReader;
  /** Names the list among all others, whatever moment it is pinned to. */
  name: string;
  memory: PagingMemory;
  /** Unix milliseconds, ours. */
  nowMs: number;
};

/** Up to this depth everything before a page is merged with it; deeper ones are searched for. */
export const SHALLOW_ROWS = 1000;
/** Where a service gives no totals there is no search, and this is as deep as merging goes. */
const MOST_MERGED = 10_000;
const FIRST_MS = 0;

/** The rows `rank` to `rank + take`, newest first. `seen`: the heads of the lists, where they are known. */
export async function sliceAt(
  list: OpenList,
  rank: number,
  take: number,
  seen?: Heads,
): Promise<Outcome<Slice>> {
  const { reader } = list;
  if (reader.size === 1 || rank + take <= SHALLOW_ROWS) return mergedSlice(list, rank, take);
  const known = await knownSlice(list, rank, take);
  if (known !== undefined) return known;
  const heads = seen === undefined ? await headsOf(list) : ok(seen);
  if (!heads.ok) return heads;
  const found = await searchedOrMerged(list, heads.value, rank, take);
  if (found.ok) noteEnds(list, found.value, rank);
  return found;
}

/**
 * The rows `rank` to `rank + take` counted from the oldest one, still newest first. Where the lists move they are counted
 * anew, a few times.
 */
export async function sliceFromEnd(list: OpenList, rank: number, take: number): Promise<Outcome<Slice>> {
  const { reader } = list;
  for (let tries = 1; ; tries += 1) {
    const heads = await headsOf(list);
    if (!heads.ok) return heads;
    const total = totalOf(heads.value.first);
    if (total === undefined) return failed({ ...NO_TOTAL, detail: `${NO_TOTAL.detail} ${NO_END}` });
    if (rank + take <= TAIL_ROWS || (rank === 0 && reader.motion === 'moving')) {
      return tailSlice(reader, heads.value, rank, take);
    }
    const end = Math.max(0, Number(total) - rank);
    if (end === 0) return ok(nothingBefore(heads.value, total));
    const start = Math.max(0, end - take);
    const slice = await sliceAt(list, start, end - start, heads.value);
    if (!slice.ok || slice.value.total === total || tries === MOST_TRIES) return slice;
  }
}

function nothingBefore({ first }: Heads, total: bigint): Slice {
  const starts = first.map(() => 0);
  return { rows: [], before: starts, after: starts, total, ended: total === 0n };
}

const NO_END = 'So the oldest rows cannot be listed first.';
const MOST_TRIES = 3;

function searchedOrMerged(list: OpenList, heads: Heads, rank: number, take: number): Promise<Outcome<Slice>> {
  if (totalOf(heads.first) !== undefined) return deepSlice(list.reader, heads, rank, take);
  if (rank + take <= MOST_MERGED) return mergedSlice(list, rank, take);
  return Promise.resolve(failed({ ...NO_TOTAL, detail: `${NO_TOTAL.detail} ${NOT_SO_DEEP}` }));
}

const NOT_SO_DEEP = `So pages beyond the first ${MOST_MERGED} rows can be had from one query only: one keeper, one network, one state.`;

/** Everything from the beginning, merged. The service itself counts off the rows of a single part. */
async function mergedSlice({ reader }: OpenList, rank: number, take: number): Promise<Outcome<Slice>> {
  const isSingle = reader.size === 1;
  const skip = isSingle ? 0 : rank;
  const starts = isSingle ? [rank] : [];
  const runs = await runsFrom(reader, starts, skip + take);
  return runs.ok ? sliceForward(reader, runs.value, skip, take) : runs;
}

/** From a place that was found a moment ago. A total that differs since says that the list has moved after all. */
async function knownSlice(list: OpenList, rank: number, take: number): Promise<Outcome<Slice> | undefined> {
  const { reader, memory, nowMs } = list;
  if (reader.motion === 'moving') return undefined;
  const name = pinnedName(list);
  const known = memory.find(name, rank, SHALLOW_ROWS, nowMs);
  if (known === undefined) return undefined;
  const slice = await sliceFrom(reader, known.positions, rank - known.rank, take);
  if (slice.ok && slice.value.total !== known.total) {
    memory.forget(name);
    return undefined;
  }
  if (slice.ok) noteEnds(list, slice.value, rank);
  return slice;
}

/** The rows `skip` to `skip + take` after the positions, which are taken as they are. */
export async function sliceFrom(
  reader: PartReader,
  positions: readonly number[],
  skip: number,
  take: number,
): Promise<Outcome<Slice>> {
  const runs = await runsFrom(reader, positions, skip + take);
  return runs.ok ? sliceForward(reader, runs.value, skip, take) : runs;
}

function pinnedName({ name, parts }: OpenList): string {
  const { min = '', max = '' } = parts[0]?.filter ?? {};
  return `${name} ${min} ${max}`;
}

function noteEnds(list: OpenList, slice: Slice, rank: number): void {
  const { reader, memory, nowMs } = list;
  const name = pinnedName(list);
  if (reader.motion === 'moving' || reader.size === 1) return;
  const { before, after, total, rows } = slice;
  memory.note(name, { rank, positions: before, total }, nowMs);
  memory.note(name, { rank: rank + rows.length, positions: after, total }, nowMs);
}

/** The first row and the total of every part. */
export async function headsOf({ reader, parts, nowMs }: OpenList): Promise<Outcome<Heads>> {
  const first = await reader.ofAll((part) => reader.rows(part, 0, 1));
  if (!first.ok) return first;
  const { min, max } = parts[0]?.filter ?? {};
  const boundMs = max === undefined ? undefined : parseIsoTime(max);
  return ok({
    first: first.value,
    newestMs: boundMs ?? Math.max(nowMs, newestOf(first.value)),
    oldestMs: (min === undefined ? undefined : parseIsoTime(min)) ?? FIRST_MS,
  });
}

function newestOf(first: readonly Window[]): number {
  const times = first
    .flatMap(({ rows }) => rows)
    .map(({ row }) => (row.kind === 'record' ? row.createdAt.ms : 0));
  return Math.max(0, ...times);
}
