'use client';
import {
  type NamedChange,
  type NamedUrl,
  readNamedUrls,
  withNamed,
  withRenamed,
} from '@/lib/core/named-urls';
import { FEEDS_PATH, formatFeedsUrl, parseFeedsUrl } from '@/lib/feeds/board-url';
import { StoredValue, useStoredValue } from '@/lib/watches/client/stored-value';

/** Address of a board, without the search text. */
export function boardAddress(url: string): string {
  const { view } = parseFeedsUrl(new URLSearchParams(url.split('?')[1] ?? ''));
  return formatFeedsUrl({ ...view, find: '' });
}

export function readBoards(text: string | null): readonly NamedUrl[] {
  return readNamedUrls(text, (url) => (url.split('?')[0] === FEEDS_PATH ? boardAddress(url) : undefined));
}

const boards = new StoredValue({ key: 'ks-boards', read: readBoards, write: JSON.stringify });

/** @returns the reason why nothing was changed, or a note on how long the change lasts; undefined on success */
function change(make: (list: readonly NamedUrl[]) => NamedChange): string | undefined {
  let problem: string | undefined;
  const outcome = boards.change((list) => {
    const changed = make(list);
    problem = changed.problem;
    return changed.list ?? list;
  });
  return (
    problem ?? (outcome === 'not-stored' ? 'Storage blocked: kept until this page is closed' : undefined)
  );
}

export const saveBoard = (text: string, url: string) =>
  change((list) => withNamed(list, text, boardAddress(url), 'boards'));

export const renameBoard = (from: string, text: string) => change((list) => withRenamed(list, from, text));

export const removeBoard = (name: string) =>
  change((list) => ({ list: list.filter((board) => board.name !== name) }));

export const useNamedBoards = (): readonly NamedUrl[] => useStoredValue(boards);
