'use client';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { fetchGatewayText } from '@/lib/core/gateway';
import { MINUTE_MS } from '@/lib/core/time';
import { type LookupFeed, lookupCall, type SourceQuote } from '@/lib/prices/lookup';
import { readAnswer } from '@/lib/prices/lookup-cells';
import type { FeedSymbol } from '@/lib/prices/symbols-response';
import { lookupParsers } from '@/lib/prices/view';

/** Pause after the last change of the list, so that typing makes only one call. */
const SETTLE_MS = 600;

const OPTIONS = {
  sources: ['router' as const],
  channel: lookupParsers.channel.defaultValue,
  properties: ['price', 'exponent', 'feedUpdateTimestamp'],
  formats: [],
  encoding: lookupParsers.encoding.defaultValue,
  parsed: true,
  ignore_invalid_price_ids: true,
  verbose: false,
  binary: false,
};

/**
 * Last prices by router id. One call fetches all prices and is never repeated in parts: they are an extra, and the
 * router's call budget is for lookups.
 */
export function useLastPrices(symbols: readonly FeedSymbol[]): {
  prices: ReadonlyMap<string, SourceQuote>;
  asOfMs: number | undefined;
} {
  const feeds = symbols.flatMap((feed): LookupFeed[] =>
    feed.routerId === undefined ? [] : [{ ...feed, key: feed.routerId, feedId: feed.feedId }],
  );
  const ids = feeds.map(({ key }) => key).join(',');
  const [settled] = useDebouncedValue(ids, SETTLE_MS);
  const { data, dataUpdatedAt } = useQuery({
    queryKey: ['last-prices', ids],
    queryFn: async ({ signal }) => {
      const request = { feeds, at: 'now' as const, options: OPTIONS, directory: 'known' as const };
      const call = lookupCall(request, 'router', feeds, () => undefined);
      const text = await fetchGatewayText(call.path, signal, { body: call.body });
      const read = text.ok ? readAnswer(call, text.value, Date.now()) : text;
      return read.ok ? [...read.value.cells] : [];
    },
    enabled: ids !== '' && settled === ids,
    staleTime: MINUTE_MS,
    refetchOnWindowFocus: false,
    retry: false,
    // Structural sharing needs JSON, but answers contain bigints.
    structuralSharing: false,
  });
  const prices = (data ?? []).flatMap(([id, cell]) =>
    cell.kind === 'quote' && cell.quote.price !== undefined ? [[id, cell.quote] as const] : [],
  );
  return { prices: new Map(prices), asOfMs: prices.length === 0 ? undefined : dataUpdatedAt };
}
