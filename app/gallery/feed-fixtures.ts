import { FakeBrowser } from '@/lib/client/feed-fakes';
import { FeedStore } from '@/lib/client/feed-store';
import type { CompactFeed, FeedConnection } from '@/lib/contract/codec/feed-stream';
import { type FeedId, parseFeedId } from '@/lib/domain/feed';

/** The feed whose id is a hex digit, 64 times. */
function feedId(digit: string): FeedId {
  const id = parseFeedId(digit.repeat(64));
  if (id === undefined) throw new Error(`${digit} is no hex digit`);
  return id;
}

function update(id: string, price: string, atMs: number, change: Partial<CompactFeed>): CompactFeed {
  const t = Math.floor(atMs / 1000);
  return { id, p: price, c: '4200', e: -8, t, r: atMs, ep: price, ec: '4100', ...change };
}

export type FeedCase = {
  readonly symbol: string;
  readonly id: FeedId;
  /** Seconds since the last price; undefined for none at all. */
  readonly ageS: number | undefined;
  readonly change?: Partial<CompactFeed>;
  /** When its market trades. */
  readonly schedule?: string;
};

/** Every standing that a card can have. */
export const FEED_CASES: readonly FeedCase[] = [
  { symbol: 'Crypto.BTC/USD', id: feedId('a'), ageS: 1 },
  { symbol: 'Crypto.LATE/USD', id: feedId('b'), ageS: 200 },
  { symbol: 'Crypto.STALE/USD', id: feedId('c'), ageS: 90_000 },
  {
    symbol: 'Equity.US.CLOSED/USD',
    id: feedId('1'),
    ageS: 90_000,
    schedule: 'Etc/UTC;C,C,C,C,C,C,C;',
  },
  {
    symbol: 'Crypto.TINY/USD',
    id: feedId('d'),
    ageS: 2,
    change: { p: '1234567890123456789', e: -24, ep: undefined },
  },
  { symbol: 'Crypto.WAITING/USD', id: feedId('e'), ageS: undefined },
  { symbol: 'Crypto.GONE/USD', id: feedId('f'), ageS: undefined },
];

/** A store that no network is behind: it was told about every case, and that the connection is as given. */
export function toldStore(nowMs: number, connection: FeedConnection): FeedStore {
  const browser = new FakeBrowser();
  browser.now = nowMs;
  const store = new FeedStore(browser.edges, []);
  store.watch(FEED_CASES.map(({ id }) => id));
  const known = FEED_CASES.flatMap(({ id, ageS, change = {} }) =>
    ageS === undefined ? [] : [update(id, '6512345678901', nowMs - ageS * 1000, change)],
  );
  browser.source.open();
  browser.source.send('snapshot', { feeds: known, missing: [feedId('f')], connection });
  browser.paint();
  return store;
}
