import 'server-only';
import { failed, type Outcome, ok } from '@/lib/domain/outcome';
import { formatIsoMillis, unixMillis } from '@/lib/domain/units';
import { type Cut, findCut, lastRows, type PlacedCut } from './paging-places';
import type { PartReader, Window } from './paging-reader';
import { firstRows, type Slice, sliceBackward, sliceForward, totalOf } from './paging-runs';
import { type Counted, findMoment, type MomentSearch } from './paging-search';
import { momentOfMillis } from './time-order';

/** The lists of all parts, seen from afar: the first row and the total of each, and within which times they lie. */
export type Heads = {
  first: Window[];
  /** Unix milliseconds: no row is younger, none older. */
  newestMs: number;
  oldestMs: number;
};

/** Up to so far from the end of the list its last rows are asked for, which takes no search. */
export const TAIL_ROWS = 900;
/** A search ends at most so many rows before the rank it looks for. */
const SLACK_ROWS = 250;
/** Rows of one moment that are paged through to reach a rank within it. */
const MOST_SKIPPED = 20_000;
const MOST_TRIES = 4;

/** The slice at a rank of the merged list that lies too deep to merge everything before it. Needs the totals. */
export async function deepSlice(
  reader: PartReader,
  heads: Heads,
  rank: number,
  take: number,
): Promise<Outcome<Slice>> {
  const total = Number(totalOf(heads.first) ?? 0n);
  if (rank >= total) return ok(nothingAfter(heads));
  if (total - rank <= TAIL_ROWS) {
    const kept = Math.min(take, total - rank);
    return tailSlice(reader, heads, total - rank - kept, kept);
  }
  return searchedSlice(reader, heads, rank, take);
}

function nothingAfter({ first }: Heads): Slice {
  const ends = first.map(({ total }) => Number(total ?? 0n));
  return { rows: [], before: ends, after: ends, total: totalOf(first), ended: true };
}

/** `take` rows, of which the last one stands `drop` rows before the end of the merged list. Needs the totals. */
export async function tailSlice(
  reader: PartReader,
  heads: Heads,
  drop: number,
  take: number,
): Promise<Outcome<Slice>> {
  const runs = await reader.rowsOfAll((part) => {
    return lastRows(reader, part, Number(heads.first[part]?.total ?? 0n), drop + take);
  });
  return runs.ok ? ok(sliceBackward(reader, runs.value, take, drop)) : runs;
}

async function searchedSlice(
  reader: PartReader,
  heads: Heads,
  rank: number,
  take: number,
): Promise<Outcome<Slice>> {
  let target = rank;
  for (let tries = 0; tries < MOST_TRIES && target > 0; tries += 1) {
    const cuts = await cutsNear(reader, heads, target, rank + take);
    if (!cuts.ok) return cuts;
    const skip = rank - cuts.value.reduce((sum, { place }) => sum + place, 0);
    if (skip > MOST_SKIPPED) return failed({ kind: 'too-many', detail: TOO_DENSE });
    if (skip >= 0) {
      const runs = cuts.value.map(({ forth }) => forth);
      return sliceForward(reader, runs, skip, take);
    }
    // Rows that can't be read stand elsewhere than the service counts them, so there were more before the cut.
    target += skip - SLACK_ROWS;
  }
  if (rank > MOST_SKIPPED) return failed({ kind: 'too-many', detail: TOO_DENSE });
  const runs = await reader.rowsOfAll((part) => reader.rows(part, 0, rank + take));
  return runs.ok ? sliceForward(reader, runs.value, rank, take) : runs;
}

const TOO_DENSE =
  'Too many rows were made at the same moment there. Ask for fewer networks or states, or another time.';

/** Cuts through all lists at one moment, so that at most `target` rows stand before them, if all of them can be read. */
async function cutsNear(
  reader: PartReader,
  heads: Heads,
  target: number,
  end: number,
): Promise<Outcome<PlacedCut[]>> {
  const counts = new CountsByMoment(reader, heads);
  const bracket = await firstBracket(reader, heads, target);
  if (!bracket.ok) return bracket;
  const count = (ms: number) => counts.at(ms);
  const found = await findMoment({ target, slack: SLACK_ROWS, count, ...bracket.value });
  if (!found.ok) return found;
  const { ms } = found.value;
  const places = counts.placesAt(ms);
  const moment = momentOfMillis(unixMillis(ms));
  const cut: Cut = { moment, isBefore: (row) => row.moment >= moment, ties: 'sorted' };
  const after = firstRows(reader, Math.max(0, end - found.value.count));
  return reader.rowsOfAll((part) =>
    findCut(reader, { part, cut, guess: places[part] ?? 0, before: 0, after }),
  );
}

