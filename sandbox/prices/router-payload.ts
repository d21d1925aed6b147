import { ed25519 } from '@noble/curves/ed25519.js';
import { keccak256 } from '@/sandbox/keccak';
import type { FeedState } from './price-model';
import { CHANNEL_NUMBER, type Channel, type RouterFeed } from './router-feeds';
import { pack, secretKey, signDigest } from './signers';
import { isMarketOpen, slotTime } from './slots';

type Value = bigint | number | 'regular' | 'closed';
type Moment = { entry: RouterFeed; state: FeedState; timestampUs: bigint };

/** Eight hours. */
const FUNDING_INTERVAL_US = 28_800_000_000n;
const PUBLISHERS = 12;
/** Best bid and ask are half of the confidence away from the price. */
const HALF = 2n;
/** `regular` is 0. */
const CLOSED_SESSION = 4;

type PropertyOf = {
  /** Format for `pack`; `?` is a presence byte before the value. */
  wire: string;
  /** True for values that are text in JSON, however small the integer. */
  isText?: true;
  read: (moment: Moment) => Value | undefined;
};

const ifFunded = (read: (moment: Moment, ppm: number) => bigint): PropertyOf => ({
  wire: '?q',
  read: (moment) => moment.entry.fundingPpm && read(moment, moment.entry.fundingPpm),
});

/** The index of each property is its number in a signed payload. */
const PROPERTIES = {
  price: { wire: 'q', isText: true, read: ({ state }) => state.price },
  bestBidPrice: { wire: 'q', isText: true, read: ({ state }) => state.price - state.conf / HALF },
  bestAskPrice: { wire: 'q', isText: true, read: ({ state }) => state.price + state.conf / HALF },
  publisherCount: { wire: 'H', read: () => PUBLISHERS },
  exponent: { wire: 'h', read: ({ entry }) => entry.feed.expo },
  confidence: { wire: 'q', read: ({ state }) => state.conf },
  fundingRate: ifFunded((_, ppm) => BigInt(ppm) * 100n),
  fundingTimestamp: ifFunded(({ timestampUs }) => timestampUs - (timestampUs % FUNDING_INTERVAL_US)),
  fundingRateInterval: ifFunded(() => FUNDING_INTERVAL_US),
  marketSession: {
    wire: 'h',
    read: ({ entry, timestampUs }) =>
      entry.feed.cadence.kind === 'market' && !isMarketOpen(Number(timestampUs / 1000n))
        ? 'closed'
        : 'regular',
  },
  emaPrice: { wire: 'q', isText: true, read: ({ state }) => state.emaPrice },
  emaConfidence: { wire: 'q', read: ({ state }) => state.emaConf },
  feedUpdateTimestamp: { wire: '?q', read: ({ state }) => BigInt(slotTime(state.slot)) * 1000n },
} satisfies Record<string, PropertyOf>;
type Property = keyof typeof PROPERTIES;
export const PROPERTY_NAMES = Object.keys(PROPERTIES) as Property[];

/** Values in the order of the requested properties. */
type RouterValues = { routerId: number; values: (readonly [Property, Value | undefined])[] };

export function routerValues(moment: Moment, properties: readonly Property[]): RouterValues {
  const values = properties.map((property) => [property, PROPERTIES[property].read(moment)] as const);
  return { routerId: moment.entry.routerId, values };
}

/** A property without a value is absent. */
export function parsedFeed({ routerId, values }: RouterValues): Record<string, unknown> {
  const members = values.map(([property, value]) => {
    const { isText }: PropertyOf = PROPERTIES[property];
    const isPlain = typeof value !== 'bigint' || (!isText && Number.isSafeInteger(Number(value)));
    return [property, typeof value === 'bigint' && isPlain ? Number(value) : isPlain ? value : String(value)];
  });
  return { priceFeedId: routerId, ...Object.fromEntries(members) };
}

function packProperty(order: Order, property: Property, value: Value | undefined): Buffer {
  const { wire }: PropertyOf = PROPERTIES[property];
  const number = PROPERTY_NAMES.indexOf(property);
  const wireValue = value === 'closed' ? CLOSED_SESSION : value === 'regular' ? 0 : (value ?? 0);
  if (!wire.startsWith('?')) return pack(`${order}B${wire}`, number, wireValue);
  return value === undefined ? pack(`${order}BB`, number, 0) : pack(`${order}BBq`, number, 1, wireValue);
}

type Order = '<' | '>';
export const FORMATS = ['evm', 'solana', 'leEcdsa', 'leUnsigned'] as const;
type Format = (typeof FORMATS)[number];

// First bytes of payload and envelopes, as in the public SDK of the router.
const PAYLOAD_MAGIC = 2_479_346_549;
const MAGIC = { evm: 706_910_618, solana: 2_182_742_457, leEcdsa: 1_296_547_300, leUnsigned: 1_499_680_012 };

/**
 * `magic signature length u16 payload`, big-endian for `evm`, else little-endian. `evm` and `leEcdsa`: `r 32 s 32
 * recovery id u8` by secp256k1 over keccak-256 of the payload; `solana`: `ed25519 signature 64 public key 32` over
 * the payload. Payload: `magic u32 timestamp u64 channel u8 feed count u8 per feed: id u32 property count u8 per
 * property: number u8, value`. Source: public SDK.
 */
export function signedPayload(
  { timestampUs, channel, feeds }: { timestampUs: bigint; channel: Channel; feeds: readonly RouterValues[] },
  format: Format,
  seed: string,
): Buffer {
  const order = format === 'evm' ? '>' : '<';
  const entries = feeds.flatMap(({ routerId, values }) => [
    pack(`${order}IB`, routerId, values.length),
    ...values.map(([property, value]) => packProperty(order, property, value)),
  ]);
  const head = pack(`${order}IQBB`, PAYLOAD_MAGIC, timestampUs, CHANNEL_NUMBER[channel], feeds.length);
  const payload = Buffer.concat([head, ...entries]);
  return pack(`${order}IsHs`, MAGIC[format], signature(payload, format, seed), payload.length, payload);
}

function signature(payload: Buffer, format: Format, seed: string): Uint8Array {
  if (format === 'leUnsigned') return Buffer.of();
  if (format !== 'solana') return signDigest(keccak256(payload), secretKey(seed, 'router secp256k1'));
  const key = secretKey(seed, 'router ed25519');
  return Buffer.concat([ed25519.sign(payload, key), ed25519.getPublicKey(key)]);
}
