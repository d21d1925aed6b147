'use client';
import { type ComponentType, useRef, useState } from 'react';

type Standing<P> =
  | { readonly kind: 'closed' }
  | { readonly kind: 'open'; readonly Part: ComponentType<P> }
  | { readonly kind: 'missing' };

/**
 * A part of the page whose script is loaded when it is opened for the first time. `missing`: it could not be loaded,
 * as after an update of the server, whose old scripts are gone; the page itself goes on. Closed before it has come, it
 * stays closed.
 */
export function useOnDemand<P>(load: () => Promise<{ default: ComponentType<P> }>) {
  const [standing, setStanding] = useState<Standing<P>>({ kind: 'closed' });
  const wanted = useRef<'yes' | 'no'>('no');
  const show = (standing: Standing<P>) => {
    if (wanted.current === 'yes') setStanding(standing);
  };
  const open = () => {
    wanted.current = 'yes';
    return load().then(
      (loaded) => show({ kind: 'open', Part: loaded.default }),
      () => show({ kind: 'missing' }),
    );
  };
  const close = () => {
    wanted.current = 'no';
    setStanding({ kind: 'closed' });
  };
  return { standing, open, close };
}
