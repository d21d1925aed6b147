'use client';
import { useEffectEvent, useLayoutEffect } from 'react';
import { type KeyPress, ShortcutMatcher } from './keyboard-matching';
import { readSingleKeys } from './keyboard-single-keys';

const matcher = new ShortcutMatcher(() => performance.now());
let listening = 0;

/** Inputs that nobody types into. */
const UNTYPED = new Set(['button', 'checkbox', 'color', 'file', 'image', 'radio', 'reset', 'submit']);
const TYPED_ROLES = '[role="combobox"],[role="listbox"],[role="menu"],[role="searchbox"],[role="textbox"]';

function focusOf(target: EventTarget | null): KeyPress['focus'] {
  if (!(target instanceof HTMLElement)) return 'elsewhere';
  const isTyped =
    target instanceof HTMLInputElement
      ? !UNTYPED.has(target.type)
      : target.isContentEditable || target.closest(`textarea,select,${TYPED_ROLES}`) !== null;
  if (isTyped) return 'field';
  return target.closest('a[href],button,input,summary') === null ? 'elsewhere' : 'control';
}

function pressOf(event: KeyboardEvent): KeyPress {
  return {
    key: event.key,
    code: event.code,
    ctrl: event.ctrlKey,
    meta: event.metaKey,
    alt: event.altKey,
    shift: event.shiftKey,
    altGraph: event.getModifierState('AltGraph'),
    focus: focusOf(event.target),
    over: document.querySelector('dialog:modal, [aria-modal="true"]') === null ? 'page' : 'dialog',
  };
}

function hear(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  const press = pressOf(event);
  const isSingle = [...press.key].length === 1 && !press.ctrl && !press.meta;
  if (isSingle && readSingleKeys() === 'off') return;
  const handler = matcher.match(press);
  if (handler === undefined) return;
  event.preventDefault();
  if (handler !== 'begins') handler();
}

function listen(): () => void {
  listening += 1;
  if (listening === 1) document.addEventListener('keydown', hear);
  return () => {
    listening -= 1;
    if (listening === 0) document.removeEventListener('keydown', hear);
  };
}

/**
 * Calls `handler` when `keys` are pressed: a character or key name (`j`, `?`, `Escape`), two of them one after the
 * other (`g r`), or one with Ctrl or Cmd (`mod+k`). Not while somebody types into a field, with other modifiers, under
 * a modal dialog, or after another listener has called preventDefault. Enter stays with a focused button or link.
 * Undefined `keys` take none. List them in keyboard-shortcuts.ts.
 */
export function useShortcut(keys: string | undefined, handler: () => void): void {
  const press = useEffectEvent(handler);
  // As soon as what says that the keys work is drawn.
  useLayoutEffect(() => {
    if (keys === undefined) return;
    const giveBack = matcher.add(keys, () => press());
    const stop = listen();
    return () => {
      giveBack();
      stop();
    };
  }, [keys]);
}
