'use client';
import { FEEDS_PATH, formatFeedsUrl, parseFeedsUrl } from '@/lib/feeds/board-url';
import { type KeptForm, KeptValue, objectsOf, parsedJson, useKept } from './kept-value';

/** A board under a name. `url` is its address, `/feeds?ids=…`. */
export type NamedBoard = { readonly name: string; readonly url: string };

export const MOST_BOARDS = 50;
export const LONGEST_BOARD_NAME = 60;
/** A board of a hundred ids takes 6,500. */
const LONGEST_URL = 10_000;

/** The name as it is kept: blanks at its ends taken off; undefined for none, and for one that is too long. */
export function boardName(text: string): string | undefined {
  const name = text.trim().replaceAll(/\s+/g, ' ');
  return name === '' || name.length > LONGEST_BOARD_NAME ? undefined : name;
}

/** What of an address is worth keeping: its feeds and how they are shown, not the text that was looked for. */
export function boardAddress(url: string): string {
  const params = new URLSearchParams(url.split('?')[1] ?? '');
  return formatFeedsUrl({ ...parseFeedsUrl(params).view, find: '' }, params.has('ids') ? 'empty' : undefined);
}

/** What becomes of the boards, and why not; the same list where nothing does. */
export type BoardChange = {
  readonly boards: readonly NamedBoard[];
  readonly result: 'saved' | 'no-name' | 'taken' | 'full';
};

/** The board kept under a name; one that has this name is replaced. */
export function withBoard(boards: readonly NamedBoard[], text: string, url: string): BoardChange {
  const name = boardName(text);
  if (name === undefined) return { boards, result: 'no-name' };
  const board = { name, url: boardAddress(url) };
  const at = boards.findIndex((known) => known.name === name);
  if (at >= 0) return { boards: boards.with(at, board), result: 'saved' };
  if (boards.length >= MOST_BOARDS) return { boards, result: 'full' };
  return { boards: [...boards, board], result: 'saved' };
}

/** The board given another name, which no other one has. */
export function withNewName(boards: readonly NamedBoard[], from: string, text: string): BoardChange {
  const name = boardName(text);
  if (name === undefined) return { boards, result: 'no-name' };
  if (name !== from && boards.some((known) => known.name === name)) return { boards, result: 'taken' };
  return {
    boards: boards.map((known) => (known.name === from ? { ...known, name } : known)),
    result: 'saved',
  };
}

function boardOf({ name, url }: Record<string, unknown>): NamedBoard | undefined {
  if (typeof name !== 'string' || typeof url !== 'string' || url.length > LONGEST_URL) return undefined;
  const kept = boardName(name);
  const path = url.split('?')[0];
  return kept === undefined || path !== FEEDS_PATH ? undefined : { name: kept, url: boardAddress(url) };
}

/** Other tabs, extensions and older versions write there too: what is no board is left out, and addresses are written anew. */
export const BOARDS_FORM: KeptForm<readonly NamedBoard[]> = {
  key: 'ks-boards',
  read: (text) => {
    const boards = new Map<string, NamedBoard>();
    for (const board of objectsOf(parsedJson(text)).flatMap((entry) => boardOf(entry) ?? [])) {
      if (boards.size < MOST_BOARDS && !boards.has(board.name)) boards.set(board.name, board);
    }
    return [...boards.values()];
  },
  write: (boards) => JSON.stringify(boards),
};

const kept = new KeptValue(BOARDS_FORM);

/** `unkept`: it lasts as long as the page, because nothing can be stored. */
export type BoardResult = BoardChange['result'] | 'unkept';

function change(make: (boards: readonly NamedBoard[]) => BoardChange): BoardResult {
  let result: BoardChange['result'] = 'saved';
  const outcome = kept.change((boards) => {
    const next = make(boards);
    result = next.result;
    return next.boards;
  });
  return result === 'saved' && outcome === 'unkept' ? 'unkept' : result;
}

const ACTIONS = {
  save: (name: string, url: string) => change((boards) => withBoard(boards, name, url)),
  rename: (from: string, to: string) => change((boards) => withNewName(boards, from, to)),
  remove: (name: string) =>
    change((boards) => ({ boards: boards.filter((known) => known.name !== name), result: 'saved' })),
} as const;

/** The boards of this browser, those that its other tabs keep too, and what can be done with them. */
export function useNamedBoards() {
  return { boards: useKept(kept), ...ACTIONS };
}
