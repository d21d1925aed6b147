'use client';
import { useSearchParams } from 'next/navigation';
import { useCallback, useMemo } from 'react';
import { formatSymbolsUrl, parseSymbolsUrl, type SymbolsView } from '@/lib/contract/codec/symbols-url';

/** Changes what is shown. `push`: Back undoes it; `replace`: one of many small steps. */
export type ShowSymbols = (change: (now: SymbolsView) => SymbolsView, how: 'push' | 'replace') => void;

/** What the directory shows, which its address says, and how to change that. */
export function useSymbolsView() {
  const query = useSearchParams()?.toString() ?? '';
  const parsed = useMemo(() => parseSymbolsUrl(new URLSearchParams(query)), [query]);
  const show: ShowSymbols = useCallback((change, how) => {
    const now = parseSymbolsUrl(new URLSearchParams(window.location.search)).view;
    const address = formatSymbolsUrl(change(now));
    if (how === 'push') window.history.pushState(null, '', address);
    else window.history.replaceState(null, '', address);
  }, []);
  return { ...parsed, show };
}
