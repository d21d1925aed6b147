'use client';
import { type ComponentType, useState } from 'react';

/** How a part stands that is loaded on demand; `closed` also while it is on its way. */
export type Standing<P> =
  | { readonly kind: 'closed' }
  | { readonly kind: 'open'; readonly Part: ComponentType<P> }
  | { readonly kind: 'missing' };

/**
 * A part of the page whose script is loaded when it is opened for the first time. `missing`: it could not be loaded,
 * as after an update of the server, whose old scripts are gone; the page itself goes on.
 */
export function useOnDemand<P>(load: () => Promise<{ default: ComponentType<P> }>) {
  const [standing, setStanding] = useState<Standing<P>>({ kind: 'closed' });
  const open = () =>
    load().then(
      (loaded) => setStanding({ kind: 'open', Part: loaded.default }),
      () => setStanding({ kind: 'missing' }),
    );
  const close = () => setStanding({ kind: 'closed' });
  return { standing, open, close };
}
