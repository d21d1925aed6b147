'use client';
import { useCallback, useMemo } from 'react';
import { type HistoryStep, queryNow, useAddress } from '@/lib/client/use-address';
import { formatSymbolsUrl, parseSymbolsUrl, type SymbolsView } from '@/lib/contract/codec/symbols-url';

/** Changes what is shown. */
export type ShowSymbols = (change: (now: SymbolsView) => SymbolsView, how: HistoryStep) => void;

/** What the directory shows, which its address says, and how to change that. */
export function useSymbolsView() {
  const { query, show: showAddress } = useAddress();
  const parsed = useMemo(() => parseSymbolsUrl(new URLSearchParams(query)), [query]);
  const show: ShowSymbols = useCallback(
    (change, how) => {
      const now = parseSymbolsUrl(queryNow()).view;
      showAddress(formatSymbolsUrl(change(now)), how);
    },
    [showAddress],
  );
  return { ...parsed, show };
}
