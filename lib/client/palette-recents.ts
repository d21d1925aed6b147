import { returnPath } from '@/lib/contract/codec/return-path';

/** A place that somebody was at: what it is called, and its path in this dashboard. */
export type Recent = { readonly label: string; readonly path: string };

const KEY = 'ks-recent';
/** Of so many nobody reads more. */
export const MOST_RECENTS = 20;
const LONGEST_LABEL = 200;
const LONGEST_PATH = 2000;

type Storage = Pick<globalThis.Storage, 'getItem' | 'setItem'>;

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

function storage(): Storage | undefined {
  try {
    return window.localStorage;
  } catch {
    // Forbidden here: nothing is remembered then.
    return undefined;
  }
}

/** The requests that were looked at last, latest first; none where the browser keeps nothing. */
export function recentRequests(from: Storage | undefined = storage()): Recent[] {
  try {
    return readRecents(from?.getItem(KEY) ?? null);
  } catch {
    return [];
  }
}

/**
 * Remembers that a request was looked at, for the command palette.
 * @param label what it is called, such as `Base 12345 · pending`
 * @param path of this dashboard, with its query
 */
export function rememberRequest(label: string, path: string, to: Storage | undefined = storage()): void {
  try {
    to?.setItem(KEY, JSON.stringify(withRecent(recentRequests(to), { label, path })));
  } catch {
    // The storage is full or forbidden: the palette offers less.
  }
}
