import type { ListedRow } from './answers';
import type { LoadedRequests } from './load';

/** What became of a row since the rows that were shown before: it is new, or what the log says of it differs. */
export type Mark = 'new' | 'changed';

/** What became of a row, and when that was shown, Unix ms. */
export type Marks = ReadonlyMap<string, { mark: Mark; sinceMs: number }>;

/** As long as the mark takes to fade (table.module.css), however fast answers follow each other. */
const MARKED_MS = 6_000;

/** What is shown while the index goes on, and what waits to be shown. */
export type Following = {
  shown: LoadedRequests | undefined;
  /** By the key of the row; only of the rows shown. A mark stays for MARKED_MS. */
  marks: Marks;
  /**
   * The newest answer, where it is held back, and how many of its rows are not shown. `all`: every one of them, so there
   * may be more than it holds.
   */
  waiting: { page: LoadedRequests; added: number; reach: 'all' | 'some' } | undefined;
};

const NO_MARKS: Marks = new Map();

/** Nothing shown yet. */
export const NOTHING_FOLLOWED: Following = { shown: undefined, marks: NO_MARKS, waiting: undefined };

/**
 * Takes the newest answer. Rows of another view are shown at once and unmarked. Of the same view all is shown and marked;
 * while `held`, where that would move a row, only what changed of those that are shown, and new ones are counted.
 */
export function follow(
  before: Following,
  latest: LoadedRequests | undefined,
  hold: 'held' | 'free',
): Following {
  const { shown, waiting } = before;
  if (latest === undefined) return shown === undefined ? before : NOTHING_FOLLOWED;
  if (shown === undefined || shown.viewKey !== latest.viewKey) return { ...NOTHING_FOLLOWED, shown: latest };
  if (latest === shown || (hold === 'held' && latest === waiting?.page)) return before;
  const marks = shown.rows.length === 0 ? NO_MARKS : marksBetween(shown.rows, latest);
  if (hold === 'free' || isContinued(shown.rows, latest.rows))
    return { shown: latest, marks: withFresh(before.marks, marks, latest.atMs), waiting: undefined };
  const added = [...marks.values()].filter(({ mark }) => mark === 'new').length;
  const isApart = added > 0 && added === latest.rows.length;
  const changed = new Map([...marks].filter(([, { mark }]) => mark === 'changed'));
  return {
    shown: changed.size === 0 ? shown : { ...shown, rows: inPlace(shown.rows, latest.rows) },
    marks: changed.size === 0 ? before.marks : withFresh(before.marks, changed, latest.atMs),
    waiting: { page: latest, added, reach: isApart ? 'all' : 'some' },
  };
}

/** Shows what waits. */
export function takeWaiting(before: Following): Following {
  return before.waiting === undefined ? before : follow(before, before.waiting.page, 'free');
}

function isContinued(shown: readonly ListedRow[], latest: readonly ListedRow[]): boolean {
  return shown.every(({ key }, at) => latest[at]?.key === key);
}

function inPlace(shown: readonly ListedRow[], latest: readonly ListedRow[]): ListedRow[] {
  const byKey = new Map(latest.map((row) => [row.key, row]));
  return shown.map((row) => byKey.get(row.key) ?? row);
}

function marksBetween(before: readonly ListedRow[], { rows, atMs }: LoadedRequests): Marks {
  const known = new Map(before.map((row) => [row.key, row]));
  const marks = new Map<string, { mark: Mark; sinceMs: number }>();
  for (const row of rows) {
    const old = known.get(row.key);
    if (old === undefined) marks.set(row.key, { mark: 'new', sinceMs: atMs });
    else if (old.rawJson !== row.rawJson || old.gone !== row.gone)
      marks.set(row.key, { mark: 'changed', sinceMs: atMs });
  }
  return marks;
}

/** The marks of before that have not faded yet, and the new ones. */
function withFresh(before: Marks, added: Marks, nowMs: number): Marks {
  const fresh = [...before].filter(([, { sinceMs }]) => nowMs - sinceMs < MARKED_MS);
  return new Map([...fresh, ...added]);
}
