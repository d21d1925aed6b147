import { describe, expect, it } from 'vitest';
import { type FeedId, parseFeedId } from '@/lib/domain/feed';
import { boardOfFeeds, MOST_BOARD_FEEDS, withFeeds } from './board-adding';

const feedIdOf = (n: number) => parseFeedId(n.toString(16).padStart(64, '0')) as FeedId;
const ids = [feedIdOf(1), feedIdOf(2)];
const symbols = ['Crypto.BTC/USD', 'FX.EUR/USD'];

describe('adding feeds to a board', () => {
  it('makes a board of nothing else', () => {
    expect(boardOfFeeds(ids)).toBe(`/feeds?ids=${ids.join(',')}`);
  });

  it('puts them at the end, and keeps how the board is shown', () => {
    const url = `/feeds?ids=${feedIdOf(9)}&sort=age&window=15m`;
    expect(withFeeds(url, ids, symbols)).toEqual({
      result: 'added',
      url: `/feeds?ids=${feedIdOf(9)},${ids.join(',')}&sort=age&window=15m`,
      count: 2,
    });
  });

  it('leaves out those that the board has, by id or by symbol', () => {
    const url = `/feeds?ids=crypto.btc/usd,${feedIdOf(3)}`;
    expect(withFeeds(url, ids, symbols)).toMatchObject({ result: 'added', count: 1 });
    expect(withFeeds(`/feeds?ids=crypto.btc/usd,${feedIdOf(2)}`, ids, symbols)).toEqual({ result: 'known' });
  });

  it('fills an empty board, but not the usual one, whose feeds stand elsewhere', () => {
    expect(withFeeds('/feeds?ids=', ids, symbols)).toMatchObject({ result: 'added', count: 2 });
    expect(withFeeds('/feeds', ids, symbols)).toEqual({ result: 'usual' });
    expect(withFeeds('/feeds?sort=age', ids, symbols)).toEqual({ result: 'usual' });
  });

  it('adds none rather than some where there is no room for all', () => {
    const many = Array.from({ length: MOST_BOARD_FEEDS - 1 }, (_, n) => feedIdOf(n + 10));
    expect(withFeeds(boardOfFeeds(many), ids, symbols)).toEqual({ result: 'full' });
    expect(withFeeds(boardOfFeeds(many), ids.slice(1), [])).toMatchObject({ result: 'added' });
  });
});
