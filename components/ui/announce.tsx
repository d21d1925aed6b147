'use client';
import { useEffect, useState } from 'react';

/** A screen reader reads each message to its end. */
const PAUSE_MS = 5000;

let say = (_text: string) => {};
let announcedAtMs = Number.NEGATIVE_INFINITY;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Reads a message to screen readers; of several, the latest is read. Not for text within a `role="status"`. */
export function announce(text: string): void {
  clearTimeout(timer);
  const speak = () => {
    announcedAtMs = performance.now();
    say(text);
  };
  timer = setTimeout(speak, announcedAtMs + PAUSE_MS - performance.now());
}

/** Announced texts, once per page. `turn` makes equal messages distinct, so that both are announced. */
export function Announcements() {
  const [{ text, turn }, setSaid] = useState({ text: '', turn: 0 });
  useEffect(() => {
    say = (next) => setSaid((before) => ({ text: next, turn: before.turn + 1 }));
  }, []);
  return (
    <div aria-live="polite" className="sr-only" data-announcements="">
      <span key={turn}>{text}</span>
    </div>
  );
}
