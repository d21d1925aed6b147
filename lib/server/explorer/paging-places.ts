import 'server-only';
import { type Outcome, ok } from '@/lib/domain/outcome';
import type { PartReader, Window } from './paging-reader';
import { FIRST, isoOfMoment, type Moment, type PlacedRow } from './time-order';

/** A cut through the list of a part. */
export type Cut = {
  isBefore: (row: PlacedRow) => boolean;
  /** The moment at which it lies; the guess for its place is made by counting from here. */
  moment: Moment;
  /**
   * `sorted`: all rows before it stand before all others. Otherwise rows of the very moment may be mixed, and it lies
   * ahead of the first one behind it, or right after the last one before it.
   */
  ties: 'sorted' | 'first-behind' | 'last-before';
};

/** The rows about a cut: those from `place` on, and `back` those before it. `place`: how many rows stand before it. */
export type PlacedCut = { place: number; back: Window; forth: Window };

export type CutWish = {
  part: number;
  cut: Cut;
  /** Where the cut should lie. */
  guess: number;
  /** Rows that are wanted before and after it. */
  before: number;
  after: number;
};

/** Rows read beyond what is wanted, so that the place of the cut can be seen, where a list may have moved. */
const MARGIN = { still: 1, moving: 16 };
const MARGIN_GROWTH = 8;
/** After so many looks the rows are not in order of time, and the last look counts. */
const MOST_LOOKS = 6;

/**
 * Finds a cut by its rows. A count only tells where to look: the place is certain once a row before it and a row behind
 * it, or an end of the list, have been seen.
 */
export async function findCut(reader: PartReader, wish: CutWish): Promise<Outcome<PlacedCut>> {
  let { guess } = wish;
  let margin = MARGIN[reader.motion];
  for (let looks = 1; ; looks += 1) {
    const start = Math.max(0, guess - wish.before - margin);
    const window = await reader.rows(wish.part, start, guess + wish.after + margin - start);
    if (!window.ok) return window;
    const sight = sightOf(window.value, wish);
    if (sight.kind === 'seen' || looks === MOST_LOOKS) return ok(parted(window.value, sight.place));
    if (sight.kind === 'near') guess = sight.place;
    else {
      const counted = await guessPlace(reader, wish, guess);
      if (!counted.ok) return counted;
      guess = counted.value;
    }
    margin *= MARGIN_GROWTH;
  }
}

/** `near`: the place is certain, but not all rows that are wanted are there. `away`: it lies outside. */
type Sight = { kind: 'seen' | 'near' | 'away'; place: number };

function sightOf({ start, rows, ended }: Window, { cut, before, after }: CutWish): Sight {
  const known = start === 0 ? 0 : firstKnown(rows);
  const at = edgeOf(rows, known, cut);
  const place = start + at;
  const [first, last] = [rows[known], rows.at(-1)];
  const isMixed = cut.ties !== 'sorted';
  const beginsBefore = isMixed ? first !== undefined && first.moment > cut.moment : at > known;
  const endsBehind = isMixed ? last !== undefined && last.moment < cut.moment : at < rows.length;
  if (!(start === 0 || beginsBefore) || !(ended || endsBehind)) return { kind: 'away', place };
  const enoughBefore = start === 0 || at - known >= before;
  const enoughAfter = ended || rows.length - at >= after;
  return { kind: enoughBefore && enoughAfter ? 'seen' : 'near', place };
}

function edgeOf(rows: readonly PlacedRow[], known: number, { ties, isBefore }: Cut): number {
  if (ties === 'last-before') return Math.max(known, rows.findLastIndex(isBefore) + 1);
  const behind = rows.findIndex((row, at) => at >= known && !isBefore(row));
  return behind < 0 ? rows.length : behind;
}

/** Rows that can't be read, at the beginning of a window: the row that they follow has not been seen. */
function firstKnown(rows: readonly PlacedRow[]): number {
  const known = rows.findIndex(({ moment }) => moment !== FIRST);
  return known < 0 ? rows.length : known;
}

function parted(window: Window, place: number): PlacedCut {
  const at = place - window.start;
  const known = window.start === 0 ? 0 : Math.min(at, firstKnown(window.rows));
  return {
    place,
    back: { ...window, start: window.start + known, rows: window.rows.slice(known, at), ended: true },
    forth: { ...window, start: place, rows: window.rows.slice(at) },
  };
}

/** A service without totals can't be asked: then the margin grows around the old guess. */
async function guessPlace(reader: PartReader, { part, cut }: CutWish, old: number): Promise<Outcome<number>> {
  if (cut.moment === FIRST) return ok(0);
  const counted = await reader.countFrom(part, isoOfMoment(cut.moment));
  return counted.ok || counted.failure.kind !== 'malformed' ? counted : ok(old);
}

/** The `count` rows of a part before the index `end`, with what they follow known; fewer at the list's beginning. */
export async function rowsBefore(
  reader: PartReader,
  part: number,
  end: number,
  count: number,
): Promise<Outcome<Window>> {
  for (let margin = 1; ; margin *= MARGIN_GROWTH) {
    const start = Math.max(0, end - count - margin);
    const window = await reader.rows(part, start, end - start);
    if (!window.ok) return window;
    const known = start === 0 ? 0 : firstKnown(window.value.rows);
    if (start > 0 && window.value.rows.length > 0 && window.value.rows.length - known < count) continue;
    return ok({ ...window.value, start: start + known, rows: window.value.rows.slice(known) });
  }
}

/** The last `count` rows of a part whose list had `total` rows a moment ago; all of them where it has fewer. */
export async function lastRows(
  reader: PartReader,
  part: number,
  total: number,
  count: number,
): Promise<Outcome<Window>> {
  let end = total;
  // In a list that stands still nothing follows the last row, and it need not be looked for.
  let margin = reader.motion === 'still' ? 0 : MARGIN.moving;
  for (let looks = 1; ; looks += 1) {
    const window = await rowsBefore(reader, part, end + margin, count + margin);
    if (!window.ok) return window;
    const { start, rows, ended, total: now } = window.value;
    if ((ended && (start === 0 || rows.length >= count)) || looks === MOST_LOOKS) return window;
    end = now === undefined ? end + margin : Number(now);
    margin = Math.max(MARGIN.moving, margin * MARGIN_GROWTH);
  }
}
