import { routerOnlyFeed, type SandboxFeed, sandboxFeeds } from './feeds';

/** Fastest first, with the numbers in a signed payload. `real_time` shared its number with 1 ms. */
export const CHANNEL_NUMBER = {
  real_time: 1,
  'fixed_rate@1ms': 1,
  'fixed_rate@50ms': 2,
  'fixed_rate@200ms': 3,
  'fixed_rate@1000ms': 4,
};
export type Channel = keyof typeof CHANNEL_NUMBER;
export const CHANNELS = Object.keys(CHANNEL_NUMBER) as Channel[];

type SymbolState = 'stable' | 'coming_soon' | 'inactive';

export type RouterFeed = {
  routerId: number;
  feed: SandboxFeed;
  /** Null for a feed that only the router has. */
  hermesId: string | null;
  minChannel: Channel;
  state: SymbolState;
  /** Parts per million per funding interval. */
  fundingPpm?: number;
};

/** The sandbox numbers all other feeds. */
const TRUE_IDS: Readonly<Record<string, number>> = {
  'Crypto.BTC/USD': 1,
  'Crypto.ETH/USD': 2,
  'Crypto.PYTH/USD': 3,
  'Crypto.SOL/USD': 6,
  'Crypto.USDC/USD': 7,
};
const FIRST_FREE_ID = 101;

const FAST = /^Crypto\.(BTC|ETH|SOL|PYTH|XRP|DOGE|USDC|USDT)\/USD$/;
const COMING_SOON = /^Crypto\.(APE|ASTR)\/USD$/;
const INACTIVE = /^Crypto\.(ANON|AMI)\/USD$/;

/** The router treats zero as no price. */
const listed = sandboxFeeds.filter((feed) => feed.symbol !== 'Sandbox.ZERO/USD');

function getMinChannel(feed: SandboxFeed): Channel {
  if (FAST.test(feed.symbol)) return 'real_time';
  if (feed.cadence.kind === 'slow') return 'fixed_rate@1000ms';
  if (feed.assetType === 'fx' || feed.assetType === 'metal') return 'fixed_rate@50ms';
  return feed.quote.endsWith('.RR') ? 'fixed_rate@1000ms' : 'fixed_rate@200ms';
}

function getState(feed: SandboxFeed): SymbolState {
  if (COMING_SOON.test(feed.symbol)) return 'coming_soon';
  return INACTIVE.test(feed.symbol) || feed.cadence.kind === 'silent' ? 'inactive' : 'stable';
}

export const routerFeeds: readonly RouterFeed[] = [
  ...listed.map((feed, i) => ({
    routerId: TRUE_IDS[feed.symbol] ?? FIRST_FREE_ID + i,
    feed,
    hermesId: feed.id,
    minChannel: getMinChannel(feed),
    state: getState(feed),
  })),
  {
    routerId: FIRST_FREE_ID + listed.length,
    feed: routerOnlyFeed,
    hermesId: null,
    minChannel: 'fixed_rate@200ms' as const,
    state: 'stable' as const,
    fundingPpm: 12,
  },
].sort((a, b) => a.routerId - b.routerId);

function symbolEntry({ routerId, feed, hermesId, minChannel, state }: RouterFeed) {
  return {
    pyth_lazer_id: routerId,
    name: `${feed.base}${feed.quote}`,
    symbol: feed.symbol,
    description: feed.description,
    asset_type: feed.assetType,
    exponent: feed.expo,
    cmc_id: null,
    interval: null,
    min_publishers: 3,
    min_channel: minChannel,
    state,
    schedule: `Etc/UTC;${feed.cadence.kind === 'market' ? `${'1430-2100,'.repeat(5)}C,C` : 'O,O,O,O,O,O,O'};`,
    hermes_id: hermesId,
    quote_currency: feed.quote,
  };
}

/** Filtered by a part of name, symbol or description (`query`) and by `asset_type`. */
export function symbolsAnswer(query: URLSearchParams): string {
  const part = (query.get('query') ?? '').toLowerCase();
  const assetType = (query.get('asset_type') ?? '').toLowerCase();
  const entries = routerFeeds.map(symbolEntry).filter((entry) => {
    const texts = [entry.name, entry.symbol, entry.description];
    return (
      texts.some((text) => text.toLowerCase().includes(part)) &&
      (assetType === '' || entry.asset_type === assetType)
    );
  });
  return JSON.stringify(entries);
}
