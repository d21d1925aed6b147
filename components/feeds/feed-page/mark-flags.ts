import type { ChartMark } from './page-shades';
import { type PlacingFrame, placeOfMoment, plotOf } from './pointed';

/** What a mark means, in words beside its line. */
export type MarkFlag = {
  readonly mark: ChartMark;
  /** Of the line, pixels from the left edge of the chart. */
  readonly left: number;
  /** On which side of its line it stands: the one with more room. */
  readonly side: 'before' | 'after';
  /** 0 is the lowest. */
  readonly row: number;
};

/** More would hide the lines. */
export const MARK_ROWS = 3;
/** About the width of a letter, and what stands around the words, with a gap to the next flag. */
const LETTER_PX = 6.2;
const AROUND_PX = 14;

type Taken = { readonly from: number; readonly to: number };

/**
 * Puts the words of marks in rows, so that none stands on another: a change of the host ends an outage, and a service that
 * closes again and again makes dozens. The newest find a place first; those that find none have a line without words.
 */
export function markFlags(marks: readonly ChartMark[], frame: PlacingFrame): MarkFlag[] {
  const plot = plotOf(frame);
  const rows: Taken[][] = Array.from({ length: MARK_ROWS }, () => []);
  const newestFirst = marks.toSorted((a, b) => b.atMs - a.atMs);
  return newestFirst.flatMap((mark) => {
    const left = placeOfMoment(mark.atMs, frame);
    const side = left > plot.left + plot.width / 2 ? 'before' : 'after';
    const wide = mark.words.length * LETTER_PX + AROUND_PX;
    const from = side === 'before' ? left - wide : left;
    const to = from + wide;
    const row = rows.findIndex((taken) => taken.every((one) => one.to <= from || one.from >= to));
    rows[row]?.push({ from, to });
    return row === -1 ? [] : [{ mark, left, side, row } as const];
  });
}
