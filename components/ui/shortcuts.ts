'use client';
import { readLocalStorageValue, useLocalStorage, useWindowEvent } from '@mantine/hooks';

/** Dictation or slips can trigger single-key shortcuts by accident. */
const SINGLE_KEYS = {
  key: 'ks-single-keys',
  defaultValue: 'on',
  serialize: (value: string) => value,
  deserialize: (text: string | undefined) => (text === 'off' ? 'off' : 'on'),
};

export const useSingleKeys = () => useLocalStorage(SINGLE_KEYS);
export const readSingleKeys = () => readLocalStorageValue(SINGLE_KEYS);

type Modifiers = 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey' | 'getModifierState';

/** A lower-case letter, another character, or a name such as `Escape`; with `mod+` for Ctrl or Cmd. Undefined if none. */
export function pressedKey(event: Pick<KeyboardEvent, 'key' | 'code' | Modifiers>): string | undefined {
  const { key, code, shiftKey } = event;
  // Without Latin letters on the layout, the physical position decides.
  const other = /^\p{L}$/u.test(key) ? /^Key([A-Z])$/.exec(code)?.[1] : undefined;
  const letter = (/^[a-z]$/i.test(key) ? key : other)?.toLowerCase();
  // AltGr, with which many layouts type `[` and `]`, may report Ctrl and Alt.
  const altGraph = event.getModifierState('AltGraph');
  if (event.altKey && !altGraph) return undefined;
  // Shift with a letter is not a shortcut. `?` and `/` need Shift on some layouts.
  if (shiftKey && (letter !== undefined || [...key].length > 1)) return undefined;
  return `${!altGraph && (event.ctrlKey || event.metaKey) ? 'mod+' : ''}${letter ?? key}`;
}

/** Time between the keys of a sequence such as `g r`. */
const SEQUENCE_MS = 1500;

let seen: KeyboardEvent | undefined;
let last = { key: '', atMs: 0 };
let names: string[] = [];

/** The key, and the previous key with it. Computed once per event. */
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

/** Whether a shortcut applies: not while typing, under a dialog, or on a control that uses the key. */
function isFree(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.isComposing) return false;
  if (document.querySelector('dialog:modal, [aria-modal="true"]') !== null) return false;
  if (event.ctrlKey || event.metaKey) return true;
  if ([...event.key].length === 1 && readSingleKeys() === 'off') return false;
  const target = event.target instanceof Element ? event.target : document.body;
  if (target.closest(TYPED) !== null) return false;
  return !['Enter', ' '].includes(event.key) || target.closest('a[href],button,input,summary') === null;
}

/** `j`, `?`, `Escape`, a sequence (`g r`) or `mod+k` (Ctrl or Cmd); undefined disables it. List it in keyboard-help.tsx too. */
export function useShortcut(keys: string | undefined, handler: () => void): void {
  useWindowEvent('keydown', (event) => {
    if (keys === undefined || !namesOf(event).includes(keys)) return;
    event.preventDefault();
    handler();
  });
}
