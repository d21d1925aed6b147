import { describe, expect, it } from 'vitest';
import { type FeedId, parseFeedId } from '@/lib/core/feed';
import { type Failure, failed, type Outcome, ok } from '@/lib/core/outcome';
import { unixMicros } from '@/lib/core/time';
import { fetchSource } from '@/lib/prices/client/use-lookup';
import { compareSources, publishDistance } from './comparison';
import {
  callAsCurl,
  howToRead,
  type LookupCall,
  type LookupRequest,
  planCalls,
  resolveLookupFeeds,
} from './lookup';
import type { FeedSymbol } from './symbols-response';
import { lookupParsers } from './view';

const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43' as FeedId;
const NOON = unixMicros(1_795_176_000_000_001n);

const symbol = (change: Partial<FeedSymbol>): FeedSymbol => {
  return { symbol: 'Crypto.BTC/USD', name: '', description: '', assetType: '', ...change };
};

const idOf = (n: number) => parseFeedId(n.toString(16).padStart(64, '0')) as FeedId;

/** Feeds 1 to `count`, with router ids of the same numbers. */
function requestOf(
  count: number,
  change: Partial<LookupRequest['options']> = {},
  at: LookupRequest['at'] = NOON,
): LookupRequest {
  const defaults = Object.fromEntries(
    Object.entries(lookupParsers).map(([name, parser]) => [
      name,
      'defaultValue' in parser ? parser.defaultValue : null,
    ]),
  ) as unknown as LookupRequest['options'];
  const symbols = Array.from({ length: count }, (_, n) =>
    symbol({ routerId: String(n + 1), feedId: idOf(n + 1), symbol: `Feed.${n + 1}`, exponent: -2 }),
  );
  const { feeds } = resolveLookupFeeds(
    symbols.map(({ feedId }) => feedId ?? ''),
    symbols,
  );
  return { feeds, at, options: { ...defaults, ...change }, directory: 'known' };
}

const unpublished = () => undefined;

describe('the feeds of a lookup', () => {
  const symbols = [
    symbol({ routerId: '1', feedId: BTC }),
    symbol({ routerId: '2', symbol: 'FX.EUR/USD' }),
    symbol({ routerId: '3', symbol: 'Crypto.EUR/USD' }),
  ];

  it('are named by either id, both, or a unique symbol, each once', () => {
    const { feeds, unknown } = resolveLookupFeeds(
      ['btc/usd', `0x${BTC.toUpperCase()}`, '001', `1:${BTC}`, 'fx.eur/usd', 'eur/usd', '0x12', '1:no'],
      symbols,
    );
    expect(feeds.map(({ routerId, feedId }) => [routerId, feedId])).toEqual([
      ['1', BTC],
      ['2', undefined],
    ]);
    expect(unknown).toEqual(['eur/usd', '0x12', '1:no']);
  });

  it('need no directory when ids are given', () => {
    expect(resolveLookupFeeds([`7:${BTC}`, '18446744073709551615'.slice(0, 19)], []).feeds).toMatchObject([
      { routerId: '7', feedId: BTC },
      { routerId: '1844674407370955161' },
    ]);
  });
});

describe('the calls of a lookup', () => {
  const bodyOf = (request: LookupRequest) => planCalls(request, 'router', unpublished).calls[0]?.body;

  it('are one for each host and the router, and one for each feed at the deprecated route', () => {
    const request = requestOf(3);
    for (const source of ['updates', 'upgraded', 'router'] as const) {
      expect(planCalls(request, source, unpublished).calls).toHaveLength(1);
    }
    const { calls } = planCalls(request, 'deprecated', unpublished);
    expect(calls.map(({ query }) => query)).toContain(
      `id=${idOf(2)}&publish_time=1795176000&verbose=true&binary=true`,
    );
  });

  it('keep every digit of 64-bit ids and microseconds', () => {
    const request = requestOf(1);
    const [feed] = request.feeds;
    const feeds = [{ ...feed, key: 'x', symbol: 'x', routerId: '18446744073709551615' }];
    const body = /^\{"priceFeedIds":\[18446744073709551615\],.*"timestamp":1795176000000001\}$/;
    expect(bodyOf({ ...request, feeds })).toMatch(body);
  });

  it('leave out feeds that can’t be requested, with the reason', () => {
    const request = requestOf(1);
    const [feed] = request.feeds;
    const feeds = [
      { ...feed, key: 'a', symbol: 'a', routerId: undefined },
      { ...feed, key: 'b', symbol: 'b', state: 'coming_soon' },
      { ...feed, key: 'c', symbol: 'c', minChannel: 'fixed_rate@1000ms' },
    ];
    const options = { ...request.options, channel: 'real_time' as const };
    const { calls, cells } = planCalls({ ...request, feeds, options }, 'router', unpublished);
    expect(calls).toEqual([]);
    expect([...cells.values()]).toMatchObject([
      { text: expect.stringContaining('no router id') },
      { text: expect.stringContaining('coming_soon') },
      { text: expect.stringContaining('minimum, fixed_rate@1000ms') },
    ]);
  });

  it('as curl contain neither key nor address, and nothing that ends their quotes', () => {
    const request = requestOf(1, { formats: ["a'b"] });
    const [updates] = planCalls(request, 'updates', unpublished).calls;
    const [router] = planCalls(request, 'router', unpublished).calls;
    expect(updates && callAsCurl(updates)).toContain(
      '"$UPDATES_URL/v2/updates/price/1795176000?ids%5B%5D=0000',
    );
    expect(router && callAsCurl(router).split("'")).toHaveLength(3);
    expect(router && callAsCurl(router)).toContain('"$ROUTER_URL/v1/price"');
  });
});

