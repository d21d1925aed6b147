'use client';
import { readLocalStorageValue, useLocalStorage } from '@mantine/hooks';
import * as z from 'zod/mini';
import { recogniseQuery } from '@/lib/core/log-query';
import { returnPath, tryParseJson } from '@/lib/core/text';

const MAX_LABEL = 200;

/** A recent item. Its path must be of this dashboard, because other code may have written to the storage. */
const recent = z.object({
  label: z.string().check(z.minLength(1), z.maxLength(MAX_LABEL)),
  path: z.string().check(
    z.maxLength(2000),
    z.refine((path) => returnPath(path) === path),
  ),
});

export type RecentEntry = z.infer<typeof recent>;

function listOf(text: string | undefined): unknown[] {
  const list = tryParseJson(text);
  return Array.isArray(list) ? list : [];
}

/** Latest first. Unreadable entries are left out. */
export function readRecents(text: string | undefined): RecentEntry[] {
  return listOf(text)
    .flatMap((entry) => recent.safeParse(entry).data ?? [])
    .slice(0, 20);
}

const REQUESTS = { key: 'ks-recent', defaultValue: [], deserialize: readRecents };

export const recentRequests = (): RecentEntry[] => readLocalStorageValue<RecentEntry[]>(REQUESTS);

/** Adds a request to the command palette. @param label such as `Base 12345 · pending` */
export function rememberRequest(label: string, path: string): void {
  const others = recentRequests().filter((recent) => recent.path !== path);
  const list = [{ label: label.slice(0, MAX_LABEL), path }, ...others];
  try {
    window.localStorage.setItem(REQUESTS.key, JSON.stringify(readRecents(JSON.stringify(list))));
  } catch {
    // The storage is full or forbidden, so the palette offers less.
  }
}

const LIST = { key: 'ks-list', defaultValue: '/requests' };

/** The list last viewed in this browser, such as `/requests?state=pending`. */
export function lastList(): string {
  const path = readLocalStorageValue<string>({ ...LIST, deserialize: (text) => text ?? '' });
  return path.length <= MAX_LIST && /^\/requests(\?|$)/.test(path) ? path : LIST.defaultValue;
}

const MAX_LIST = 4000;

/** Keeps the list for the way back from a request. */
export function rememberList(path: string): void {
  try {
    window.localStorage.setItem(LIST.key, path);
  } catch {
    // The storage is full or forbidden, so the way back leads to the list without filters.
  }
}

const MAX_ROWS = 500;
const ROWS = {
  key: 'ks-list-rows',
  defaultValue: [],
  deserialize: (text: string | undefined): string[] =>
    listOf(text)
      .filter((key) => typeof key === 'string')
      .slice(0, MAX_ROWS),
};

/** Keys of the rows of the list last viewed in this browser, in its order. */
export const lastRows = (): string[] => readLocalStorageValue<string[]>(ROWS);

/** Keeps the rows, so that the page of a request leads to the next of its list. */
export function rememberRows(keys: readonly string[]): void {
  try {
    window.localStorage.setItem(ROWS.key, JSON.stringify(keys.slice(0, MAX_ROWS)));
  } catch {
    // The storage is full or forbidden, so a request leads to the next sequence.
  }
}

/** Canonical text, newest first. Other entries of the storage are left out. */
export function readQueries(text: string | undefined): string[] {
  const queries = listOf(text).filter((query): query is string => {
    // A canonical hash has 66 characters; this dashboard never writes a longer text.
    const recognised = typeof query === 'string' && query.length <= 80 ? recogniseQuery(query) : undefined;
    return recognised !== undefined && 'canonical' in recognised && recognised.canonical === query;
  });
  return [...new Set(queries)].slice(0, 8);
}

const QUERIES = { key: 'ks-recent-queries', defaultValue: [], deserialize: readQueries };

export const recentQueries = (): string[] => readLocalStorageValue<string[]>(QUERIES);

/** Newest first; empty until scripts run. `add` accepts any text. */
export function useRecentQueries() {
  const [queries, setQueries, clear] = useLocalStorage<string[]>(QUERIES);
  const add = (text: string) => {
    const query = recogniseQuery(text);
    if ('canonical' in query)
      setQueries((before) => readQueries(JSON.stringify([query.canonical, ...before])));
  };
  return { queries, add, clear };
}
