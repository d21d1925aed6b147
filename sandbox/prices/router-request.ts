import { isLosslessNumber, parse } from 'lossless-json';
import { Refusal, shown } from './query-values';
import {
  CHANNELS,
  type Channel,
  permittedChannels,
  type RouterFeed,
  routerFeedById,
  routerFeedBySymbol,
} from './router-feeds';

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

export const FORMATS = ['evm', 'solana', 'leEcdsa', 'leUnsigned'] as const;
export type Format = (typeof FORMATS)[number];

export type RouterQuery = {
  channel: Channel;
  feeds: RouterFeed[];
  properties: Property[];
  formats: Format[];
  encoding: 'base64' | 'hex';
  parsed: boolean;
  /** Unix microseconds; only of `/v1/price`. */
  timestampUs: bigint | undefined;
};

type Body = Record<string, unknown>;

const U64_MAX = 2n ** 64n - 1n;

function refuse(text: string): Refusal {
  return new Refusal(400, text);
}

function bodyOf(text: string): Body {
  let value: unknown;
  try {
    value = parse(text);
  } catch {
    throw refuse('Failed to parse the request body as JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isLosslessNumber(value)) {
    throw refuse('Failed to deserialize the JSON body: expected an object');
  }
  return value as Body;
}

/** Digits of a bare JSON integer without sign; undefined for anything else, a quoted one too. */
function unsignedDigits(value: unknown): string | undefined {
  return isLosslessNumber(value) && /^\d+$/.test(value.value) ? value.value : undefined;
}

function list(body: Body, name: string): unknown[] | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) throw refuse(`${name}: expected an array`);
  return value;
}

function words<T extends string>(body: Body, name: string, allowed: readonly T[]): T[] {
  const found = (list(body, name) ?? []).map((value) => {
    const word = allowed.find((one) => one === value);
    if (word) return word;
    const sent = typeof value === 'string' ? shown(value) : 'a value that is no text';
    throw refuse(`${name}: unknown variant ${sent}, expected one of ${allowed.join(', ')}`);
  });
  if (new Set(found).size < found.length) throw refuse(`duplicate ${name} specified`);
  return found;
}

function channelOf(body: Body): Channel {
  const value = body.channel;
  if (value === undefined) throw refuse('missing field `channel`');
  const channel = CHANNELS.find((one) => one === value);
  if (channel) return channel;
  const sent = typeof value === 'string' ? ` ${shown(value)}` : '';
  throw refuse(`unknown channel${sent}, expected one of ${CHANNELS.join(', ')}`);
}

function feedsById(ids: unknown[]): RouterFeed[] {
  const digits = ids.map((value) => {
    const text = unsignedDigits(value);
    if (text === undefined) throw refuse('priceFeedIds: expected integers');
    return text.replace(/^0+(?=\d)/, '');
  });
  const unknown = digits.filter((id) => !routerFeedById(id));
  if (unknown.length > 0) throw refuse(`Price feed ids not found: ${unknown.join(', ')}`);
  return digits.flatMap((id) => routerFeedById(id) ?? []);
}

function feedsBySymbol(symbols: unknown[]): RouterFeed[] {
  const texts = symbols.map((value) => {
    if (typeof value !== 'string') throw refuse('symbols: expected texts');
    return value;
  });
  const unknown = texts.filter((symbol) => !routerFeedBySymbol(symbol));
  if (unknown.length > 0) throw refuse(`Symbols not found: ${unknown.map(shown).join(', ')}`);
  return texts.flatMap((symbol) => routerFeedBySymbol(symbol) ?? []);
}

function feedsOf(body: Body): RouterFeed[] {
  const ids = list(body, 'priceFeedIds');
  const symbols = list(body, 'symbols');
  if (ids && symbols) throw refuse('either priceFeedIds or symbols must be specified, not both');
  const feeds = ids ? feedsById(ids) : feedsBySymbol(symbols ?? []);
  if (feeds.length === 0) throw refuse('no price feed ids specified');
  if (new Set(feeds).size < feeds.length) throw refuse('duplicate price feed ids specified');
  return feeds;
}

function checkServed(feeds: readonly RouterFeed[], channel: Channel): void {
  for (const { routerId, feed, state, minChannel } of feeds) {
    const name = `price feed ${routerId} (${feed.symbol})`;
    if (state !== 'stable') throw refuse(`${name} is not stable: its state is ${state}`);
    if (permittedChannels(minChannel).includes(channel)) continue;
    throw refuse(`${name} does not support channel ${channel}: its minimum channel is ${minChannel}`);
  }
}

function timestampOf(body: Body): bigint {
  const value = body.timestamp;
  if (value === undefined) throw refuse('missing field `timestamp`');
  const digits = unsignedDigits(value);
  if (digits === undefined) {
    const sent = typeof value === 'string' ? `string ${shown(value)}` : 'another value';
    throw refuse(`timestamp: invalid type: ${sent}, expected u64 microseconds as an unquoted integer`);
  }
  const micros = digits.length > 20 ? U64_MAX + 1n : BigInt(digits);
  if (micros > U64_MAX) throw refuse('timestamp: expected u64 microseconds, the number is too large');
  return micros;
}

function encodingOf(body: Body): 'base64' | 'hex' {
  const value = body.jsonBinaryEncoding ?? 'base64';
  if (value === 'base64' || value === 'hex') return value;
  throw refuse('jsonBinaryEncoding: expected base64 or hex');
}

function parsedOf(body: Body): boolean {
  const value = body.parsed ?? true;
  if (typeof value === 'boolean') return value;
  throw refuse('parsed: expected true or false');
}

/**
 * Reads the body of `/v1/latest_price`, or with `timed` of `/v1/price`. Throws a Refusal (400) that says
 * what is wrong. `formats` may be left out; unknown members are ignored.
 */
export function readRouterQuery(text: string, timed: boolean): RouterQuery {
  const body = bodyOf(text);
  const channel = channelOf(body);
  const properties = words(body, 'properties', PROPERTIES);
  if (properties.length === 0) throw refuse('no properties specified');
  const formats = words(body, 'formats', FORMATS);
  const timestampUs = timed ? timestampOf(body) : undefined;
  const feeds = feedsOf(body);
  checkServed(feeds, channel);
  return {
    channel,
    feeds,
    properties,
    formats,
    encoding: encodingOf(body),
    parsed: parsedOf(body),
    timestampUs,
  };
}
