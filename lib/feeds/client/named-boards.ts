'use client';
import * as z from 'zod/mini';
import { parsedJson } from '@/lib/core/text';
import { FEEDS_PATH, formatFeedsUrl, parseFeedsUrl } from '@/lib/feeds/board-url';
import { KeptValue, useKept } from './kept-value';

/** A board under a name. `url` is its address, `/feeds?ids=…`. */
export type NamedBoard = { readonly name: string; readonly url: string };

const MOST_BOARDS = 50;
const LONGEST_NAME = 60;
/** A board of a hundred ids takes 6,500. */
const LONGEST_URL = 10_000;
const storedBoard = z.object({ name: z.string(), url: z.string().check(z.maxLength(LONGEST_URL)) });
const NO_NAME = `Use 1 to ${LONGEST_NAME} characters`;

/** The name as it is kept: blanks at its ends taken off; undefined for none, and for one that is too long. */
export function boardName(text: string): string | undefined {
  const name = text.trim().replaceAll(/\s+/g, ' ');
  return name === '' || name.length > LONGEST_NAME ? undefined : name;
}

/** What of an address is worth keeping: its feeds and how they are shown, not the text that was looked for. */
export function boardAddress(url: string): string {
  const { view } = parseFeedsUrl(new URLSearchParams(url.split('?')[1] ?? ''));
  return formatFeedsUrl({ ...view, find: '' });
}

/** Other tabs, extensions and older versions write there too: what is no board is left out, and addresses are written anew. */
export function readBoards(text: string | null): readonly NamedBoard[] {
  const boards = new Map<string, NamedBoard>();
  for (const entry of z.array(z.unknown()).safeParse(parsedJson(text)).data ?? []) {
    const { name = '', url = '' } = storedBoard.safeParse(entry).data ?? {};
    const kept = boardName(name);
    if (kept === undefined || url.split('?')[0] !== FEEDS_PATH || boards.has(kept)) continue;
    if (boards.size < MOST_BOARDS) boards.set(kept, { name: kept, url: boardAddress(url) });
  }
  return [...boards.values()];
}

const boards = new KeptValue({ key: 'ks-boards', read: readBoards, write: JSON.stringify });

/** Keeps a board; one that has this name is replaced. @returns why not, or how long it lasts; undefined where all is well */
export function saveBoard(text: string, url: string): string | undefined {
  const name = boardName(text);
  if (name === undefined) return NO_NAME;
  const isFull = (known: readonly NamedBoard[]) =>
    known.length >= MOST_BOARDS && !known.some((one) => one.name === name);
  if (isFull(boards.read())) return `At most ${MOST_BOARDS} boards. Delete one first`;
  const board = { name, url: boardAddress(url) };
  const outcome = boards.change((known) => {
    const at = known.findIndex((one) => one.name === name);
    return at >= 0 ? known.with(at, board) : [...known, board];
  });
  return outcome === 'unkept' ? 'Storage blocked: kept until this page is closed' : undefined;
}

/** Gives a board another name, which no other one has. @returns why not */
export function renameBoard(from: string, text: string): string | undefined {
  const name = boardName(text);
  if (name === undefined) return NO_NAME;
  if (name !== from && boards.read().some((one) => one.name === name)) return 'Name already in use';
  boards.change((known) => known.map((one) => (one.name === from ? { ...one, name } : one)));
  return undefined;
}

export function removeBoard(name: string): void {
  boards.change((known) => known.filter((one) => one.name !== name));
}

/** The boards of this browser, those that its other tabs keep too. */
export function useNamedBoards(): readonly NamedBoard[] {
  return useKept(boards);
}
