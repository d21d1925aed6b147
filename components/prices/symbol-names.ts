import { distinctName } from '@/lib/core/feed';
import { clipped } from '@/lib/core/text';
import type { FeedSymbol } from '@/lib/prices/symbols-response';
import { lookupUrl, type SymbolSort } from '@/lib/prices/view';

export const keyOf = ({ routerId, feedId }: FeedSymbol) => `${routerId ?? ''}/${feedId ?? ''}`;

/** Clipped, because a service may send a text of any length. */
export const nameOf = ({ symbol }: FeedSymbol) => clipped(symbol, 80);

/** The name beside a symbol; empty if it would repeat it. */
export const nameBeside = ({ symbol, description, name }: FeedSymbol) =>
  clipped(distinctName(symbol, description || name), 80);

/** An inactive or announced symbol has no live prices to chart. */
export const isPublished = ({ state }: FeedSymbol) => state !== 'inactive' && state !== 'coming_soon';

/** Both services accept the feed id; the router id is only for feeds without one. */
export const lookupPath = (symbols: readonly FeedSymbol[]) =>
  lookupUrl('/prices', { ids: symbols.flatMap(({ feedId, routerId }) => feedId ?? routerId ?? []) });

export const UNKNOWN = 'Unknown';

/** Label for a service's term: `coming_soon` → `Coming soon`, `fx` → `FX`. Names with other characters are kept. */
export function wordsOf(word = ''): string {
  // Beside a currency, “stable” would read as a property of the coin.
  if (word === 'stable') return 'Active';
  if (!/^[a-z_]+$/.test(word)) return word;
  const head = word.length <= 3 ? word : word.charAt(0);
  return head.toUpperCase() + word.slice(head.length).replaceAll('_', ' ');
}

export const SYMBOL_TERMS: Record<SymbolSort, string> = {
  best: 'Best match',
  symbol: 'Symbol',
  class: 'Asset class',
  state: 'State',
  channel: 'Minimum channel',
  router: 'Router id',
};
