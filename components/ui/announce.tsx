'use client';
import { useEffect, useState } from 'react';

/** Assistive technology reads every message to its end; more than one in this time would talk over the work. */
const PAUSE_MS = 5000;

let say = (_text: string) => {};
let saidAtMs = Number.NEGATIVE_INFINITY;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Tells people who can't see the page change; the latest message wins. Not for what stands in a `role="status"` already. */
export function announce(text: string): void {
  clearTimeout(timer);
  const speak = () => {
    saidAtMs = performance.now();
    say(text);
  };
  timer = setTimeout(speak, saidAtMs + PAUSE_MS - performance.now());
}

/** Where the messages stand; once per page. `turn` tells two equal ones apart, so that the second one is said as well. */
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
