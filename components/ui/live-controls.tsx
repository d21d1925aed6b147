'use client';
import { type ReactNode, useSyncExternalStore } from 'react';

const never = () => () => {};
const [yes, no] = [() => true, () => false];

/** Whether the page's scripts run: false in the server's markup and in the first pass over it. */
export const useLive = () => useSyncExternalStore(never, yes, no);

/** Disabled until the page's scripts run, though they look the same: an earlier choice would be lost without a word. */
export function LiveControls({ children }: { children: ReactNode }) {
  const live = useLive();
  return (
    <fieldset className="live-controls" disabled={!live}>
      {children}
    </fieldset>
  );
}
