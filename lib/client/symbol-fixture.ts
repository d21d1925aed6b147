import type { FeedSymbol } from '@/lib/contract/codec/symbols';
import { type FeedId, parseFeedId } from '@/lib/domain/feed';

/** The feed id that a number stands for in tests. */
export function feedIdOf(n: number): FeedId {
  const id = parseFeedId(n.toString(16).padStart(64, '0'));
  if (id === undefined) throw new Error(`${n} makes no feed id`);
  return id;
}

/** A symbol of both services for tests, with whatever is said of it. */
export function symbolOf(n: number, symbol: string, told: Partial<FeedSymbol> = {}): FeedSymbol {
  return {
    routerId: String(n),
    feedId: feedIdOf(n),
    listedBy: 'both',
    symbol,
    name: symbol.replaceAll(/^[^.]*\.|\//g, ''),
    description: '',
    assetType: 'crypto',
    state: 'stable',
    minChannel: 'real_time',
    ...told,
  };
}
