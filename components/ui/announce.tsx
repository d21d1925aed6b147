'use client';
import { useSyncExternalStore } from 'react';

/** Assistive technology reads every message to its end; more than one in this time would talk over the work. */
const PAUSE_MS = 5000;
const SILENCE = { text: '', turn: 0 };

/** One voice for the page; `turn` tells two equal messages apart, so that the second one is said as well. */
let said = SILENCE;
let saidAtMs = Number.NEGATIVE_INFINITY;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

/**
 * Says something to people who can't see the page change: politely, at most one message per five seconds, of which
 * the latest wins. Not for what stands in a `role="status"` already.
 */
export function announce(text: string): void {
  clearTimeout(timer);
  timer = setTimeout(
    () => {
      saidAtMs = performance.now();
      said = { text, turn: said.turn + 1 };
      for (const listener of listeners) listener();
    },
    saidAtMs + PAUSE_MS - performance.now(),
  );
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Where the messages stand; once per page. */
export function Announcements() {
  const { text, turn } = useSyncExternalStore(
    subscribe,
    () => said,
    () => SILENCE,
  );
  return (
    <div aria-live="polite" className="sr-only" data-announcements="">
      <span key={turn}>{text}</span>
    </div>
  );
}
