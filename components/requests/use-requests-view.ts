'use client';
import { useSearchParams } from 'next/navigation';
import { useMemo } from 'react';
import { formatRequestsUrl, parseRequestsUrl, type RequestsView } from '@/lib/contract/codec/requests-url';

/** `push`: Back returns to what was before. `replace`: for typing, where every pause would else be a step back. */
export type ShowView = (view: RequestsView, as: 'push' | 'replace') => void;

function show(view: RequestsView, as: 'push' | 'replace'): void {
  const address = formatRequestsUrl(view);
  if (as === 'push') window.history.pushState(null, '', address);
  else window.history.replaceState(null, '', address);
}

/** The URL is the view: what it says, what of it can't be read, and how to change it. */
export function useRequestsView() {
  const params = useSearchParams();
  const parsed = useMemo(() => parseRequestsUrl(new URLSearchParams(params?.toString())), [params]);
  return { ...parsed, show: show satisfies ShowView };
}
