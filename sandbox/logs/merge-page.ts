import type { RowView } from './log-index';

/** A row that is put into a list of rows of the world: newest first, by time of creation. */
export type Put = { key: number; shownMs: number };

/** What is listed: the number of a row of the world, or one that was put in. */
export type Listed<P extends Put> = number | P;

type Page = { offset: number; limit: number };

/**
 * A page of a list of the world without the rows `gone` (numbers that are in it, newest first) and with the
 * rows `put` (newest first). `isTwice` says by number or key which rows the list has twice in a row.
 */
export function mergePage<P extends Put>(
  view: RowView,
  gone: readonly number[],
  put: readonly P[],
  { offset, limit }: Page,
  createdAt: (row: number) => number,
  isTwice?: (key: number) => boolean,
): Listed<P>[] {
  const listed: Listed<P>[] = [];
  const isPlain = gone.length === 0 && put.length === 0 && !isTwice;
  let [place, goneAt, putAt, slot] = [0, 0, 0, 0];
  if (isPlain) place = slot = offset;
  while (listed.length < limit) {
    while (goneAt < gone.length && view.at(place) === gone[goneAt]) {
      place += 1;
      goneAt += 1;
    }
    const row = place < view.length ? view.at(place) : undefined;
    const candidate = put[putAt];
    const isPut = candidate !== undefined && (row === undefined || candidate.shownMs >= createdAt(row));
    const next = isPut ? candidate : row;
    if (next === undefined) break;
    if (isPut) putAt += 1;
    else place += 1;
    const times = isTwice?.(typeof next === 'number' ? next : next.key) ? 2 : 1;
    for (let time = 0; time < times; time++) {
      if (slot >= offset && listed.length < limit) listed.push(next);
      slot += 1;
    }
  }
  return listed;
}
