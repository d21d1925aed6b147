import type { FeedState } from './price-model';
import { CHANNEL_NUMBER, type Channel, type RouterFeed } from './router-feeds';
import { type Format, PROPERTIES, type Property } from './router-request';
import { ByteWriter, type RouterSigner } from './signers';
import { isMarketOpen, slotTime } from './slots';

type Value = bigint | number | 'regular' | 'closed';

/** What the router says of one feed. A property that the feed does not have is absent. */
type RouterValues = { routerId: number; values: ReadonlyMap<Property, Value> };

/** Eight hours. */
const FUNDING_INTERVAL_US = 28_800_000_000n;
const PUBLISHERS = 12;
/** Best bid and ask stand half the confidence away from the price. */
const HALF = 2n;

export function routerValues(
  { feed, routerId, fundingPpm }: RouterFeed,
  state: FeedState,
  properties: readonly Property[],
  timestampUs: bigint,
): RouterValues {
  const isClosed = feed.cadence.kind === 'market' && !isMarketOpen(Number(timestampUs / 1000n));
  const funding = fundingPpm !== undefined && {
    fundingRate: BigInt(fundingPpm) * 100n,
    fundingTimestamp: timestampUs - (timestampUs % FUNDING_INTERVAL_US),
    fundingRateInterval: FUNDING_INTERVAL_US,
  };
  const all: Partial<Record<Property, Value>> = {
    price: state.price,
    bestBidPrice: state.price - state.conf / HALF,
    bestAskPrice: state.price + state.conf / HALF,
    publisherCount: PUBLISHERS,
    exponent: feed.expo,
    confidence: state.conf,
    marketSession: isClosed ? 'closed' : 'regular',
    emaPrice: state.emaPrice,
    emaConfidence: state.emaConf,
    feedUpdateTimestamp: BigInt(slotTime(state.slot)) * 1000n,
    ...funding,
  };
  const values = properties.flatMap((property) => {
    const value = all[property];
    return value === undefined ? [] : [[property, value] as const];
  });
  return { routerId, values: new Map(values) };
}

/** Properties whose integers are always text on the wire, however small. */
const ALWAYS_TEXT: ReadonlySet<Property> = new Set(['price', 'bestBidPrice', 'bestAskPrice', 'emaPrice']);

function onTheWire(property: Property, value: Value): string | number {
  if (typeof value !== 'bigint') return value;
  const beyond = value > BigInt(Number.MAX_SAFE_INTEGER) || value < BigInt(Number.MIN_SAFE_INTEGER);
  return ALWAYS_TEXT.has(property) || beyond ? value.toString() : Number(value);
}

export function parsedFeed({ routerId, values }: RouterValues): Record<string, string | number> {
  const members = [...values].map(([property, value]) => [property, onTheWire(property, value)] as const);
  return { priceFeedId: routerId, ...Object.fromEntries(members) };
}

// First bytes of payload and envelopes, as in the public SDK of the router.
const PAYLOAD_MAGIC = 2_479_346_549;
const EVM_MAGIC = 706_910_618; // big-endian
const SOLANA_MAGIC = 2_182_742_457; // little-endian, as the next two
const LE_ECDSA_MAGIC = 1_296_547_300;
const LE_UNSIGNED_MAGIC = 1_499_680_012;

/** `regular` is 0. */
const CLOSED_SESSION = 4;

function writeProperty(out: ByteWriter, property: Property, value: Value | undefined): void {
  out.uint(1, PROPERTIES.indexOf(property));
  switch (property) {
    case 'publisherCount':
      out.uint(2, Number(value));
      return;
    case 'exponent':
      out.int(2, Number(value));
      return;
    case 'marketSession':
      out.int(2, value === 'closed' ? CLOSED_SESSION : 0);
      return;
    case 'fundingRate':
    case 'fundingTimestamp':
    case 'fundingRateInterval':
    case 'feedUpdateTimestamp':
      // Behind a byte that says whether it is there.
      out.uint(1, typeof value === 'bigint' ? 1 : 0);
      if (typeof value === 'bigint') out.int(8, value);
      return;
    default:
      out.int(8, typeof value === 'bigint' ? value : 0n);
  }
}

/** What a payload says, and in which order its properties were asked for. */
type PayloadContent = {
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
  if (format === 'evm' || format === 'leEcdsa') {
    const { r, s, recovery } = signer.signEcdsa(payload);
    out.uint(4, format === 'evm' ? EVM_MAGIC : LE_ECDSA_MAGIC);
    out.raw(r).raw(s).uint(1, recovery);
  } else if (format === 'solana') {
    const { signature, publicKey } = signer.signEd25519(payload);
    out.uint(4, SOLANA_MAGIC).raw(signature).raw(publicKey);
  } else {
    out.uint(4, LE_UNSIGNED_MAGIC);
  }
  return out.uint(2, payload.length).raw(payload).done();
}
