'use client';
import { type ReactNode, useSyncExternalStore } from 'react';

const never = () => () => {};
const [yes, no] = [() => true, () => false];

/** False in the server's markup and in the first render. */
export const useLive = () => useSyncExternalStore(never, yes, no);

/** Disables controls until the page is hydrated, without changing their look. An earlier choice would be lost silently. */
export function LiveControls({ children }: { children: ReactNode }) {
  const live = useLive();
  return (
    <fieldset className="live-controls" disabled={!live}>
      {children}
    </fieldset>
  );
}
