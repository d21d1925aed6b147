'use client';
import { useQuery } from '@tanstack/react-query';
import { answerReader, fetchGatewayText } from '@/lib/core/gateway';
import type { Failure, Outcome } from '@/lib/core/outcome';
import { CHANNELS } from '@/lib/core/router-price';
import { searchFeeds } from '@/lib/feeds/client/directory';
import { type FeedSymbol, type SymbolsAnswer, symbolsAnswer } from './symbols-answer';
import type { SymbolFacet, SymbolSort, SymbolsView } from './view';

/** Reads what our own route answers; rows that name no feed are left out. */
export const readSymbolsAnswer = answerReader(symbolsAnswer, 'symbol directory');

/** The directory as a page has it: each state says all that can be shown of it. */
export type SymbolsStatus =
  | { readonly state: 'loading' }
  /** Our own server gave no directory. */
  | { readonly state: 'failed'; readonly failure: Failure }
  | { readonly state: 'loaded'; readonly answer: SymbolsAnswer };

/** Our server asks a service that failed again after this. */
const RETRY_MS = 30_000;
/** Feeds are added now and then, not by the minute. */
const FRESH_MS = 10 * 60_000;

function isComplete(outcome: Outcome<SymbolsAnswer>): boolean {
  return outcome.ok && Object.values(outcome.value.sources).every(({ state }) => state !== 'failed');
}

/** The symbol directory, fetched once for all parts of the page, and again by itself while a service's list is missing. */
export function useSymbols(): SymbolsStatus {
  const { data } = useQuery({
    queryKey: ['symbols'],
    queryFn: async ({ signal }): Promise<Outcome<SymbolsAnswer>> => {
      const text = await fetchGatewayText('/api/view/symbols', signal);
      return text.ok ? readSymbolsAnswer(text.value) : text;
    },
    staleTime: FRESH_MS,
    refetchOnWindowFocus: false,
    refetchInterval: ({ state }) => (state.data === undefined || isComplete(state.data) ? false : RETRY_MS),
  });
  if (data === undefined) return { state: 'loading' };
  return data.ok ? { state: 'loaded', answer: data.value } : { state: 'failed', failure: data.failure };
}

/** A value that can be chosen, and how many symbols have it among those that all other choices let pass. */
export type FacetCount = { readonly value: string; readonly count: number };

const FACET_VALUES: Readonly<Record<SymbolFacet, (feed: FeedSymbol) => string>> = {
  class: ({ assetType }) => assetType,
  state: ({ state }) => state ?? '',
  channel: ({ minChannel }) => minChannel ?? '',
};

const collator = new Intl.Collator('en', { numeric: true });

/** What no service tells comes last. */
function byText(a = '', b = ''): number {
  if (a === '' || b === '') return Number(a === '') - Number(b === '');
  return collator.compare(a, b);
}

const channelRank = (channel: string) => {
  const rank = (CHANNELS as readonly string[]).indexOf(channel);
  return rank < 0 ? CHANNELS.length : rank;
};
/** Fastest first, then those that nobody knows. */
const byChannel = (a = '', b = '') => channelRank(a) - channelRank(b) || byText(a, b);

const ORDERS: Record<Exclude<SymbolSort, 'best'>, (a: FeedSymbol, b: FeedSymbol) => number> = {
  symbol: (a, b) => byText(a.symbol, b.symbol),
  class: (a, b) => byText(a.assetType, b.assetType),
  state: (a, b) => byText(a.state, b.state),
  channel: (a, b) => byChannel(a.minChannel, b.minChannel),
  router: (a, b) => byText(a.routerId, b.routerId),
};

/** The symbols of a view, in its order, and what can be chosen; chosen values are among it, with 0 where none is left. */
export function shownSymbols(all: readonly FeedSymbol[], view: SymbolsView) {
  const found = searchFeeds(all, view.find);
  const passes = (feed: FeedSymbol, facet: SymbolFacet) =>
    view[facet].length === 0 || view[facet].includes(FACET_VALUES[facet](feed));
  const countsOf = (facet: SymbolFacet): readonly FacetCount[] => {
    const counts = new Map<string, number>(view[facet].map((value) => [value, 0]));
    const others = (['class', 'state', 'channel'] as const).filter((other) => other !== facet);
    for (const feed of found.filter((one) => others.every((other) => passes(one, other)))) {
      const value = FACET_VALUES[facet](feed);
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    const order = facet === 'channel' ? byChannel : byText;
    return [...counts].map(([value, count]) => ({ value, count })).sort((a, b) => order(a.value, b.value));
  };
  const shown = found.filter(
    (feed) => passes(feed, 'class') && passes(feed, 'state') && passes(feed, 'channel'),
  );
  return {
    symbols: view.sort === 'best' ? shown : shown.toSorted(ORDERS[view.sort]),
    counts: { class: countsOf('class'), state: countsOf('state'), channel: countsOf('channel') },
  };
}