describe('querying a source', () => {
  const answerOf = ({ feeds }: LookupCall): Outcome<string> => {
    const figures = { price: '100', conf: '1', expo: -2, publish_time: 1_795_176_000 };
    const parsed = feeds.map(({ feedId }) => ({ id: feedId, price: figures, ema_price: figures }));
    return ok(JSON.stringify({ parsed }));
  };
  const refusal = (kind: Failure['kind'], detail = '') => failed({ kind, detail, service: 'updates' });
  /** Unix ms by our server's clock. */
  const receivedMs = 1_795_176_000_500;
  const source = (
    request: LookupRequest,
    name: 'updates' | 'deprecated',
    answer: (call: LookupCall) => Outcome<string>,
  ) => fetchSource(request, name, unpublished, async (call) => ({ text: answer(call), receivedMs }));

  it('measures the age of a price by our server’s clock, not by this computer’s', async () => {
    const { cells, answered } = await source(requestOf(1, {}, 'now'), 'updates', answerOf);
    const cell = cells.get(idOf(1));
    expect(cell?.kind === 'quote' ? publishDistance(cell.quote) : undefined).toBe(-500_000n);
    expect(answered).toMatchObject([{ receivedMs }]);
  });

  it('repeats a refused call in parts, so that one feed does not fail the others', async () => {
    for (const names of [true, false]) {
      const { cells } = await source(requestOf(5), 'updates', (call) =>
        call.feeds.some(({ feedId }) => feedId === idOf(3))
          ? refusal('missing', names ? `Price ids not found: 0x${idOf(3)}`.replace('0x', '') : 'not found')
          : answerOf(call),
      );
      const kinds = [1, 2, 3, 4, 5].map((n) => cells.get(idOf(n))?.kind);
      expect(kinds).toEqual(['quote', 'quote', 'none', 'quote', 'quote']);
    }
  });

  it('makes a bounded number of calls to a service that refuses all', async () => {
    let made = 0;
    const { cells } = await source(requestOf(100), 'updates', () => {
      made += 1;
      return refusal('rejected');
    });
    expect(made).toBeLessThan(30);
    expect([...cells.values()].every(({ kind }) => kind === 'none')).toBe(true);
  });

  it('stops calling a service that is down, and waits for a rate limit', async () => {
    let made = 0;
    const down = await source(requestOf(4), 'deprecated', () => {
      made += 1;
      return refusal('failing');
    });
    expect([made, down.cells.size]).toEqual([1, 4]);
    const limited = source(requestOf(1), 'updates', () => refusal('rate-limited'));
    await expect(limited).rejects.toMatchObject({ failure: { kind: 'rate-limited' } });
  });
});

describe('comparing sources', () => {
  const quote = (price: bigint, conf?: bigint) => ({
    kind: 'quote' as const,
    quote: {
      price: { mantissa: price, expo: -2 },
      ...(conf === undefined ? {} : { conf: { mantissa: conf, expo: -2 } }),
      receivedMs: 0,
      facts: [],
    },
  });
  const verdictOf = (...prices: [bigint, bigint?][]) =>
    compareSources(
      prices.map(([price, conf], index) => ({
        source: (['updates', 'upgraded', 'router'] as const)[index] ?? 'router',
        cell: quote(price, conf),
      })),
    )?.verdict;

  it.each([
    ['equal', '100±1 100±1'],
    ['within', '100±3 107±4'],
    ['beyond', '100±3 108±4'],
    ['beyond', '-100±3 100±4'],
    ['unknown', '100±3 101'],
    ['beyond', '100±3 100±3 107±1'],
    [undefined, '100±3'],
  ])('is %s: %s', (verdict, texts) => {
    const prices = texts.split(' ').map((text) => text.split('±').map(BigInt) as [bigint, bigint?]);
    expect(verdictOf(...prices)).toBe(verdict);
  });
});

it('explains a lookup of now and one at a past time differently', () => {
  const now = howToRead('now', ['updates', 'router']);
  expect(now).toMatch(/offset from the arrival of the answer\..*Each source returned its latest price\.$/);
  expect(now).not.toMatch(/requested time|at or after|current/);
  expect(howToRead('now', ['updates', 'deprecated'])).toMatch(/deprecated route has no latest price/);
  const then = howToRead(unixMicros(1_700_000_000_000_000n), ['updates', 'router']);
  expect(then).toMatch(/offset from the requested time\..*at or after the second\..*that was current\.$/);
  expect(then).not.toMatch(/latest|arrival/);
  expect(howToRead('now', ['router'])).not.toMatch(/Differences|deprecated/);
});
