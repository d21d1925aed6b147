'use client';
import { useQuery } from '@tanstack/react-query';
import * as z from 'zod/mini';
import { type FeedId, parseFeedId } from '@/lib/core/feed';
import { AnswerFailed, answerReader, getAnswer, pollEvery } from '@/lib/core/gateway';
import type { Failure } from '@/lib/core/outcome';
import { CHANNELS, type RouterSymbol } from '@/lib/core/router-price';
import { searchFeeds } from '@/lib/feeds/client/directory';
import { SYMBOL_FACETS, type SymbolFacet, type SymbolSort, type SymbolsView } from './view';

export type SymbolSource = 'router' | 'updates';

/** State of a service's list. `failed` with `asOfMs`: the rows are from an earlier answer, received at that unix ms. */
const source = z.discriminatedUnion('state', [
  z.object({ state: z.literal('ok'), asOfMs: z.number() }),
  z.object({
    state: z.literal('failed'),
    failure: z.custom<Failure>((value) => typeof (value as Failure | null)?.detail === 'string'),
    asOfMs: z.optional(z.number()),
  }),
  z.object({ state: z.literal('unconfigured') }),
]);
export type SourceStatus = z.infer<typeof source>;

/**
 * A feed with the ids that the services give. Texts come from the services and may be empty; a feed without a symbol
 * shows its id.
 */
export type FeedSymbol = Readonly<
  Omit<RouterSymbol, 'routerId' | 'feedId' | 'quoteCurrency'> & { routerId?: string; feedId?: FeedId }
>;

/** `GET /api/view/symbols`: every feed of either service, each once, by symbol. */
const symbolsAnswer = z.object({
  symbols: z.pipe(
    z.array(z.unknown()),
    z.transform((rows: unknown[]) => rows.filter(isSymbol)),
  ),
  sources: z.object({ router: source, updates: source }),
  /** Rows of both lists without a feed id. */
  unreadable: z.number(),
});
export type SymbolsAnswer = z.infer<typeof symbolsAnswer>;

/** Type guard; rows without a feed id are left out. */
function isSymbol(row: unknown): row is FeedSymbol {
  const { routerId, feedId } = (row ?? {}) as Partial<FeedSymbol>;
  return typeof routerId === 'string' || (feedId !== undefined && parseFeedId(String(feedId)) === feedId);
}

/** Reads the answer of our own route; rows without a feed id are left out. */
export const readSymbolsAnswer = answerReader(symbolsAnswer, 'symbol directory');

/** Our server requests a failed list again after this long. */
const RETRY_MS = 30_000;
/** How long an answer stays fresh: feeds are added rarely. */
const STALE_TIME_MS = 10 * 60_000;

/** The symbol directory, fetched once for all parts of the page, and polled while a service's list is missing. */
export function useSymbols() {
  const { data: answer, error } = useQuery({
    queryKey: ['symbols'],
    queryFn: ({ signal }) => getAnswer('/api/view/symbols', readSymbolsAnswer, signal),
    staleTime: STALE_TIME_MS,
    refetchOnWindowFocus: false,
    refetchInterval: (query) => {
      const { data, status } = query.state;
      const lists = Object.values(data?.sources ?? {});
      const isMissing = status === 'error' || lists.some(({ state }) => state === 'failed');
      return isMissing && pollEvery(RETRY_MS)(query);
    },
  });
  return { answer, failure: error instanceof AnswerFailed ? error.failure : undefined };
}

/** Values to sort and filter by; empty where no service has one. */
const VALUES: Record<Exclude<SymbolSort, 'best'>, (feed: FeedSymbol) => string> = {
  symbol: ({ symbol }) => symbol,
  class: ({ assetType }) => assetType,
  state: ({ state = '' }) => state,
  channel: ({ minChannel = '' }) => minChannel,
  router: ({ routerId = '' }) => routerId,
};

const collator = new Intl.Collator('en', { numeric: true });

/** Unknown values sort last. */
function byText(a: string, b: string): number {
  if (a === '' || b === '') return Number(a === '') - Number(b === '');
  return collator.compare(a, b);
}

const channelRank = (channel: string) => {
  const rank = (CHANNELS as readonly string[]).indexOf(channel);
  return rank < 0 ? CHANNELS.length : rank;
};
/** Fastest first, unknown channels last. */
const byChannel = (a: string, b: string) => channelRank(a) - channelRank(b) || byText(a, b);

/** Symbols of a view in its order, and the options of each filter. A chosen option is listed even with 0 symbols. */
export function shownSymbols(all: readonly FeedSymbol[], { find, sort, order, ...chosen }: SymbolsView) {
  const matches = searchFeeds(all, find);
  const having = (facets: readonly SymbolFacet[]) =>
    matches.filter((feed) =>
      facets.every((facet) => chosen[facet].length === 0 || chosen[facet].includes(VALUES[facet](feed))),
    );
  /** Options of a filter, each with its number of symbols among those that pass all other filters. */
  const countsOf = (facet: SymbolFacet) => {
    const counts = new Map(chosen[facet].map((value) => [value, 0]));
    for (const feed of having(SYMBOL_FACETS.filter((other) => other !== facet))) {
      const value = VALUES[facet](feed);
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    const compare = facet === 'channel' ? byChannel : byText;
    return [...counts].map(([value, count]) => ({ value, count })).sort((a, b) => compare(a.value, b.value));
  };
  const symbols = having(SYMBOL_FACETS);
  if (sort !== 'best') {
    const compare = sort === 'channel' ? byChannel : byText;
    const sign = order === 'descending' ? -1 : 1;
    const value = VALUES[sort];
    symbols.sort((a, b) => {
      const [valueA, valueB] = [value(a), value(b)];
      return valueA === '' || valueB === '' ? byText(valueA, valueB) : sign * compare(valueA, valueB);
    });
  }
  const counts = { class: countsOf('class'), state: countsOf('state'), channel: countsOf('channel') };
  return { symbols, counts };
}
