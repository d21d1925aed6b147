'use client';
import { useSearchParams } from 'next/navigation';
import { useMemo } from 'react';
import { formatRequestsUrl, parseRequestsUrl, type RequestsView } from '@/lib/contract/codec/requests-url';

/** `push`: Back returns to what was before. `replace`: for typing, where every pause would else be a step back. */
type HistoryStep = 'push' | 'replace';

/**
 * Changes the view. A change is given the view of the address as it is now: a page of rows takes a while to be drawn,
 * and what was chosen meanwhile would else be lost.
 */
export type ShowView = (
  change: (view: RequestsView) => RequestsView,
  as: HistoryStep | ((view: RequestsView) => HistoryStep),
) => void;

/** The view of the address as it is now, which may be ahead of what is drawn. */
export function viewOfAddress(): RequestsView {
  return parseRequestsUrl(new URLSearchParams(window.location.search)).view;
}

function show(...[change, as]: Parameters<ShowView>): void {
  const view = viewOfAddress();
  const address = formatRequestsUrl(change(view));
  const step = typeof as === 'function' ? as(view) : as;
  if (step === 'push') window.history.pushState(null, '', address);
  else window.history.replaceState(null, '', address);
}

/** The URL is the view: what it says, what of it can't be read, and how to change it. */
export function useRequestsView() {
  const params = useSearchParams();
  const parsed = useMemo(() => parseRequestsUrl(new URLSearchParams(params?.toString())), [params]);
  return { ...parsed, show };
}
