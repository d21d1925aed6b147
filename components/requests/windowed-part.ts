'use client';
import { type ComponentType, useSyncExternalStore } from 'react';
import { orNotice } from '@/components/ui/part-not-loaded';
import type { RowsBodyProps } from './drawn-rows';

type Part = ComponentType<RowsBodyProps>;

/** Most pages are short and need nothing of what draws a part of a long one. */
let part: Part | undefined;
let asked = false;
const listeners = new Set<() => void>();

async function load(): Promise<void> {
  part = await orNotice(import('./windowed-rows').then((module) => module.WindowedRows));
  for (const listener of listeners) listener();
}

/** Asks for it, once: best before the rows are there, which are then drawn in one go. */
export function askForWindowedRows(): void {
  if (asked) return;
  asked = true;
  void load();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  askForWindowedRows();
  return () => listeners.delete(listener);
}

/** What draws a long page; undefined on the server, in the browser's first pass, and until it is loaded. */
export function useWindowedRows(): Part | undefined {
  return useSyncExternalStore(
    subscribe,
    () => part,
    () => undefined,
  );
}
