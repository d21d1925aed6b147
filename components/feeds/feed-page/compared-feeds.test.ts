import { describe, expect, it } from 'vitest';
import type { FeedName } from '@/lib/client/feed-directory';
import type { FeedReference } from '@/lib/contract/codec/feeds-url';
import { parseFeedId } from '@/lib/domain/feed';
import { distinctFeeds, leftOutNames, withFeeds, withoutFeed } from './compared-feeds';

function feed(letter: string, symbol: string): FeedName {
  const id = parseFeedId(letter.repeat(64));
  if (id === undefined) throw new Error('not hex');
  return { id, symbol, assetType: 'crypto' };
}
const BTC = feed('b', 'Crypto.BTC/USD');
const ETH = feed('e', 'Crypto.ETH/USD');
const SOL = feed('a', 'Crypto.SOL/USD');
const byId = ({ id }: FeedName): FeedReference => ({ kind: 'id', id });
const named = (symbol: string): FeedReference => ({ kind: 'symbol', symbol });

describe('the feeds of a chart', () => {
  it('are there once each, in their order, however often they are named', () => {
    expect(distinctFeeds([BTC, ETH, SOL, ETH, BTC])).toEqual([BTC, ETH, SOL]);
  });
});

describe('removing a feed from the chart', () => {
  it('takes that feed and no other, also behind a name that no feed has', () => {
    const compared = [named('NOPE/USD'), named('Crypto.ETH/USD'), byId(SOL)];
    expect(withoutFeed(compared, ETH)).toEqual([named('NOPE/USD'), byId(SOL)]);
    expect(withoutFeed(compared, SOL)).toEqual([named('NOPE/USD'), named('Crypto.ETH/USD')]);
  });

  it('takes all of its names', () => {
    expect(withoutFeed([named('eth/usd'), byId(SOL), byId(ETH)], ETH)).toEqual([byId(SOL)]);
  });
});

describe('adding a feed to the chart', () => {
  it('puts it behind those that are there, each once', () => {
    const added = withFeeds([named('ETH/USD'), byId(ETH)], [BTC, ETH], [SOL, ETH]);
    expect(added).toEqual([named('ETH/USD'), byId(SOL)]);
  });

  it('finds room where names that no feed has fill the address', () => {
    const added = withFeeds([named('NOPE/USD'), named('NIL/USD'), byId(ETH)], [BTC, ETH], [SOL]);
    expect(added).toEqual([byId(ETH), byId(SOL), named('NOPE/USD')]);
  });
});

it('says before the first drawing which feeds two axes leave out', () => {
  expect(leftOutNames([BTC, ETH, SOL], 'axes', undefined)).toEqual(['Crypto.SOL/USD']);
  expect(leftOutNames([BTC, ETH, SOL], 'indexed', undefined)).toEqual([]);
  expect(leftOutNames([BTC, ETH, SOL], 'indexed', ['Crypto.ETH/USD'])).toEqual(['Crypto.ETH/USD']);
});
