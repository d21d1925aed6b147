'use client';
import { type ReactNode, useSyncExternalStore } from 'react';
import classes from './live-controls.module.css';

const never = () => () => {};

/**
 * Controls that do nothing before the page's scripts run: until then they are disabled, though they look the same,
 * because a choice that is made earlier would be lost without a word.
 */
export function LiveControls({ children }: { children: ReactNode }) {
  const live = useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
  return (
    <fieldset className={classes.controls} disabled={!live}>
      {children}
    </fieldset>
  );
}
