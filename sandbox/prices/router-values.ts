import { isMarketOpen } from './cadence';
import type { FeedState } from './price-model';
import type { Property } from './router-request';
import type { RouterFeed } from './router-symbols';
import { slotTime } from './slots';

/** What the router says of one feed. A property that the feed does not have is absent. */
export type RouterValues = {
  routerId: number;
  values: ReadonlyMap<Property, bigint | number | MarketSession>;
};

export type MarketSession = 'regular' | 'closed';

const HOUR_US = 3_600_000_000n;
const FUNDING_INTERVAL_US = 8n * HOUR_US;
const PUBLISHERS = 12;
/** Best bid and ask stand half the confidence away from the price. */
const HALF = 2n;

type Values = Partial<Record<Property, bigint | number | MarketSession>>;

function fundingValues(ppm: number | undefined, timestampUs: bigint): Values {
  if (ppm === undefined) return {};
  return {
    fundingRate: BigInt(ppm) * 100n,
    fundingTimestamp: timestampUs - (timestampUs % FUNDING_INTERVAL_US),
    fundingRateInterval: FUNDING_INTERVAL_US,
  };
}

function allValues(entry: RouterFeed, state: FeedState, timestampUs: bigint): Values {
  const closed = entry.feed.cadence.kind === 'market' && !isMarketOpen(Number(timestampUs / 1000n));
  return {
    price: state.price,
    bestBidPrice: state.price - state.conf / HALF,
    bestAskPrice: state.price + state.conf / HALF,
    publisherCount: PUBLISHERS,
    exponent: entry.feed.expo,
    confidence: state.conf,
    marketSession: closed ? 'closed' : 'regular',
    emaPrice: state.emaPrice,
    emaConfidence: state.emaConf,
    feedUpdateTimestamp: BigInt(slotTime(state.slot)) * 1000n,
    ...fundingValues(entry.fundingPpm, timestampUs),
  };
}

/** The asked properties of a feed, in the order asked. */
export function routerValues(
  entry: RouterFeed,
  state: FeedState,
  properties: readonly Property[],
  timestampUs: bigint,
): RouterValues {
  const all = allValues(entry, state, timestampUs);
  const values = new Map<Property, bigint | number | MarketSession>();
  for (const property of properties) {
    const value = all[property];
    if (value !== undefined) values.set(property, value);
  }
  return { routerId: entry.routerId, values };
}

/** Properties whose integers are always text on the wire, however small. */
const ALWAYS_TEXT: ReadonlySet<Property> = new Set(['price', 'bestBidPrice', 'bestAskPrice', 'emaPrice']);

function onTheWire(property: Property, value: bigint | number | MarketSession): string | number {
  if (typeof value !== 'bigint') return value;
  const beyond = value > BigInt(Number.MAX_SAFE_INTEGER) || value < BigInt(Number.MIN_SAFE_INTEGER);
  return ALWAYS_TEXT.has(property) || beyond ? value.toString() : Number(value);
}

/** An element of `parsed.priceFeeds`. */
export function parsedFeed({ routerId, values }: RouterValues): Record<string, string | number> {
  const parsed: Record<string, string | number> = { priceFeedId: routerId };
  for (const [property, value] of values) parsed[property] = onTheWire(property, value);
  return parsed;
}
