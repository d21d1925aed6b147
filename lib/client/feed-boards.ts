import { FEEDS_PATH, formatFeedsUrl, parseFeedsUrl } from '@/lib/contract/codec/feeds-url';
import type { KeptForm } from './kept-value';

/** A board under a name. `url` is its address, `/feeds?ids=…`. */
export type NamedBoard = { readonly name: string; readonly url: string };

export const BOARDS_KEY = 'ks-boards';
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

const NONE: readonly NamedBoard[] = [];

/** Other tabs, extensions and older versions write there too: what is no board is left out, and addresses are written anew. */
function readBoards(text: string | null): readonly NamedBoard[] {
  const stored = parsed(text);
  if (!Array.isArray(stored)) return NONE;
  const boards = new Map<string, NamedBoard>();
  for (const entry of stored) {
    if (boards.size >= MOST_BOARDS) break;
    const board = boardOf(entry);
    if (board !== undefined && !boards.has(board.name)) boards.set(board.name, board);
  }
  return [...boards.values()];
}

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? '[]');
  } catch {
    return NONE;
  }
}

function boardOf(entry: unknown): NamedBoard | undefined {
  if (typeof entry !== 'object' || entry === null) return undefined;
  const { name, url } = entry as Partial<Record<keyof NamedBoard, unknown>>;
  if (typeof name !== 'string' || typeof url !== 'string' || url.length > LONGEST_URL) return undefined;
  const kept = boardName(name);
  const path = url.split('?')[0];
  return kept === undefined || path !== FEEDS_PATH ? undefined : { name: kept, url: boardAddress(url) };
}

export const BOARDS_FORM: KeptForm<readonly NamedBoard[]> = {
  key: BOARDS_KEY,
  read: readBoards,
  write: (boards) => JSON.stringify(boards),
};
