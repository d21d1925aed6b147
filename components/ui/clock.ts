'use client';
import { createContext, useContext, useSyncExternalStore } from 'react';

/** When the server rendered the page, unix milliseconds: the first pass in the browser shows the same times as its HTML. */
export const RenderedAt = createContext(0);

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let nowMs = 0;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (listeners.size === 1) {
    nowMs = Date.now();
    timer = setInterval(() => {
      nowMs = Date.now();
      for (const one of listeners) one();
    }, 1000);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) clearInterval(timer);
  };
}

const still = () => () => {};

/** What `read` makes of the time (unix ms); drawn again only when that changes. `still`: for what does not depend on it. */
export function useTicking<T extends string | number | undefined>(
  read: (nowMs: number) => T,
  pace: 'ticking' | 'still' = 'ticking',
): T {
  const renderedAtMs = useContext(RenderedAt);
  return useSyncExternalStore(
    pace === 'ticking' ? subscribe : still,
    () => read(nowMs === 0 ? renderedAtMs : nowMs),
    () => read(renderedAtMs),
  );
}

/** The time, unix milliseconds, once a second. */
export const useNow = () => useTicking((ms) => ms);
