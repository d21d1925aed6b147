/** A shortcut as it is listed; `keys` are alternatives, each as `useShortcut` takes it. */
export type Shortcut = {
  readonly keys: readonly string[];
  readonly what: string;
  readonly where: ShortcutPlace;
};

export type ShortcutPlace = 'Everywhere' | 'Requests: the table' | 'Requests: an open request';

/** In this order they are listed. */
export const SHORTCUT_PLACES: readonly ShortcutPlace[] = [
  'Everywhere',
  'Requests: the table',
  'Requests: an open request',
];

/** Every shortcut there is. One that is not listed here is one that nobody finds. */
export const SHORTCUTS: readonly Shortcut[] = [
  {
    keys: ['mod+k'],
    what: 'Command palette: go to a page, a network, a state, a pasted hash',
    where: 'Everywhere',
  },
  { keys: ['/'], what: 'Search', where: 'Everywhere' },
  { keys: ['g o'], what: 'Go to Overview', where: 'Everywhere' },
  { keys: ['g r'], what: 'Go to Requests', where: 'Everywhere' },
  { keys: ['g f'], what: 'Go to Feeds', where: 'Everywhere' },
  { keys: ['g c'], what: 'Go to Prices', where: 'Everywhere' },
  { keys: ['g s'], what: 'Go to Services', where: 'Everywhere' },
  { keys: ['?'], what: 'This list', where: 'Everywhere' },
  { keys: ['j', 'ArrowDown'], what: 'Next row', where: 'Requests: the table' },
  { keys: ['k', 'ArrowUp'], what: 'Previous row', where: 'Requests: the table' },
  { keys: ['Home'], what: 'First row', where: 'Requests: the table' },
  { keys: ['End'], what: 'Last row', where: 'Requests: the table' },
  { keys: ['Enter'], what: 'Open the row', where: 'Requests: the table' },
  {
    keys: ['ArrowRight'],
    what: 'Into the cells of the row; up from the first row are the headers',
    where: 'Requests: the table',
  },
  { keys: ['Shift+F10'], what: 'Filter for, filter out or copy a cell', where: 'Requests: the table' },
  { keys: ['mod+c'], what: 'Copy a cell', where: 'Requests: the table' },
  { keys: ['['], what: 'Previous page', where: 'Requests: the table' },
  { keys: [']'], what: 'Next page', where: 'Requests: the table' },
  { keys: ['l'], what: 'Live on or off', where: 'Requests: the table' },
  { keys: ['j'], what: 'Next request', where: 'Requests: an open request' },
  { keys: ['k'], what: 'Previous request', where: 'Requests: an open request' },
  { keys: ['Escape'], what: 'Close it', where: 'Requests: an open request' },
];

const NAMES: Record<string, string> = {
  mod: 'Ctrl',
  ArrowDown: '↓',
  ArrowUp: '↑',
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: 'Esc',
};

/** The keys to press as they are written on a keyboard: `mod+k` → `Ctrl`, `K` together; `g r` → `g`, then `r`. */
export function keyNames(keys: string): {
  readonly names: readonly string[];
  readonly join: 'together' | 'then';
} {
  const join = keys.includes('+') && keys.length > 1 ? 'together' : 'then';
  const parts = keys.split(join === 'together' ? '+' : ' ');
  const names = parts.map((part) => NAMES[part] ?? (join === 'together' ? part.toUpperCase() : part));
  return { names, join };
}
