'use client';
import { readLocalStorageValue, useLocalStorage, useWindowEvent } from '@mantine/hooks';

/** Whether shortcuts of one character are in force: who dictates, or whose hands slip, presses them without meaning to. */
const SINGLE_KEYS = {
  key: 'ks-single-keys',
  defaultValue: 'on',
  serialize: (value: string) => value,
  deserialize: (text: string | undefined) => (text === 'off' ? 'off' : 'on'),
};

export const useSingleKeys = () => useLocalStorage(SINGLE_KEYS);
export const readSingleKeys = () => readLocalStorageValue(SINGLE_KEYS);

type Modifiers = 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey' | 'getModifierState';

/**
 * The key as shortcuts name it: a letter in lower case, another character as it is written, or a name such as `Escape`;
 * with `mod+` in front for Ctrl or Cmd. Undefined for a press that no shortcut means.
 */
export function pressedKey(event: Pick<KeyboardEvent, 'key' | 'code' | Modifiers>): string | undefined {
  const { key, code, shiftKey } = event;
  // By its place where a layout has no Latin letters.
  const other = /^\p{L}$/u.test(key) ? /^Key([A-Z])$/.exec(code)?.[1] : undefined;
  const letter = (/^[a-z]$/i.test(key) ? key : other)?.toLowerCase();
  // AltGr, by which many layouts write `[` and `]`, may come with Ctrl and Alt.
  const altGraph = event.getModifierState('AltGraph');
  if (event.altKey && !altGraph) return undefined;
  // A letter with Shift is another letter; `?` and `/` may need Shift, by layout.
  if (shiftKey && (letter !== undefined || [...key].length > 1)) return undefined;
  return `${!altGraph && (event.ctrlKey || event.metaKey) ? 'mod+' : ''}${letter ?? key}`;
}

/** The second key of `g r` has to follow within this time. */
const SEQUENCE_MS = 1500;

let seen: KeyboardEvent | undefined;
let last = { key: '', atMs: 0 };
let names: string[] = [];

/** What shortcuts call a press: the key, and the key after the one before it. Each press is looked at once. */
function namesOf(event: KeyboardEvent): string[] {
  if (event === seen) return names;
  seen = event;
  const key = isFree(event) ? pressedKey(event) : undefined;
  const isSequence = event.timeStamp - last.atMs <= SEQUENCE_MS;
  names = key === undefined ? [] : isSequence ? [key, `${last.key} ${key}`] : [key];
  last = { key: key ?? '', atMs: event.timeStamp };
  return names;
}

const TYPED =
  'textarea,select,[contenteditable],[role="combobox"],[role="listbox"],[role="menu"],[role="searchbox"],[role="textbox"],input:not([type="button"],[type="checkbox"],[type="radio"],[type="file"],[type="submit"])';

/** Not while somebody types, under a dialog, or where the press has a meaning of its own. */
function isFree(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.isComposing) return false;
  if (document.querySelector('dialog:modal, [aria-modal="true"]') !== null) return false;
  if (event.ctrlKey || event.metaKey) return true;
  if ([...event.key].length === 1 && readSingleKeys() === 'off') return false;
  const target = event.target instanceof Element ? event.target : document.body;
  if (target.closest(TYPED) !== null) return false;
  return !['Enter', ' '].includes(event.key) || target.closest('a[href],button,input,summary') === null;
}

/**
 * Calls `handler` when `keys` are pressed: a character or key name (`j`, `?`, `Escape`), two of them one after the
 * other (`g r`), or one with Ctrl or Cmd (`mod+k`). Undefined `keys` take none. List them in keyboard-help.tsx.
 */
export function useShortcut(keys: string | undefined, handler: () => void): void {
  useWindowEvent('keydown', (event) => {
    if (keys === undefined || !namesOf(event).includes(keys)) return;
    event.preventDefault();
    handler();
  });
}
