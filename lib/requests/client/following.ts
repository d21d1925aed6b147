import type { LoadedRequests } from '@/lib/requests/load';

/** State of a row since the previously shown answer. */
export type Mark = 'new' | 'changed';

export type Marks = ReadonlyMap<string, { mark: Mark; sinceMs: number }>;

/** Duration of the mark, as in table.module.css, however quickly answers follow each other. */
const MARKED_MS = 6_000;

export type Following = {
  shown: LoadedRequests | undefined;
  /** Marks by the key of the shown row; each stays for MARKED_MS. */
  marks: Marks;
  /** The newest answer while it is held back. With `some`, there may be more than `added` new rows. */
  waiting: { page: LoadedRequests; added: number; reach: 'all' | 'some' } | undefined;
};

export const NOT_FOLLOWING: Following = { shown: undefined, marks: new Map(), waiting: undefined };

/**
 * An answer of another view is shown at once without marks. While `held`, an answer that would move rows only updates
 * the shown rows and counts the new ones.
 */
export function follow(
  before: Following,
  latest: LoadedRequests | undefined,
  hold: 'held' | 'free',
): Following {
  const { shown, waiting } = before;
  if (latest === undefined) return shown === undefined ? before : NOT_FOLLOWING;
  if (shown === undefined || shown.viewKey !== latest.viewKey) return { ...NOT_FOLLOWING, shown: latest };
  if (latest === shown || (hold === 'held' && latest === waiting?.page)) return before;
  const marks = [...marksBetween(shown, latest)];
  const fresh = [...before.marks].filter(([, { sinceMs }]) => latest.atMs - sinceMs < MARKED_MS);
  const isContinued = shown.rows.every(({ key }, index) => latest.rows[index]?.key === key);
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

export function showWaiting(before: Following): Following {
  return before.waiting === undefined ? before : follow(before, before.waiting.page, 'free');
}

function marksBetween(shown: LoadedRequests, { rows, atMs }: LoadedRequests): Marks {
  const shownByKey = new Map(shown.rows.map((row) => [row.key, row]));
  const marks = new Map<string, { mark: Mark; sinceMs: number }>();
  for (const row of shown.rows.length === 0 ? [] : rows) {
    const old = shownByKey.get(row.key);
    const isChanged = old !== undefined && (old.rawJson !== row.rawJson || old.gone !== row.gone);
    if (old === undefined || isChanged)
      marks.set(row.key, { mark: isChanged ? 'changed' : 'new', sinceMs: atMs });
  }
  return marks;
}
