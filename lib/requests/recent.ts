import { recogniseQuery } from '@/lib/core/log-query';
import { returnPath } from '@/lib/core/text';

/** A place that somebody was at: what it is called, and its path in this dashboard. */
export type Recent = { readonly label: string; readonly path: string };

const REQUESTS_KEY = 'ks-recent';
/** Of so many nobody reads more. */
export const MOST_RECENTS = 20;
const LONGEST_LABEL = 200;
const LONGEST_PATH = 2000;

/** A path of ours and nothing else: what stands in the storage may have been put there by anything. */
function isOwnPath(path: unknown): path is string {
  return typeof path === 'string' && path.length <= LONGEST_PATH && returnPath(path) === path;
}

function isRecent(value: unknown): value is Recent {
  if (typeof value !== 'object' || value === null) return false;
  const { label, path } = value as Record<string, unknown>;
  return typeof label === 'string' && label !== '' && label.length <= LONGEST_LABEL && isOwnPath(path);
}

/** The list in a stored text, latest first; what can't be read is left out. */
export function readRecents(text: string | null): Recent[] {
  try {
    const list: unknown = JSON.parse(text ?? '[]');
    if (!Array.isArray(list)) return [];
    const readable = list.filter(isRecent).map(({ label, path }) => ({ label, path }));
    return readable.slice(0, MOST_RECENTS);
  } catch {
    return [];
  }
}

/** The list with a place in front; the same path stands in it once, and the oldest of too many falls out. */
export function withRecent(list: readonly Recent[], recent: Recent): Recent[] {
  const label = recent.label.slice(0, LONGEST_LABEL);
  if (!isRecent({ ...recent, label })) return [...list];
  return [{ ...recent, label }, ...list.filter(({ path }) => path !== recent.path)].slice(0, MOST_RECENTS);
}

function storage(): QueryStorage | undefined {
  try {
    return window.localStorage;
  } catch {
    // Forbidden here: nothing is remembered then.
    return undefined;
  }
}

/** The requests that were looked at last, latest first; none where the browser keeps nothing. */
export function recentRequests(from: Pick<QueryStorage, 'getItem'> | undefined = storage()): Recent[] {
  try {
    return readRecents(from?.getItem(REQUESTS_KEY) ?? null);
  } catch {
    return [];
  }
}

/**
 * Remembers that a request was looked at, for the command palette.
 * @param label what it is called, such as `Base 12345 · pending`
 * @param path of this dashboard, with its query
 */
export function rememberRequest(
  label: string,
  path: string,
  to: Pick<QueryStorage, 'getItem' | 'setItem'> | undefined = storage(),
): void {
  try {
    to?.setItem(REQUESTS_KEY, JSON.stringify(withRecent(recentRequests(to), { label, path })));
  } catch {
    // The storage is full or forbidden: the palette offers less.
  }
}

/** The part of `localStorage` that is used. */
export type QueryStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const QUERIES_KEY = 'ks-recent-queries';
/** Older ones are forgotten. */
const MOST = 8;
/** A canonical hash has 66 characters; a longer text in the storage was not written here. */
const LONGEST = 80;

const NONE: readonly string[] = [];

/** What was searched for last, newest first, as canonical text. Whatever else the storage holds is left out. */
export function readQueries(text: string | null): readonly string[] {
  const stored: unknown = parsed(text);
  if (!Array.isArray(stored)) return NONE;
  const readable = stored.filter((query): query is string => typeof query === 'string' && isCanonical(query));
  return [...new Set(readable)].slice(0, MOST);
}

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? '[]');
  } catch {
    return NONE;
  }
}

function isCanonical(query: string): boolean {
  if (query.length > LONGEST) return false;
  const recognised = recogniseQuery(query);
  return 'canonical' in recognised && recognised.canonical === query;
}

export type RecentQueries = {
  /** The same array until something changes. */
  read: () => readonly string[];
  /** Puts the query of a text in front; a text that is none changes nothing. */
  add: (text: string) => void;
  remove: (query: string) => void;
  clear: () => void;
  subscribe: (changed: () => void) => () => void;
};

/** The searches that this browser remembers. A storage that is full or forbidden makes them last as long as the page. */
export function recentQueries(storage: QueryStorage | undefined): RecentQueries {
  const listeners = new Set<() => void>();
  let queries: readonly string[] | undefined;

  const read = () => {
    queries ??= readQueries(attempt(() => storage?.getItem(QUERIES_KEY) ?? null) ?? null);
    return queries;
  };
  const keep = (next: readonly string[]) => {
    queries = next;
    attempt(() =>
      next.length === 0
        ? storage?.removeItem(QUERIES_KEY)
        : storage?.setItem(QUERIES_KEY, JSON.stringify(next)),
    );
    for (const listener of listeners) listener();
  };
  return {
    read,
    add: (text) => {
      const query = recogniseQuery(text);
      if (!('canonical' in query) || read()[0] === query.canonical) return;
      keep([query.canonical, ...read().filter((known) => known !== query.canonical)].slice(0, MOST));
    },
    remove: (query) => keep(read().filter((known) => known !== query)),
    clear: () => keep(NONE),
    subscribe: (changed) => {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
  };
}

function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}

let ofBrowser: RecentQueries | undefined;

/** Those of this browser: made when they are first asked for, since a browser may forbid even to look at its storage. */
export function browserRecentQueries(): RecentQueries {
  ofBrowser ??= recentQueries(attempt(() => window.localStorage));
  return ofBrowser;
}
