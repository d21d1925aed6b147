import 'server-only';
import { type Outcome, ok } from '@/lib/domain/outcome';
import { type MergedRow, mergeNewestFirst } from './merge';
import type { PartReader, Window } from './paging-reader';

/** A stretch of the merged list, newest first, and where it lies in the list of every part. */
export type Slice = {
  rows: MergedRow[];
  /** Per part, how many of its rows stand before the slice, and how many before the row after it. */
  before: number[];
  after: number[];
  /** Of all parts together; undefined when one does not say. */
  total: bigint | undefined;
  /** Whether the list ends with it. */
  ended: boolean;
};

/** Rows beyond a part's share that are loaded at first, since shares differ. */
const SPARE_ROWS = 32;

/**
 * How many rows of each part to load at first when `need` are wanted of all together. Of moving lists each part gives
 * what could be needed at most, so that no part is asked twice.
 */
export function firstRows(reader: PartReader, need: number): number {
  if (reader.motion === 'moving' || reader.size === 1) return need;
  return Math.min(need, 2 * Math.ceil(need / reader.size) + SPARE_ROWS);
}

/** The first rows of every part from its own start on. */
export function runsFrom(
  reader: PartReader,
  starts: readonly number[],
  need: number,
): Promise<Outcome<Window[]>> {
  const count = firstRows(reader, need);
  return reader.rowsOfAll((part) => reader.rows(part, starts[part] ?? 0, count));
}

/**
 * The rows `skip` to `skip + take` of the merged runs. Parts whose loaded rows are used up are asked for more.
 * @param runs are extended in place
 */
export async function sliceForward(
  reader: PartReader,
  runs: Window[],
  skip: number,
  take: number,
): Promise<Outcome<Slice>> {
  for (;;) {
    const lists = withoutMoved(reader, runs);
    const merged = mergeNewestFirst(lists, skip + take);
    if (merged.starving === undefined) return ok(sliceOf(lists, merged.rows, skip, take));
    const extended = await extend(reader, runs, merged.starving, skip + take);
    if (!extended.ok) return extended;
  }
}

/** The last `take` rows of the merged runs, of which each must hold as many rows, or all before its end. */
export function sliceBackward(reader: PartReader, runs: readonly Window[], take: number, drop = 0): Slice {
  const lists = withoutMoved(reader, runs).map((run) => ({ ...run, ended: true }));
  const { rows } = mergeNewestFirst(lists, Number.POSITIVE_INFINITY);
  const end = Math.max(0, rows.length - drop);
  const start = Math.max(0, end - take);
  return sliceOf(lists, rows, start, end - start);
}

async function extend(
  reader: PartReader,
  runs: Window[],
  part: number,
  need: number,
): Promise<Outcome<undefined>> {
  const run = runs[part];
  if (run === undefined) throw new RangeError(`There is no run ${part}.`);
  const last = run.rows.at(-1);
  const start = last === undefined ? run.start : last.index + 1;
  const count = Math.min(need, Math.max(SPARE_ROWS, 2 * run.rows.length));
  const more = await reader.rows(part, start, count, last?.moment);
  if (!more.ok) return more;
  const { rows, total, ended } = more.value;
  runs[part] = { start: run.start, rows: [...run.rows, ...rows], total, ended };
  return ok(undefined);
}

/**
 * A request that was met in two states has changed between the two calls, and counts in its later state only. The
 * later one is the one asked for later, so the first of its rows goes.
 */
function withoutMoved(reader: PartReader, runs: readonly Window[]): Window[] {
  if (reader.motion === 'still') return [...runs];
  const keys = runs.map(({ rows }) => new Set(rows.map(({ row }) => row.key)));
  return runs.map((run, part) => {
    const later = keys.filter((_, other) => reader.leadsTo(part, other));
    const rows = run.rows.filter(({ row }) => !later.some((known) => known.has(row.key)));
    const gone = BigInt(run.rows.length - rows.length);
    return gone === 0n
      ? run
      : { ...run, rows, total: run.total === undefined ? undefined : run.total - gone };
  });
}

function sliceOf(runs: readonly Window[], merged: MergedRow[], skip: number, take: number): Slice {
  const rows = merged.slice(skip, skip + take);
  const before = positionsAfter(
    runs.map(({ start }) => start),
    merged.slice(0, skip),
  );
  const after = positionsAfter(before, rows);
  const loaded = runs.reduce((sum, run) => sum + run.rows.length, 0);
  return {
    rows,
    before,
    after,
    total: totalOf(runs),
    ended: runs.every(({ ended }) => ended) && loaded <= skip + take,
  };
}

/** Per part, how many rows stand before the row after these. */
export function positionsAfter(positions: readonly number[], rows: readonly MergedRow[]): number[] {
  const after = [...positions];
  for (const { part, index } of rows) after[part] = index + 1;
  return after;
}

/** The sum of the parts' totals. */
export function totalOf(windows: readonly Window[]): bigint | undefined {
  let sum = 0n;
  for (const { total } of windows) {
    if (total === undefined) return undefined;
    sum += total;
  }
  return sum;
}
