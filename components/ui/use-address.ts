'use client';
import { useSearchParams } from 'next/navigation';
import { startTransition, useCallback, useLayoutEffect, useOptimistic, useState } from 'react';

/** `push`: Back returns to what was before. `replace`: one of many small steps, such as typing. */
export type HistoryStep = 'push' | 'replace';

const addresses = setAddresses();
const listeners = new Set<() => void>();
let drawRound: ((round: number) => void) | undefined;

const forget = () => addresses.drawn(Number.POSITIVE_INFINITY);

// After Back and Forward the bar is right. First, so that every listener of `onAddressSet` finds it so.
if (typeof window !== 'undefined') window.addEventListener('popstate', forget);

/** Learns which of the addresses that were set are drawn: once on every page that sets any. */
export function AddressRounds(): null {
  const [round, draw] = useState(0);
  useLayoutEffect(() => {
    drawRound = draw;
    return () => {
      drawRound = undefined;
      forget();
    };
  }, []);
  useLayoutEffect(() => addresses.drawn(round), [round]);
  return null;
}

/** Keeps what the bar says now. The round is drawn together with what the router draws of the same event. */
function keepBar(): void {
  if (drawRound === undefined) return;
  const { pathname: path, search: query } = window.location;
  const round = addresses.set({ path, query });
  const draw = drawRound;
  startTransition(() => draw(round));
}

/** Sets the address of the page without asking the server. @param address path with its query */
export function setAddress(address: string, step: HistoryStep): void {
  if (step === 'push') window.history.pushState(null, '', address);
  else window.history.replaceState(null, '', address);
  keepBar();
  for (const listener of listeners) listener();
}

/** The query of the address as it was set last, which may be ahead of what is drawn and of what the address bar says. */
export function queryNow(): URLSearchParams {
  const { pathname, search } = window.location;
  const latest = addresses.latest();
  return new URLSearchParams(latest?.path === pathname ? latest.query : search);
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

export type SetAddress = { readonly path: string; readonly query: string };

/**
 * The addresses that were set and that are not drawn yet. While the router catches up with several in a row it writes
 * an older one into the address bar for a moment, so the bar can't be asked what was chosen last.
 */
export function setAddresses() {
  let round = 0;
  let undrawn: (SetAddress & { round: number })[] = [];
  return {
    /** @returns the number of its round, greater than any before */
    set(address: SetAddress): number {
      round += 1;
      undrawn.push({ ...address, round });
      return round;
    },
    /** Everything up to this round is drawn, or was left out for what is. */
    drawn(upTo: number): void {
      undrawn = undrawn.filter((set) => set.round > upTo);
    },
    /** Undefined where the bar is right. */
    latest(): SetAddress | undefined {
      return undrawn.at(-1);
    },
  };
}