/** How many rows of each part were made at a moment or later. */
class CountsByMoment {
  readonly #reader: PartReader;
  readonly #heads: Heads;
  readonly #known = new Map<number, number[]>();

  constructor(reader: PartReader, heads: Heads) {
    this.#reader = reader;
    this.#heads = heads;
  }

  placesAt(ms: number): number[] {
    return this.#known.get(ms) ?? [];
  }

  async at(ms: number): Promise<Outcome<number>> {
    const counts = await this.#count(ms);
    if (!counts.ok) return counts;
    this.#known.set(ms, counts.value);
    return ok(counts.value.reduce((sum, count) => sum + count, 0));
  }

  /** Beyond the ends of the lists there is nothing to ask, and perhaps no text for the moment. */
  #count(ms: number): Promise<Outcome<number[]>> {
    const { first, newestMs, oldestMs } = this.#heads;
    if (ms > newestMs) return Promise.resolve(ok(first.map(() => 0)));
    if (ms <= oldestMs) return Promise.resolve(ok(first.map(({ total }) => Number(total ?? 0n))));
    const min = formatIsoMillis(unixMillis(ms));
    return this.#reader.ofAll((part) => this.#reader.countFrom(part, min));
  }
}

/** A row of a part, and how many stand before it there and below. */
type Knot = { ms: number; offset: number; weight: number };

/**
 * Where to search, told by one row of each part: the one with its share of `target` rows before it. Between the oldest
 * and the newest of these the merged list has exactly `target`.
 */
async function firstBracket(
  reader: PartReader,
  heads: Heads,
  target: number,
): Promise<Outcome<Pick<MomentSearch, 'newest' | 'oldest' | 'guess'>>> {
  const { first, newestMs, oldestMs } = heads;
  const total = Number(totalOf(first) ?? 0n);
  const knots = await reader.ofAll<Knot | undefined>(async (part) => {
    const weight = Number(first[part]?.total ?? 0n);
    if (weight === 0) return ok(undefined);
    const offset = Math.min(weight - 1, Math.floor((target * weight) / total));
    const window = await reader.rows(part, offset, 1);
    if (!window.ok) return window;
    const row = window.value.rows[0]?.row;
    return ok(row?.kind === 'record' ? { ms: row.createdAt.ms, offset, weight } : undefined);
  });
  if (!knots.ok) return knots;
  const known = knots.value.filter((knot) => knot !== undefined).sort((a, b) => b.ms - a.ms);
  const [youngest, eldest] = [known[0], known.at(-1)];
  const all = { newest: { ms: newestMs + 1, count: 0 }, oldest: { ms: oldestMs, count: total } };
  if (youngest === undefined || eldest === undefined) return ok(all);
  const newest: Counted = { ms: youngest.ms + 1, count: evenCount(known, newestMs, youngest.ms + 1) };
  const oldest: Counted = { ms: eldest.ms, count: evenCount(known, newestMs, eldest.ms) };
  return ok({
    newest: { ...newest, count: Math.min(target, newest.count) },
    oldest: { ...oldest, count: Math.max(target + 1, oldest.count) },
    guess: middleOf(known),
  });
}

/** What a count at `ms` would be if the rows of each part came evenly up to its knot and on. */
function evenCount(knots: readonly Knot[], newestMs: number, ms: number): number {
  const perPart = knots.map((knot) => {
    const perMs = knot.offset / Math.max(1, newestMs - knot.ms);
    return Math.min(knot.weight, Math.max(0, (newestMs - ms) * perMs));
  });
  return Math.round(perPart.reduce((sum, count) => sum + count, 0));
}

/** The knot in the middle, by the sizes of the parts; newest first. */
function middleOf(knots: readonly Knot[]): number | undefined {
  const half = knots.reduce((sum, { weight }) => sum + weight, 0) / 2;
  let sum = 0;
  return knots.find(({ weight }) => {
    sum += weight;
    return sum >= half;
  })?.ms;
}
