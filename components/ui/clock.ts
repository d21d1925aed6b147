'use client';
import { useSyncExternalStore } from 'react';

const TICK_MS = 1000;

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let nowMs = 0;

function tick() {
  nowMs = Date.now();
  for (const listener of listeners) listener();
}

/** One timer for the whole page: the first reader starts it, the last one stops it. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) {
    nowMs = Date.now();
    timer = setInterval(tick, TICK_MS);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0 && timer !== undefined) {
      clearInterval(timer);
      timer = undefined;
    }
  };
}

/**
 * The time, unix milliseconds, once a second. `renderedAtMs` is the time at which the server rendered: the first
 * pass in the browser uses it as well, so that both come out the same.
 */
export function useNow(renderedAtMs: number): number {
  return useSyncExternalStore(
    subscribe,
    () => (nowMs === 0 ? renderedAtMs : nowMs),
    () => renderedAtMs,
  );
}

const still = () => () => {};

/**
 * What `read` makes of the time. The component is drawn again only when that changes, so a text that is good for a
 * minute costs nothing in between. `still`: no timer, for what does not depend on the time.
 */
export function useTicking<T extends string | number | undefined>(
  read: (nowMs: number) => T,
  renderedAtMs: number,
  pace: 'ticking' | 'still' = 'ticking',
): T {
  return useSyncExternalStore(
    pace === 'ticking' ? subscribe : still,
    () => read(nowMs === 0 ? renderedAtMs : nowMs),
    () => read(renderedAtMs),
  );
}
