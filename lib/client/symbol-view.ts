import { formatPricesUrl, parsePriceReference, USUAL_PRICES } from '@/lib/contract/codec/prices-url';
import type { FeedSymbol } from '@/lib/contract/codec/symbols';
import type { SymbolFacet, SymbolSort, SymbolsView } from '@/lib/contract/codec/symbols-url';
import { CHANNELS } from '@/lib/domain/router-price';
import { findSymbols } from './symbol-directory';

/** A value that can be chosen, and how many symbols have it among those that all other choices let pass. */
export type FacetCount = { readonly value: string; readonly count: number };

/** What a view shows of the directory. */
export type ShownSymbols = {
  readonly symbols: readonly FeedSymbol[];
  /** By facet, in the order in which they are offered; chosen values are among them, with 0 where nothing is left. */
  readonly counts: Readonly<Record<SymbolFacet, readonly FacetCount[]>>;
};

/** The value of a symbol in a facet, as the services write it; '' where none tells it. */
export function facetValue(feed: FeedSymbol, facet: SymbolFacet): string {
  switch (facet) {
    case 'class':
      return feed.assetType;
    case 'state':
      return feed.state ?? '';
    case 'channel':
      return feed.minChannel ?? '';
  }
}

/** The symbols of a view, in its order, and the counts of what can be chosen. */
export function shownSymbols(all: readonly FeedSymbol[], view: SymbolsView): ShownSymbols {
  const found = findSymbols(all, view.find);
  const passing = (facets: readonly SymbolFacet[]) =>
    found.filter((feed) =>
      facets.every((facet) => {
        const chosen = view.chosen[facet];
        return chosen.length === 0 || chosen.includes(facetValue(feed, facet));
      }),
    );
  const countsOf = (facet: SymbolFacet, others: readonly SymbolFacet[]) =>
    counted(passing(others), facet, view.chosen[facet]);
  return {
    symbols: sortedBy(passing(['class', 'state', 'channel']), view.sort),
    counts: {
      class: countsOf('class', ['state', 'channel']),
      state: countsOf('state', ['class', 'channel']),
      channel: countsOf('channel', ['class', 'state']),
    },
  };
}

function counted(
  symbols: readonly FeedSymbol[],
  facet: SymbolFacet,
  chosen: readonly string[],
): readonly FacetCount[] {
  const counts = new Map<string, number>(chosen.map((value) => [value, 0]));
  for (const feed of symbols) {
    const value = facetValue(feed, facet);
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  const order = facet === 'channel' ? byChannel : byText;
  return [...counts].map(([value, count]) => ({ value, count })).sort((a, b) => order(a.value, b.value));
}

const collator = new Intl.Collator('en', { numeric: true });

/** What no service tells comes last. */
function byText(a: string, b: string): number {
  if (a === '' || b === '') return Number(a === '') - Number(b === '');
  return collator.compare(a, b);
}

/** Fastest first, then those that nobody knows. */
function byChannel(a: string, b: string): number {
  return channelRank(a) - channelRank(b) || byText(a, b);
}

function channelRank(channel: string): number {
  const rank = (CHANNELS as readonly string[]).indexOf(channel);
  return rank < 0 ? CHANNELS.length : rank;
}

/** Router ids are integers of 64 bits, written in decimal digits. */
function byDigits(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  return a.length - b.length || (a < b ? -1 : Number(a > b));
}

const ORDERS: Record<Exclude<SymbolSort, 'best'>, (a: FeedSymbol, b: FeedSymbol) => number> = {
  symbol: (a, b) => byText(a.symbol, b.symbol),
  class: (a, b) => byText(a.assetType, b.assetType),
  state: (a, b) => byText(a.state ?? '', b.state ?? ''),
  channel: (a, b) => byChannel(a.minChannel ?? '', b.minChannel ?? ''),
  router: (a, b) => byDigits(a.routerId, b.routerId),
};

/** `best` is the order in which they were found; among equals that order stays. */
function sortedBy(symbols: readonly FeedSymbol[], sort: SymbolSort): readonly FeedSymbol[] {
  return sort === 'best' ? symbols : symbols.toSorted(ORDERS[sort]);
}

/** The address of a lookup of these symbols: by feed id, which leads to both services, else by router id. */
export function lookupUrl(symbols: readonly FeedSymbol[]): '/prices' | `/prices?${string}` {
  const feeds = symbols.flatMap(
    ({ feedId, routerId }) => parsePriceReference(feedId ?? routerId ?? '') ?? [],
  );
  return formatPricesUrl({ ...USUAL_PRICES, feeds });
}
