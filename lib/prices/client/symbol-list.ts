import { CHANNELS } from '@/lib/core/router-price';
import { searchFeeds } from '@/lib/feeds/client/directory';
import type { FeedSymbol } from '@/lib/prices/symbols-response';
import { SYMBOL_FACETS, type SymbolFacet, type SymbolSort, type SymbolsView } from '@/lib/prices/view';

/** Values by which a list is sorted; empty if no service has the value. */
const VALUES: Record<Exclude<SymbolSort, 'best'>, (feed: FeedSymbol) => string> = {
  symbol: ({ symbol }) => symbol,
  class: ({ assetType }) => assetType,
  state: ({ state = '' }) => state,
  channel: ({ minChannel = '' }) => minChannel,
  router: ({ routerId = '' }) => routerId,
};

const collator = new Intl.Collator('en', { numeric: true });

/** Compares texts; unknown values sort last. */
function byText(a: string, b: string): number {
  if (a === '' || b === '') return Number(a === '') - Number(b === '');
  return collator.compare(a, b);
}

const channelRank = (channel: string) => {
  const rank = (CHANNELS as readonly string[]).indexOf(channel);
  return rank < 0 ? CHANNELS.length : rank;
};
/** Orders the fastest channel first and unknown channels last. */
const byChannel = (a: string, b: string) => channelRank(a) - channelRank(b) || byText(a, b);

/** Symbols in order, and the options of each filter. A selected option is listed even with 0 symbols. */
export function shownSymbols(all: readonly FeedSymbol[], { find, sort, order, ...chosen }: SymbolsView) {
  const matches = searchFeeds(all, find);
  const having = (facets: readonly SymbolFacet[]) =>
    matches.filter((feed) =>
      facets.every((facet) => chosen[facet].length === 0 || chosen[facet].includes(VALUES[facet](feed))),
    );
  /** Numbers of symbols among those that pass all other filters. */
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
