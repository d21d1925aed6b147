import { drawnIndexes, type RowSlot, rowSlots } from './row-slots';

/** Up to so many rows are simply all there. */
export const ALL_DRAWN = 100;
/** As many as the first HTML holds of a longer page. */
const FIRST_DRAWN = 50;

/**
 * The rows that are drawn before anything is measured: all of a short page, the first ones of a long one.
 * @param heightPx of a row, CSS pixels
 */
export function firstSlots(count: number, heightPx: number): RowSlot[] {
  const drawn = count > ALL_DRAWN ? FIRST_DRAWN : count;
  const indexes = drawnIndexes(0, drawn - 1, [], count);
  const rows = indexes.map((index) => ({ index, start: index * heightPx, end: (index + 1) * heightPx }));
  return rowSlots(rows, count * heightPx);
}
