'use client';
import { useSyncExternalStore } from 'react';
import { type Announcement, Announcer } from './announcer';

/** One voice for the page; it is silent on the server. */
const announcer = new Announcer({
  now: () => performance.now(),
  setTimer: (run, ms) => setTimeout(run, ms),
});

const SILENCE: Announcement = { text: '', turn: 0 };

/**
 * Says something to people who can't see the page change: politely, at most one message per five seconds, of which
 * the latest wins. The function is always the same one. Not for what stands in a `role="status"` already.
 */
export function useAnnounce(): (text: string) => void {
  return announcer.say;
}

/** Where the messages stand; once per page. */
export function Announcements() {
  const { text, turn } = useSyncExternalStore(announcer.subscribe, announcer.current, () => SILENCE);
  return (
    <div aria-live="polite" className="sr-only" data-announcements="">
      <span key={turn}>{text}</span>
    </div>
  );
}
