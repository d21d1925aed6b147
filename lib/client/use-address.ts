'use client';
import { useSearchParams } from 'next/navigation';
import { startTransition, useCallback, useOptimistic } from 'react';

/** `push`: Back returns to what was before. `replace`: one of many small steps, such as typing. */
export type HistoryStep = 'push' | 'replace';

const listeners = new Set<() => void>();

/** Sets the address of the page without asking the server. @param address path with its query */
export function setAddress(address: string, step: HistoryStep): void {
  if (step === 'push') window.history.pushState(null, '', address);
  else window.history.replaceState(null, '', address);
  for (const listener of listeners) listener();
}

/** Calls back at once whenever the address was set by `setAddress`, or by Back and Forward. @returns ends that */
export function onAddressSet(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener('popstate', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('popstate', listener);
  };
}

/**
 * The query of the address, and how to set another address of the same page. The router tells of a new address a little
 * later than it is set; what was ticked must not spring back meanwhile, so a query that is set here shows at once.
 */
export function useAddress(): { query: string; show: typeof setAddress } {
  const [query, showQuery] = useOptimistic(useSearchParams()?.toString() ?? '');
  const show = useCallback(
    (address: string, step: HistoryStep) =>
      startTransition(() => {
        showQuery(address.split('?')[1] ?? '');
        setAddress(address, step);
      }),
    [showQuery],
  );
  return { query, show };
}
