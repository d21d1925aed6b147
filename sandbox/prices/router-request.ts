import { isLosslessNumber, type LosslessNumber, parse } from 'lossless-json';
import { z } from 'zod';
import { Refusal, shown } from '@/sandbox/query-values';
import { CHANNELS, type Channel, type RouterFeed, routerFeeds } from './router-feeds';

/** The properties that can be asked for. The place of each is its number in a signed payload. */
export const PROPERTIES = [
  'price',
  'bestBidPrice',
  'bestAskPrice',
  'publisherCount',
  'exponent',
  'confidence',
  'fundingRate',
  'fundingTimestamp',
  'fundingRateInterval',
  'marketSession',
  'emaPrice',
  'emaConfidence',
  'feedUpdateTimestamp',
] as const;
export type Property = (typeof PROPERTIES)[number];

const FORMATS = ['evm', 'solana', 'leEcdsa', 'leUnsigned'] as const;
export type Format = (typeof FORMATS)[number];

/** An integer of JSON without sign, bare, as its digits. */
const unsigned = (message: string) =>
  z.custom<LosslessNumber>((value) => isLosslessNumber(value) && /^\d+$/.test(value.value), message);

/** Several of some words, each once. */
function words<T extends string>(name: string, allowed: readonly T[]) {
  const problem = ({ input }: { input?: unknown }) => {
    const sent = typeof input === 'string' ? shown(input) : 'a value that is no text';
    return `${name}: unknown variant ${sent}, expected one of ${allowed.join(', ')}`;
  };
  return z
    .array(z.enum(allowed, { error: problem }), `${name}: expected an array`)
    .refine((found) => new Set(found).size === found.length, `duplicate ${name} specified`)
    .nullish()
    .transform((found) => found ?? []);
}

function channelProblem({ input }: { input?: unknown }): string {
  if (input === undefined) return 'missing field `channel`';
  const sent = typeof input === 'string' ? ` ${shown(input)}` : '';
  return `unknown channel${sent}, expected one of ${CHANNELS.join(', ')}`;
}

const priceRequest = z.object(
  {
    channel: z.enum(CHANNELS, { error: channelProblem }),
    properties: words('properties', PROPERTIES).refine(
      (found) => found.length > 0,
      'no properties specified',
    ),
    formats: words('formats', FORMATS),
    timestamp: z.unknown().optional(),
    priceFeedIds: z
      .array(unsigned('priceFeedIds: expected integers'), 'priceFeedIds: expected an array')
      .nullish(),
    symbols: z.array(z.string('symbols: expected texts'), 'symbols: expected an array').nullish(),
    jsonBinaryEncoding: z
      .enum(['base64', 'hex'], 'jsonBinaryEncoding: expected base64 or hex')
      .nullish()
      .transform((encoding) => encoding ?? 'base64'),
    parsed: z
      .boolean('parsed: expected true or false')
      .nullish()
      .transform((parsed) => parsed ?? true),
  },
  'Failed to deserialize the JSON body: expected an object',
);

type PriceRequest = z.output<typeof priceRequest>;

export type RouterQuery = Pick<PriceRequest, 'channel' | 'properties' | 'formats' | 'parsed'> & {
  feeds: RouterFeed[];
  encoding: 'base64' | 'hex';
  /** Unix microseconds; only of `/v1/price`. */
  timestampUs: bigint | undefined;
};

const U64_MAX = 2n ** 64n - 1n;

function refuse(text: string): Refusal {
  return new Refusal(400, text);
}

function readJson(text: string): unknown {
  try {
    const value = parse(text);
    return isLosslessNumber(value) ? undefined : value;
  } catch {
    throw refuse('Failed to parse the request body as JSON');
  }
}

function findFeeds({ priceFeedIds, symbols }: PriceRequest): RouterFeed[] {
  if (priceFeedIds && symbols) throw refuse('either priceFeedIds or symbols must be specified, not both');
  const names = priceFeedIds?.map(({ value }) => value.replace(/^0+(?=\d)/, '')) ?? symbols ?? [];
  const find = (name: string) =>
    routerFeeds.find(({ routerId, feed }) => name === (priceFeedIds ? String(routerId) : feed.symbol));
  const unknown = names.filter((name) => !find(name));
  if (unknown.length > 0 && priceFeedIds) throw refuse(`Price feed ids not found: ${unknown.join(', ')}`);
  if (unknown.length > 0) throw refuse(`Symbols not found: ${unknown.map(shown).join(', ')}`);
  const feeds = names.flatMap((name) => find(name) ?? []);
  if (feeds.length === 0) throw refuse('no price feed ids specified');
  if (new Set(feeds).size < feeds.length) throw refuse('duplicate price feed ids specified');
  return feeds;
}

function checkServed(feeds: readonly RouterFeed[], channel: Channel): void {
  for (const { routerId, feed, state, minChannel } of feeds) {
    const name = `price feed ${routerId} (${feed.symbol})`;
    if (state !== 'stable') throw refuse(`${name} is not stable: its state is ${state}`);
    // It and every later (slower) one.
    if (CHANNELS.indexOf(channel) >= CHANNELS.indexOf(minChannel)) continue;
    throw refuse(`${name} does not support channel ${channel}: its minimum channel is ${minChannel}`);
  }
}

function readTimestamp(value: unknown): bigint {
  if (value === undefined) throw refuse('missing field `timestamp`');
  if (!isLosslessNumber(value) || !/^\d+$/.test(value.value)) {
    const sent = typeof value === 'string' ? `string ${shown(value)}` : 'another value';
    throw refuse(`timestamp: invalid type: ${sent}, expected u64 microseconds as an unquoted integer`);
  }
  const micros = value.value.length > 20 ? U64_MAX + 1n : BigInt(value.value);
  if (micros > U64_MAX) throw refuse('timestamp: expected u64 microseconds, the number is too large');
  return micros;
}

/** The body of `/v1/latest_price`, or (`timed`) of `/v1/price`. Throws a Refusal (400) that says what is wrong. */
export function readRouterQuery(text: string, timed: boolean): RouterQuery {
  const read = priceRequest.safeParse(readJson(text));
  if (!read.success) throw refuse(read.error.issues[0]?.message ?? 'malformed');
  const { channel, properties, formats, parsed, jsonBinaryEncoding: encoding } = read.data;
  const timestampUs = timed ? readTimestamp(read.data.timestamp) : undefined;
  const feeds = findFeeds(read.data);
  checkServed(feeds, channel);
  return { channel, feeds, properties, formats, encoding, parsed, timestampUs };
}
