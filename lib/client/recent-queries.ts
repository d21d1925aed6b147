import { recogniseQuery } from '@/lib/core/log-query';

/** The part of `localStorage` that is used. */
export type QueryStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const KEY = 'ks-recent-queries';
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
    queries ??= readQueries(attempt(() => storage?.getItem(KEY) ?? null) ?? null);
    return queries;
  };
  const keep = (next: readonly string[]) => {
    queries = next;
    attempt(() =>
      next.length === 0 ? storage?.removeItem(KEY) : storage?.setItem(KEY, JSON.stringify(next)),
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
