'use client';
import { useMemo } from 'react';

type Pressed = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'isComposing'>;

/** The text after a key was pressed; undefined for a key that writes and removes nothing. */
export function textAfter(text: string, pressed: Pressed): string | undefined {
  const { key, ctrlKey, metaKey, altKey, isComposing } = pressed;
  const isAltGraph = ctrlKey && altKey;
  if (isComposing || metaKey || (!isAltGraph && (ctrlKey || altKey))) return undefined;
  if (key === 'Backspace') return [...text].slice(0, -1).join('');
  return [...key].length === 1 ? text + key : undefined;
}

const EARLY = { capture: true };

/**
 * Keeps what is typed for a field whose script is still being loaded, so that the page takes none of it for shortcuts.
 * `begin` starts; `take` ends it and gives the text. Escape, or a press of the pointer, ends it too and calls `onLeave`.
 */
export function typedAhead(page: Pick<Window, 'addEventListener' | 'removeEventListener'>) {
  let text = '';
  let leave = () => {};
  function take(): string {
    page.removeEventListener('keydown', hear, EARLY);
    page.removeEventListener('pointerdown', leaveNow, EARLY);
    const typed = text;
    text = '';
    return typed;
  }
  function leaveNow(): void {
    take();
    leave();
  }
  function hear(event: KeyboardEvent): void {
    const next = textAfter(text, event);
    if (next === undefined && event.key !== 'Escape' && event.key !== 'Enter') return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === 'Escape') leaveNow();
    else text = next ?? text;
  }
  function begin(onLeave: () => void): void {
    leave = onLeave;
    page.addEventListener('keydown', hear, EARLY);
    page.addEventListener('pointerdown', leaveNow, EARLY);
  }
  return { begin, take };
}

/** One of those for the window. */
export function useTypedAhead() {
  return useMemo(() => typedAhead(globalThis.window), []);
}
