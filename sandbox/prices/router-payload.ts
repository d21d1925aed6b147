import type { FeedState } from './price-model';
import { CHANNEL_NUMBER, type Channel, type RouterFeed } from './router-feeds';
import { type Format, PROPERTIES, type Property } from './router-request';
import { ByteWriter, type RouterSigner } from './signers';
import { isMarketOpen, slotTime } from './slots';

/** What the router says of one feed. A property that the feed does not have is absent. */
type RouterValues = {
  routerId: number;
  values: ReadonlyMap<Property, bigint | number | MarketSession>;
};

type MarketSession = 'regular' | 'closed';

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

// First bytes of payload and envelopes, as in the public SDK of the router.
const PAYLOAD_MAGIC = 2_479_346_549;
const EVM_MAGIC = 706_910_618; // big-endian
const SOLANA_MAGIC = 2_182_742_457; // little-endian, as the next two
const LE_ECDSA_MAGIC = 1_296_547_300;
const LE_UNSIGNED_MAGIC = 1_499_680_012;

const SESSION_NUMBER: Readonly<Record<MarketSession, number>> = { regular: 0, closed: 4 };

type Value = bigint | number | MarketSession | undefined;

/** An integer behind a byte that says whether it is there. */
function optional(out: ByteWriter, value: Value, signed: boolean): void {
  if (typeof value !== 'bigint') out.uint(1, 0);
  else if (signed) out.uint(1, 1).int(8, value);
  else out.uint(1, 1).uint(8, value);
}

function writeProperty(out: ByteWriter, property: Property, value: Value): void {
  out.uint(1, PROPERTIES.indexOf(property));
  switch (property) {
    case 'publisherCount':
      out.uint(2, Number(value));
      return;
    case 'exponent':
      out.int(2, Number(value));
      return;
    case 'marketSession':
      out.int(2, value === 'closed' ? SESSION_NUMBER.closed : SESSION_NUMBER.regular);
      return;
    case 'fundingRate':
      optional(out, value, true);
      return;
    case 'fundingTimestamp':
    case 'fundingRateInterval':
    case 'feedUpdateTimestamp':
      optional(out, value, false);
      return;
    default:
      out.int(8, typeof value === 'bigint' ? value : 0n);
  }
}

/** What a payload says, and in which order its properties were asked for. */
export type PayloadContent = {
  timestampUs: bigint;
  channel: Channel;
  properties: readonly Property[];
  feeds: readonly RouterValues[];
};

/**
 * The payload that is signed:
 * `magic u32 | timestamp u64 | channel u8 | feed count u8 | per feed: id u32 | property count u8 | per property: number u8, value`.
 */
function payloadBytes(content: PayloadContent, order: 'big' | 'little'): Buffer {
  const out = new ByteWriter(order).uint(4, PAYLOAD_MAGIC).uint(8, content.timestampUs);
  out.uint(1, CHANNEL_NUMBER[content.channel]).uint(1, content.feeds.length);
  for (const { routerId, values } of content.feeds) {
    out.uint(4, routerId).uint(1, content.properties.length);
    for (const property of content.properties) writeProperty(out, property, values.get(property));
  }
  return out.done();
}

/**
 * A signed payload in one format:
 * - `evm` (big-endian): `magic | r 32 | s 32 | recovery id u8 | length u16 | payload`
 * - `leEcdsa`: the same in little-endian
 * - `solana` (little-endian): `magic | ed25519 signature 64 | public key 32 | length u16 | payload`
 * - `leUnsigned`: `magic | length u16 | payload`
 *
 * secp256k1 signs keccak-256 of the payload, ed25519 the payload itself. Written after the public SDK; no
 * contract was asked whether it would accept these, since no contract knows the sandbox's keys.
 */
export function signedPayload(content: PayloadContent, format: Format, signer: RouterSigner): Buffer {
  const order = format === 'evm' ? 'big' : 'little';
  const payload = payloadBytes(content, order);
  const out = new ByteWriter(order);
  switch (format) {
    case 'evm':
    case 'leEcdsa': {
      const { r, s, recovery } = signer.signEcdsa(payload);
      out
        .uint(4, format === 'evm' ? EVM_MAGIC : LE_ECDSA_MAGIC)
        .raw(r)
        .raw(s)
        .uint(1, recovery);
      break;
    }
    case 'solana': {
      const { signature, publicKey } = signer.signEd25519(payload);
      out.uint(4, SOLANA_MAGIC).raw(signature).raw(publicKey);
      break;
    }
    case 'leUnsigned':
      out.uint(4, LE_UNSIGNED_MAGIC);
  }
  return out.uint(2, payload.length).raw(payload).done();
}
