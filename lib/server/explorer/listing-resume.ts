import 'server-only';
import { type Outcome, ok } from '@/lib/domain/outcome';
import { type OpenList, sliceFrom } from './listing-pages';
import { markOf, type Place } from './paging-cursor';
import { type Cut, findCut, type PlacedCut, rowsBefore } from './paging-places';
import type { Window } from './paging-reader';
import { firstRows, type Slice, sliceBackward, sliceForward, totalOf } from './paging-runs';
import type { PlacedRow } from './time-order';

/** A page after a place, and how many rows entered or left the list before it since the place was noted. */
export type Resumed = { slice: Slice; changed: number };

/**
 * The `take` rows after a place. A list that has not moved goes on where it was; in one that may have, the place is found
 * again by its moment and by the rows that were shown, so that none comes twice and none is passed over.
 */
export async function resumeAt(list: OpenList, place: Place, take: number): Promise<Outcome<Resumed>> {
  const { reader } = list;
  if (reader.motion === 'still') {
    for (const same of samePlaces(place)) {
      const slice = await sliceAtPositions(list, same, take);
      if (!slice.ok) return slice;
      if (slice.value.total === same.total) return ok({ slice: slice.value, changed: 0 });
    }
  }
  const cuts = await reader.rowsOfAll((part) => {
    const guess = place.positions[part] ?? 0;
    const cut = cutAt(place, guess);
    const forward = place.order === 'newest-first';
    const wish = forward ? { before: 0, after: firstRows(reader, take) } : { before: take, after: 0 };
    return findCut(reader, { part, cut, guess, ...wish });
  });
  if (!cuts.ok) return cuts;
  const slice = await sliceAtCuts(list, place, cuts.value, take);
  return slice.ok ? ok({ slice: slice.value, changed: changesBefore(place, cuts.value) }) : slice;
}

/** Where a list goes on that has not moved: with the rows that are dated after its moment, or without them. */
function samePlaces(place: Place): Place[] {
  const { ahead, positions, total } = place;
  if (ahead === undefined) return [place];
  const without = positions.map((position, part) => Math.max(0, position - (ahead[part] ?? 0)));
  const gone = BigInt(ahead.reduce((sum, count) => sum + count, 0));
  return [{ ...place, positions: without, total: total === undefined ? undefined : total - gone }, place];
}

async function sliceAtPositions(
  { reader }: OpenList,
  { order, positions }: Place,
  take: number,
): Promise<Outcome<Slice>> {
  if (order === 'newest-first') return sliceFrom(reader, positions, 0, take);
  const runs = await reader.rowsOfAll((part) => rowsBefore(reader, part, positions[part] ?? 0, take));
  return runs.ok ? ok(sliceBackward(reader, runs.value, take)) : runs;
}

async function sliceAtCuts(
  { reader }: OpenList,
  place: Place,
  cuts: readonly PlacedCut[],
  take: number,
): Promise<Outcome<Slice>> {
  const forward = place.order === 'newest-first';
  const runs = cuts.map(({ back, forth }) => withoutShown(forward ? forth : back, place));
  return forward ? sliceForward(reader, runs, 0, take) : ok(sliceBackward(reader, runs, take));
}

function withoutShown(run: Window, { moment, shown }: Place): Window {
  if (shown === undefined || shown.size === 0) return run;
  return { ...run, rows: run.rows.filter((row) => row.moment !== moment || !shown.has(markOf(row))) };
}

/** Newest first what was shown stands before the cut, oldest first behind it. */
function cutAt({ order, moment, shown }: Place, position: number): Cut {
  const forward = order === 'newest-first';
  const isBefore = (row: PlacedRow): boolean => {
    if (row.moment !== moment) return row.moment > moment;
    if (shown === undefined) return row.index < position;
    return shown.has(markOf(row)) === forward;
  };
  if (shown === undefined) return { moment, isBefore, ties: 'sorted' };
  return { moment, isBefore, ties: forward ? 'first-behind' : 'last-before' };
}

/** Rows that entered or left where pages were shown already. One that went from one part to another counts once. */
function changesBefore({ order, positions, total, ahead }: Place, cuts: readonly PlacedCut[]): number {
  if (order === 'oldest-first') {
    const now = totalOf(cuts.map(({ forth }) => forth));
    const moved = cuts.reduce((sum, { place }, part) => sum + place - (positions[part] ?? 0), 0);
    return now === undefined || total === undefined ? 0 : Math.abs(Number(now - total) - moved);
  }
  let [entered, left] = [0, 0];
  for (const [part, { place }] of cuts.entries()) {
    const difference = place - (positions[part] ?? 0);
    const moved = difference < 0 ? Math.min(0, difference + (ahead?.[part] ?? 0)) : difference;
    if (moved > 0) entered += moved;
    else left -= moved;
  }
  return Math.max(entered, left);
}
