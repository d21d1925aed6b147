import { describe, expect, it } from 'vitest';
import { lookupCsv, publishDistance } from './comparison';
import type { LookupFeed } from './lookup';
import { readAnswer } from './lookup-cells';

const feed: LookupFeed = { key: '1', symbol: 'Crypto.BTC/USD', routerId: '1', exponent: -2 };
const RECEIVED_MS = 1_795_176_001_000;

/** The quote of a router answer about a feed at a moment. */
function quoteOf(members: object) {
  const call = { source: 'router', feeds: [feed], path: '/api/router/v1/latest_price' } as const;
  const parsed = { timestampUs: '1795176000000000', priceFeeds: [{ priceFeedId: 1, ...members }] };
  const read = readAnswer(call, JSON.stringify({ parsed }), RECEIVED_MS);
  const cell = read.ok ? read.value.cells.get('1') : undefined;
  return cell?.kind === 'quote' ? { cell, quote: cell.quote } : expect.fail('no quote');
}

describe('the publish time of a router price', () => {
  it('is the feed’s own', () => {
    const { quote } = quoteOf({ price: '5', feedUpdateTimestamp: '1795175999000000' });
    expect([quote.publishUs, publishDistance(quote)]).toEqual([1_795_175_999_000_000n, -2_000_000n]);
  });

  it.each([
    ['without its update time', { price: '5' }],
    ['without a price', { bestBidPrice: '4' }],
    ['with an update time that is none', { price: '5', feedUpdateTimestamp: 'soon' }],
    ['with an update time of 0', { price: '5', feedUpdateTimestamp: 0 }],
  ])('is not known %s; the time of the answer stands apart', (_, members) => {
    const { cell, quote } = quoteOf(members);
    expect([quote.publishUs, publishDistance(quote)]).toEqual([undefined, undefined]);
    expect(quote.facts).toContainEqual({ name: 'timestampUs', value: '2026-11-20T12:00:00Z', form: 'time' });
    const row = { feed, at: 'now', cells: [{ source: 'router', cell }], compared: undefined } as const;
    const [header = '', line = ''] = lookupCsv([row], { askedMs: 0, leftOut: 0 }).split('\n');
    const at = header.split(',').indexOf('publish_time');
    expect(line.split(',').slice(at, at + 3)).toEqual(['', '', '']);
  });
});

describe('a price of the update services with a publish time of 0', () => {
  const feedId = 'ab'.repeat(32);
  const feedWithId = { ...feed, feedId } as LookupFeed;
  const price = { price: '0', conf: '0', expo: -8, publish_time: 0 };

  it.each([
    ['updates', JSON.stringify({ parsed: [{ id: feedId, price, ema_price: price }] })],
    ['deprecated', JSON.stringify({ id: feedId, price, ema_price: price })],
  ] as const)('is none, and was not published in 1970: %s', (source, text) => {
    const read = readAnswer({ source, feeds: [feedWithId], path: '/api/updates' }, text, RECEIVED_MS);
    expect(read.ok && read.value.cells.get('1')).toMatchObject({ kind: 'none', title: 'Never published' });
  });
});
