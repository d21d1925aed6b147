'use client';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { fetchGatewayText } from '@/lib/core/gateway';
import { DAY_MS, MINUTE_MS, millisToMicros } from '@/lib/core/time';
import { type LookupFeed, type LookupRequest, lookupCall, type SourceQuote } from '@/lib/prices/lookup';
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

type Quotes = ReadonlyMap<string, SourceQuote>;

/**
 * Last prices by router id, and those of a day before. One call each fetches all prices and is never repeated in parts: they are an extra,
 * and the router's call budget is for lookups.
 */
export function useLastPrices(symbols: readonly FeedSymbol[]): {
  prices: Quotes;
  dayAgo: Quotes;
  asOfMs: number | undefined;
} {
  const feeds = symbols.flatMap((feed): LookupFeed[] =>
    feed.routerId === undefined ? [] : [{ ...feed, key: feed.routerId, feedId: feed.feedId }],
  );
  const now = useQuotes(feeds, 'now');
  const isAnswered = now.quotes.size > 0;
  // Whole minutes, so that a cached answer serves again.
  const dayAgoMs = Math.floor((now.asOfMs - DAY_MS) / MINUTE_MS) * MINUTE_MS;
  const dayAgo = useQuotes(isAnswered ? feeds : [], millisToMicros(dayAgoMs));
  return { prices: now.quotes, dayAgo: dayAgo.quotes, asOfMs: isAnswered ? now.asOfMs : undefined };
}

function useQuotes(feeds: readonly LookupFeed[], at: LookupRequest['at']) {
  const ids = feeds.map(({ key }) => key).join(',');
  const [settled] = useDebouncedValue(ids, SETTLE_MS);
  const { data = NONE, dataUpdatedAt } = useQuery({
    queryKey: ['last-prices', ids, String(at)],
    queryFn: async ({ signal }) => {
      const call = lookupCall(
        { feeds, at, options: OPTIONS, directory: 'known' },
        'router',
        feeds,
        () => undefined,
      );
      const text = await fetchGatewayText(call.path, signal, { body: call.body });
      const read = text.ok ? readAnswer(call, text.value, Date.now()) : text;
      const cells = read.ok ? [...read.value.cells] : [];
      return new Map(
        cells.flatMap(([id, cell]) =>
          cell.kind === 'quote' && cell.quote.price !== undefined ? [[id, cell.quote] as const] : [],
        ),
      );
    },
    enabled: ids !== '' && settled === ids,
    staleTime: MINUTE_MS,
    refetchOnWindowFocus: false,
    retry: false,
    // Structural sharing needs JSON, but answers contain bigints.
    structuralSharing: false,
  });
  return { quotes: data, asOfMs: dataUpdatedAt };
}

const NONE: Quotes = new Map();
