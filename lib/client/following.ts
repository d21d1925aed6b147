import type { ListedRow } from '@/lib/contract/codec/listing';
import type { LoadedRequests } from './requests';

/** What became of a row since the rows that were shown before: it is new, or its state or last update differs. */
export type Mark = 'new' | 'changed';

/** What is shown while new rows are followed, and what waits to be shown. */
export type Following = {
  shown: LoadedRequests | undefined;
  /** By the key of the row; only of the rows shown. */
  marks: ReadonlyMap<string, Mark>;
  /** The newest answer, where it is held back. `all`: every row of it is new, so there may be more than it holds. */
  waiting: { page: LoadedRequests; added: number; changed: number; reach: 'all' | 'some' } | undefined;
  /** When rows first came and went without having been shown, unix milliseconds; stays until the view is another. */
  skippedAtMs: number | undefined;
};

const NO_MARKS: ReadonlyMap<string, Mark> = new Map();

/** Nothing shown yet. */
export const NOTHING_FOLLOWED: Following = {
  shown: undefined,
  marks: NO_MARKS,
  waiting: undefined,
  skippedAtMs: undefined,
};

/**
 * Takes the newest answer. Rows of another view are shown at once and unmarked. Of the same view the differences are
 * marked, or counted while `hold` says that somebody reads.
 */
export function follow(
  before: Following,
  latest: LoadedRequests | undefined,
  hold: 'held' | 'free',
): Following {
  const { shown } = before;
  if (latest === undefined) return shown === undefined ? before : NOTHING_FOLLOWED;
  if (shown === undefined || shown.viewKey !== latest.viewKey) {
    return { ...NOTHING_FOLLOWED, shown: latest };
  }
  if (latest === shown) return before.waiting === undefined ? before : { ...before, waiting: undefined };
  if (hold === 'held' && before.waiting?.page === latest) return before;
  const marks = marksBetween(shown.rows, latest.rows);
  const isApart = haveNothingInCommon(shown, latest);
  if (hold === 'free') {
    const skippedAtMs = before.skippedAtMs ?? (isApart ? latest.atMs : undefined);
    return { shown: latest, marks, waiting: undefined, skippedAtMs };
  }
  const added = [...marks.values()].filter((mark) => mark === 'new').length;
  const reach = isApart ? 'all' : 'some';
  return { ...before, waiting: { page: latest, added, changed: marks.size - added, reach } };
}

function marksBetween(before: readonly ListedRow[], after: readonly ListedRow[]): ReadonlyMap<string, Mark> {
  const known = new Map(before.map((row) => [row.key, row.rawJson]));
  const marks = new Map<string, Mark>();
  for (const { key, rawJson } of after) {
    const old = known.get(key);
    if (old === undefined) marks.set(key, 'new');
    else if (old !== rawJson) marks.set(key, 'changed');
  }
  return marks.size === 0 ? NO_MARKS : marks;
}

/** A full page of which no row was there before: how many lie between is not known from the rows. */
function haveNothingInCommon(before: LoadedRequests, after: LoadedRequests): boolean {
  const known = new Set(before.rows.map((row) => row.key));
  const isFull = after.rows.length >= after.view.size;
  return before.rows.length > 0 && isFull && !after.rows.some((row) => known.has(row.key));
}
