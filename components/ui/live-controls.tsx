'use client';
import { type ReactNode, useSyncExternalStore } from 'react';

const never = () => () => {};

/** Whether the page's scripts run: false in the server's markup and in the first pass over it. */
export function useLive(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}

/**
 * Controls that do nothing before the page's scripts run: until then they are disabled, though they look the same,
 * because a choice that is made earlier would be lost without a word.
 */
export function LiveControls({ children }: { children: ReactNode }) {
  const live = useLive();
  return (
    <fieldset className="live-controls" disabled={!live}>
      {children}
    </fieldset>
  );
}
