'use client';
import { useSearchParams } from 'next/navigation';
import { useMemo } from 'react';
import { type HistoryStep, queryNow, setAddress } from '@/lib/client/use-address';
import { formatRequestsUrl, parseRequestsUrl, type RequestsView } from '@/lib/requests/view';

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
  return parseRequestsUrl(queryNow()).view;
}

function show(...[change, as]: Parameters<ShowView>): void {
  const view = viewOfAddress();
  setAddress(formatRequestsUrl(change(view)), typeof as === 'function' ? as(view) : as);
}

/** The URL is the view: what it says, what of it can't be read, and how to change it. */
export function useRequestsView() {
  const params = useSearchParams();
  const parsed = useMemo(() => parseRequestsUrl(new URLSearchParams(params?.toString())), [params]);
  return { ...parsed, show };
}
