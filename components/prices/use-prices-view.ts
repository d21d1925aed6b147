'use client';
import { useSearchParams } from 'next/navigation';
import { useCallback, useMemo, useState } from 'react';
import { formatPricesUrl, type PricesView, parsePricesUrl } from '@/lib/contract/codec/prices-url';

/** Changes what is looked up. `push`: Back undoes it; `replace`: one of many small steps. */
export type ShowPrices = (change: (now: PricesView) => PricesView, how?: 'push' | 'replace') => void;

/**
 * What the page looks up, which its address says, and how to change that. The router tells of a new address a little later
 * than it is set; a box that was ticked must not jump back meanwhile, so until then the page knows it by itself.
 */
export function usePricesView() {
  const told = useSearchParams()?.toString() ?? '';
  const [ahead, setAhead] = useState<{ query: string; told: string }>();
  if (ahead !== undefined && ahead.told !== told) setAhead(undefined);
  const query = ahead?.told === told ? ahead.query : told;
  const parsed = useMemo(() => parsePricesUrl(new URLSearchParams(query)), [query]);
  const show: ShowPrices = useCallback(
    (change, how = 'push') => {
      const now = parsePricesUrl(new URLSearchParams(window.location.search)).view;
      const address = formatPricesUrl(change(now));
      setAhead({ query: address.split('?')[1] ?? '', told });
      if (how === 'push') window.history.pushState(null, '', address);
      else window.history.replaceState(null, '', address);
    },
    [told],
  );
  return { ...parsed, show };
}
