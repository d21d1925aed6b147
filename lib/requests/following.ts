import type { LoadedRequests } from './load';

/** What became of a row since the rows that were shown before: it is new, or what the log says of it differs. */
export type Mark = 'new' | 'changed';

export type Marks = ReadonlyMap<string, { mark: Mark; sinceMs: number }>;

/** As long as the mark takes to fade (table.module.css), however fast answers follow each other. */
const MARKED_MS = 6_000;

/** What is shown while the index goes on, and what waits to be shown. */
export type Following = {
  shown: LoadedRequests | undefined;
  /** By the key of the row; only of the rows shown. A mark stays for MARKED_MS. */
  marks: Marks;
  /** The newest answer, where it is held back, and how many of its rows are new. `all`: there may be more. */
  waiting: { page: LoadedRequests; added: number; reach: 'all' | 'some' } | undefined;
};

export const NOTHING_FOLLOWED: Following = { shown: undefined, marks: new Map(), waiting: undefined };

/**
 * Takes the newest answer. Of another view it is shown at once and unmarked, of the same one marked; while `held`, where that
 * would move a row, only what changed of those that are shown, and new ones are counted.
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
  const marks = [...marksBetween(shown, latest)];
  const fresh = [...before.marks].filter(([, { sinceMs }]) => latest.atMs - sinceMs < MARKED_MS);
  const isContinued = shown.rows.every(({ key }, at) => latest.rows[at]?.key === key);
  if (hold === 'free' || isContinued) {
    return { shown: latest, marks: new Map([...fresh, ...marks]), waiting: undefined };
  }
  const changed = marks.filter(([, { mark }]) => mark === 'changed');
  const added = marks.length - changed.length;
  const isApart = added > 0 && added === latest.rows.length;
  const newest = new Map(latest.rows.map((row) => [row.key, row]));
  const inPlace = { ...shown, rows: shown.rows.map((row) => newest.get(row.key) ?? row) };
  return {
    ...(changed.length === 0 ? before : { shown: inPlace, marks: new Map([...fresh, ...changed]) }),
    waiting: { page: latest, added, reach: isApart ? 'all' : 'some' },
  };
}

export function takeWaiting(before: Following): Following {
  return before.waiting === undefined ? before : follow(before, before.waiting.page, 'free');
}

function marksBetween(shown: LoadedRequests, { rows, atMs }: LoadedRequests): Marks {
  const known = new Map(shown.rows.map((row) => [row.key, row]));
  const marks = new Map<string, { mark: Mark; sinceMs: number }>();
  for (const row of shown.rows.length === 0 ? [] : rows) {
    const old = known.get(row.key);
    const isChanged = old !== undefined && (old.rawJson !== row.rawJson || old.gone !== row.gone);
    if (old === undefined || isChanged)
      marks.set(row.key, { mark: isChanged ? 'changed' : 'new', sinceMs: atMs });
  }
  return marks;
}
