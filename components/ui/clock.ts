'use client';
import { createContext, useContext, useSyncExternalStore } from 'react';

/** Unix ms of the server's render. The browser's first render uses it too, so that both match. */
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
      for (const listener of listeners) listener();
    }, 1000);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) clearInterval(timer);
  };
}

const still = () => () => {};

type Pace = 'ticking' | 'still';

/** The component renders only when the value for the current time (unix ms) changes. `still` never ticks. */
export function useTicking<T extends string | number | undefined>(
  read: (nowMs: number) => T,
  pace: Pace = 'ticking',
  timeOf: (clockMs: number) => number = (clockMs) => clockMs,
): T {
  const renderedAtMs = useContext(RenderedAt);
  return useSyncExternalStore(
    pace === 'ticking' ? subscribe : still,
    () => read(nowMs === 0 ? renderedAtMs : timeOf(nowMs)),
    () => read(renderedAtMs),
  );
}

/**
 * Text that changes with our server's time; else like `useTicking`. The first render uses `RenderedAt` uncorrected: a
 * part that hydrates after the first update of the server would differ from its HTML.
 */
export const useServerTicking = <T extends string | number | undefined>(
  read: (nowMs: number) => T,
  pace?: Pace,
): T => useTicking(read, pace, serverTime);

/** Unix ms by our server's clock, and when it came by this machine's. */
type ReportedTime = { nowMs: number; receivedAtMs: number };

let reported: ReportedTime | undefined;

/** Called for each update of the server. */
export function setServerTime(update: ReportedTime | undefined): void {
  reported = update;
}

/**
 * The server's time by the latest update; without any, this machine's time. A browser's clock may be wrong, and ages
 * with it.
 */
export const serverTime = (clockMs: number, update = reported): number =>
  update === undefined ? clockMs : update.nowMs + Math.max(0, clockMs - update.receivedAtMs);

/** Unix milliseconds, updated every second. */
export const useNow = () => useTicking((ms) => ms);

/** Unix milliseconds by our server's clock, updated every second. */
export const useServerNow = () => useServerTicking((nowMs) => nowMs);
