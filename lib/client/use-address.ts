'use client';
import { usePathname, useSearchParams } from 'next/navigation';
import { startTransition, useCallback, useLayoutEffect, useOptimistic } from 'react';
import { setAddresses } from './set-addresses';

/** `push`: Back returns to what was before. `replace`: one of many small steps, such as typing. */
export type HistoryStep = 'push' | 'replace';

const addresses = setAddresses();
const listeners = new Set<() => void>();

// Before any listener of `onAddressSet` asks what the address is.
if (typeof window !== 'undefined') window.addEventListener('popstate', addresses.forget);

/** Path and query as they are compared: the same text for everything that means the same. */
function plainAddress(path: string, query: string): string {
  return `${path}?${new URLSearchParams(query)}`;
}

/** Sets the address of the page without asking the server. @param address path with its query */
export function setAddress(address: string, step: HistoryStep): void {
  const { pathname, search } = new URL(address, window.location.href);
  addresses.set(plainAddress(pathname, search));
  if (step === 'push') window.history.pushState(null, '', address);
  else window.history.replaceState(null, '', address);
  for (const listener of listeners) listener();
}

/** The query of the address as it was set last, which may be ahead of what is drawn and of what the address bar says. */
export function queryNow(): URLSearchParams {
  const { pathname, search } = window.location;
  const latest = addresses.latest();
  return new URLSearchParams(latest?.startsWith(`${pathname}?`) ? latest.slice(pathname.length) : search);
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

/** The query that the router tells of. Whoever sets addresses has to use it, or `queryNow` never hears that one is told of. */
export function useToldQuery(): string {
  const path = usePathname() ?? '';
  const query = useSearchParams()?.toString() ?? '';
  useLayoutEffect(() => addresses.tell(plainAddress(path, query)), [path, query]);
  return query;
}

/**
 * The query of the address, and how to set another address of the same page. The router tells of a new address a little
 * later than it is set; what was ticked must not spring back meanwhile, so a query that is set here shows at once.
 */
export function useAddress(): { query: string; show: typeof setAddress } {
  const [query, showQuery] = useOptimistic(useToldQuery());
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
