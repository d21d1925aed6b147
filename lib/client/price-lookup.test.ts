import { describe, expect, it } from 'vitest';
import { parsePriceReference } from '@/lib/contract/codec/prices-url';
import type { FeedSymbol } from '@/lib/contract/codec/symbols';
import { resolveFeeds } from './price-lookup';
import { numberedFeed } from './price-lookup-fakes';

function listed(n: number, symbol: string, change: Partial<FeedSymbol> = {}): FeedSymbol {
  const { feedId } = numberedFeed(n);
  return {
    ...{ listedBy: 'both', symbol, name: '', description: '', assetType: 'crypto' },
    ...{ routerId: String(n), minChannel: 'real_time', state: 'stable', exponent: -8 },
    ...(feedId === undefined ? {} : { feedId }),
    ...change,
  };
}

const SYMBOLS = [listed(1, 'Crypto.BTC/USD'), listed(2, 'Crypto.ETH/USD'), listed(3, 'Other.ETH/USD')];
const refer = (...texts: string[]) => texts.flatMap((text) => parsePriceReference(text) ?? []);

describe('the feeds of a lookup', () => {
  it('are linked by the directory, whichever id or symbol names them, each once', () => {
    const id = numberedFeed(1).feedId ?? '';
    const { feeds, unknown } = resolveFeeds(refer('BTC/USD', id, '1', 'Crypto.ETH/USD'), SYMBOLS);
    expect(feeds.map(({ symbol, feedId, routerId }) => [symbol, feedId === id, routerId])).toEqual([
      ['Crypto.BTC/USD', true, '1'],
      ['Crypto.ETH/USD', false, '2'],
    ]);
    expect(unknown).toEqual([]);
  });

  it('that nobody lists are named; one name of two feeds is none', () => {
    expect(resolveFeeds(refer('ETH/USD', 'Moon'), SYMBOLS).unknown).toEqual(['ETH/USD', 'Moon']);
  });

  it('need no directory when ids are given', () => {
    const id = numberedFeed(9).feedId ?? '';
    const { feeds, unknown } = resolveFeeds(refer(id, '7', `8:${numberedFeed(8).feedId}`), []);
    expect(feeds.map(({ symbol, routerId }) => [symbol, routerId])).toEqual([
      [id, undefined],
      ['7', '7'],
      [`8:${numberedFeed(8).feedId}`, '8'],
    ]);
    expect(unknown).toEqual([]);
  });

  it('given by both ids are these, though the directory tells another pair', () => {
    const [feed] = resolveFeeds(refer(`77:${numberedFeed(1).feedId}`), SYMBOLS).feeds;
    expect(feed).toMatchObject({ symbol: 'Crypto.BTC/USD', routerId: '77' });
    expect(feed?.minChannel).toBeUndefined();
  });
});
