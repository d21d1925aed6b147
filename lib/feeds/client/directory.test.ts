import { describe, expect, it } from 'vitest';
import { parseFeedId } from '@/lib/core/feed';
import type { FeedName } from '@/lib/feeds/board-url';
import { pastedIds, searchFeeds } from './directory';

function name(digit: string, symbol: string, assetType: string, description?: string): FeedName {
  const id = parseFeedId(digit.repeat(64));
  if (id === undefined) {
    throw new Error('not an id');
  }
  return { id, symbol, assetType, description };
}

const feeds = [
  name('1', 'Crypto.BTCB/USD', 'crypto', 'BINANCE BITCOIN'),
  name('2', 'Crypto.WBTC/USD', 'crypto', 'WRAPPED BITCOIN'),
  name('3', 'Crypto.BTC/USD', 'crypto', 'BITCOIN / US DOLLAR'),
  name('a', 'FX.EUR/USD', 'fx', 'EURO / US DOLLAR'),
  name('b', 'Equity.US.AAPL/USD', 'equity'),
];
const found = (text: string) => searchFeeds(feeds, text).map(({ symbol }) => symbol);

describe('searching feeds', () => {
  it('lists all of them for an empty text', () => {
    expect(found(' ')).toHaveLength(feeds.length);
  });

  it('puts the feed of that very name first', () => {
    expect(found('btc')).toEqual(['Crypto.BTC/USD', 'Crypto.BTCB/USD', 'Crypto.WBTC/USD']);
    expect(found('crypto.btc/usd')[0]).toBe('Crypto.BTC/USD');
  });

  it('finds by name, by asset class and by the beginning of the id', () => {
    expect(found('euro')).toEqual(['FX.EUR/USD']);
    expect(found('equity')).toEqual(['Equity.US.AAPL/USD']);
    expect(found('0xaaaa')).toEqual(['FX.EUR/USD']);
  });

  it('wants every word', () => {
    expect(found('bitcoin dollar')).toEqual(['Crypto.BTC/USD']);
    expect(found('bitcoin euro')).toEqual([]);
  });
});

describe('pasted ids', () => {
  it('are read from a text of nothing but ids, however separated, in any case', () => {
    const text = `0x${'A'.repeat(64)},\n ${'b'.repeat(64)} `;
    expect(pastedIds(text)).toEqual(['a'.repeat(64), 'b'.repeat(64)]);
  });

  it('are not taken from a text that holds anything else', () => {
    expect(pastedIds(`${'a'.repeat(64)} btc`)).toEqual([]);
    expect(pastedIds('')).toEqual([]);
  });
});
