'use client';
import { useCallback, useMemo } from 'react';
import { type HistoryStep, queryNow, useAddress } from '@/lib/client/use-address';
import { formatPricesUrl, type PricesView, parsePricesUrl } from '@/lib/contract/codec/prices-url';

/** Changes what is looked up. */
export type ShowPrices = (change: (now: PricesView) => PricesView, how?: HistoryStep) => void;

/** What the page looks up, which its address says, and how to change that. */
export function usePricesView() {
  const { query, show: showAddress } = useAddress();
  const parsed = useMemo(() => parsePricesUrl(new URLSearchParams(query)), [query]);
  const show: ShowPrices = useCallback(
    (change, how = 'push') => {
      const now = parsePricesUrl(queryNow()).view;
      showAddress(formatPricesUrl(change(now)), how);
    },
    [showAddress],
  );
  return { ...parsed, show };
}
