'use client';
import { useSyncExternalStore } from 'react';

/**
 * Shortcuts of one character can be turned off: people who dictate, or whose hands slip, press them without meaning to.
 * Remembered by the browser where it allows that.
 */
const KEY = 'ks-single-keys';

const listeners = new Set<() => void>();
let known: 'on' | 'off' | undefined;

/** Whether shortcuts of one character are in force. */
export function readSingleKeys(): 'on' | 'off' {
  known ??= stored();
  return known;
}

function stored(): 'on' | 'off' {
  try {
    return window.localStorage.getItem(KEY) === 'off' ? 'off' : 'on';
  } catch {
    // Storage is forbidden here: the usual then.
    return 'on';
  }
}

function setSingleKeys(to: 'on' | 'off'): void {
  known = to;
  try {
    window.localStorage.setItem(KEY, to);
  } catch {
    // It holds for this page then.
  }
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The choice and how to change it. */
export function useSingleKeys(): readonly ['on' | 'off', (to: 'on' | 'off') => void] {
  return [useSyncExternalStore(subscribe, readSingleKeys, () => 'on' as const), setSingleKeys];
}
