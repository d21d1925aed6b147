import 'server-only';
import type { PlacedRow } from './time-order';

/** The rows of one part that are loaded, newest first. `ended`: no more follow in its list. */
export type MergeList = { rows: readonly PlacedRow[]; ended: boolean };

export type MergedRow = PlacedRow & { part: number };

export type Merged = {
  rows: MergedRow[];
  /** The part whose next row must be loaded before the order can go on; undefined when all is said. */
  starving: number | undefined;
};

/**
 * Merges the lists of all parts by time, newest first; of rows at the same moment those of an earlier part come first,
 * and within a part the service's order stays.
 * @param most rows that are wanted
 */
export function mergeNewestFirst(lists: readonly MergeList[], most: number): Merged {
  const next = lists.map(() => 0);
  const rows: MergedRow[] = [];
  while (rows.length < most) {
    const part = newest(lists, next);
    const placed = part === undefined ? undefined : lists[part]?.rows[next[part] ?? 0];
    const starving = lists.findIndex((list, i) => mayComeFirst(list, next[i] ?? 0, i, placed, part));
    if (starving >= 0) return { rows, starving };
    if (part === undefined || placed === undefined) break;
    rows.push({ ...placed, part });
    next[part] = (next[part] ?? 0) + 1;
  }
  return { rows, starving: undefined };
}

function newest(lists: readonly MergeList[], next: readonly number[]): number | undefined {
  let best: number | undefined;
  let bestRow: PlacedRow | undefined;
  lists.forEach(({ rows }, part) => {
    const row = rows[next[part] ?? 0];
    if (row === undefined || (bestRow !== undefined && row.moment <= bestRow.moment)) return;
    best = part;
    bestRow = row;
  });
  return best;
}

/** Whether a row that is not loaded yet could stand before `row`: no earlier than the last one loaded of its list. */
function mayComeFirst(
  list: MergeList,
  next: number,
  part: number,
  row: PlacedRow | undefined,
  rowPart: number | undefined,
): boolean {
  if (list.ended || next < list.rows.length) return false;
  const last = list.rows.at(-1);
  if (last === undefined || row === undefined || rowPart === undefined) return true;
  return last.moment > row.moment || (last.moment === row.moment && part < rowPart);
}
