import { type FeedId, parseFeedId } from './feed';
import { readScaled, type ScaledInteger } from './numbers';
import { failed, type Outcome, ok } from './outcome';
import {
  integerText,
  isWireObject,
  member,
  readWireDocument,
  safeInteger,
  textMember,
  type WireDocument,
} from './wire-json';

/** The channels in the order of the contract, fastest first. */
export const CHANNELS = [
  'real_time',
  'fixed_rate@1ms',
  'fixed_rate@50ms',
  'fixed_rate@200ms',
  'fixed_rate@1000ms',
] as const;

export type Channel = (typeof CHANNELS)[number];

/** The channels a feed can be asked on: its minimum and every later, slower one; none for an unknown minimum. */
export function permittedChannels(minChannel: string): Channel[] {
  const start = (CHANNELS as readonly string[]).indexOf(minChannel);
  return start < 0 ? [] : CHANNELS.slice(start);
}

/** A row of `/v1/symbols`: the link between the router's integer ids and the feed ids of the update service. */
export type RouterSymbol = {
  /** `pyth_lazer_id`, decimal digits. */
  routerId: string;
  name: string;
  symbol: string;
  description: string;
  assetType: string;
  exponent?: number;
  /** As the service writes it, see `permittedChannels`. */
  minChannel?: string;
  state?: string;
  /** When its market trades, as the service writes it: for `parseMarketSchedule`. */
  schedule?: string;
  /** `hermes_id`: the same feed at the update service, or null. */
  feedId: FeedId | null;
  quoteCurrency?: string;
};

export type UnreadableRouterRow = { rawJson: string; problem: string };

export type RouterSymbols = { symbols: RouterSymbol[]; unreadable: UnreadableRouterRow[] };

/** The integers of a router price that are scaled by its exponent. */
const SCALED_MEMBERS = [
  'price',
  'bestBidPrice',
  'bestAskPrice',
  'confidence',
  'emaPrice',
  'emaConfidence',
] as const;

export type ScaledMember = (typeof SCALED_MEMBERS)[number];

export type RouterFeedPrice = {
  /** `priceFeedId`, decimal digits. */
  routerId: string;
  exponent?: number;
  /** Digits of the unscaled integers that were sent; `routerScaled` gives them their exponent. */
  figures: Partial<Record<ScaledMember, string>>;
  publisherCount?: string;
  marketSession?: string;
  /** Unix microseconds, decimal digits. */
  feedUpdateTimestamp?: string;
  /** Members without a place above, as JSON text. */
  extra: Record<string, string>;
};

/** A signed payload, by the name of its format. */
export type RouterPayload = { format: string; encoding: string; data: string };

export type RouterPrices = {
  /** Unix microseconds, decimal digits; undefined when the answer has no parsed part. */
  timestampUs?: string;
  prices: RouterFeedPrice[];
  unreadable: UnreadableRouterRow[];
  payloads: RouterPayload[];
};

function malformed(detail: string): Outcome<never> {
  return failed({ kind: 'malformed', service: 'router', detail });
}

type TextOf = WireDocument['textOf'];

function others(
  object: Record<string, unknown>,
  known: readonly string[],
  textOf: TextOf,
): Record<string, string> {
  const rest = Object.keys(object).filter((name) => !known.includes(name));
  return Object.fromEntries(rest.map((name) => [name, textOf(object[name])]));
}

/** Reads the answer of `/v1/symbols`, one row at a time; `malformed` when it is not a JSON list. */
export function readRouterSymbols(text: string): Outcome<RouterSymbols> {
  const document = readWireDocument(text);
  const body = document?.value;
  if (document === undefined || !Array.isArray(body))
    return malformed('The symbol list is not a JSON list, or it was cut off.');
  const result: RouterSymbols = { symbols: [], unreadable: [] };
  for (const row of body) {
    const symbol = readSymbol(row);
    if (typeof symbol === 'string')
      result.unreadable.push({ rawJson: document.textOf(row), problem: symbol });
    else result.symbols.push(symbol);
  }
  return ok(result);
}

/** The symbol, or why the row is none. */
function readSymbol(row: unknown): RouterSymbol | string {
  if (!isWireObject(row)) return 'The row is not an object.';
  const routerId = integerText(member(row, 'pyth_lazer_id'));
  if (routerId === undefined) return 'pyth_lazer_id is not an integer.';
  const exponent = safeInteger(member(row, 'exponent'));
  const state = textMember(row, 'state');
  const schedule = textMember(row, 'schedule');
  return {
    routerId,
    name: textMember(row, 'name') ?? '',
    symbol: textMember(row, 'symbol') ?? '',
    description: textMember(row, 'description') ?? '',
    assetType: textMember(row, 'asset_type') ?? '',
    exponent,
    minChannel: textMember(row, 'min_channel'),
    state,
    schedule,
    feedId: parseFeedId(textMember(row, 'hermes_id') ?? '') ?? null,
    quoteCurrency: textMember(row, 'quote_currency'),
  };
}

/**
 * Reads the answer of both price routes, one feed at a time. `malformed` when it is not a JSON object, or holds neither
 * `parsed` nor a signed payload.
 */
export function readRouterPrices(text: string): Outcome<RouterPrices> {
  const document = readWireDocument(text);
  const body = document?.value;
  if (document === undefined || !isWireObject(body))
    return malformed('The price answer is not a JSON object, or it was cut off.');
  const payloads = Object.keys(body).flatMap((name) => readPayload(name, body[name]));
  const parsedPart = member(body, 'parsed') ?? undefined;
  if (parsedPart === undefined) {
    if (payloads.length === 0) return malformed('The price answer has neither prices nor a signed payload.');
    return ok({ prices: [], unreadable: [], payloads });
  }
  const feeds = isWireObject(parsedPart) ? member(parsedPart, 'priceFeeds') : undefined;
  if (!isWireObject(parsedPart) || !Array.isArray(feeds)) {
    return malformed('The price answer has no list of feeds.');
  }
  const timestampUs = integerText(member(parsedPart, 'timestampUs'));
  const prices: RouterFeedPrice[] = [];
  const unreadable: UnreadableRouterRow[] = [];
  for (const feed of feeds) {
    const price = readFeedPrice(feed, document.textOf);
    if (typeof price === 'string') unreadable.push({ rawJson: document.textOf(feed), problem: price });
    else prices.push(price);
  }
  return ok({ timestampUs, prices, unreadable, payloads });
}

/** Any member with an encoding and data is a payload: a format added later is shown by its name. */
function readPayload(format: string, value: unknown): RouterPayload[] {
  if (format === 'parsed' || !isWireObject(value)) return [];
  const encoding = textMember(value, 'encoding');
  const data = textMember(value, 'data');
  return encoding === undefined || data === undefined ? [] : [{ format, encoding, data }];
}

const PRICE_MEMBERS = [
  'priceFeedId',
  'exponent',
  'publisherCount',
  'marketSession',
  'feedUpdateTimestamp',
  ...SCALED_MEMBERS,
];

/** The price, or why the element is none. */
function readFeedPrice(value: unknown, textOf: TextOf): RouterFeedPrice | string {
  if (!isWireObject(value)) return 'The element is not an object.';
  const routerId = integerText(member(value, 'priceFeedId'));
  if (routerId === undefined) return 'priceFeedId is not an integer.';
  const figures: RouterFeedPrice['figures'] = {};
  for (const name of SCALED_MEMBERS) {
    const digits = integerText(member(value, name));
    if (digits !== undefined) figures[name] = digits;
  }
  const exponent = safeInteger(member(value, 'exponent'));
  const publisherCount = integerText(member(value, 'publisherCount'));
  const marketSession = textMember(value, 'marketSession');
  const feedUpdateTimestamp = integerText(member(value, 'feedUpdateTimestamp'));
  return {
    routerId,
    exponent,
    figures,
    publisherCount,
    marketSession,
    feedUpdateTimestamp,
    extra: others(value, PRICE_MEMBERS, textOf),
  };
}

/**
 * A figure with its exponent: the answer's own, else the one the symbol list gives for the feed.
 * @returns undefined when the figure was not sent, or no exponent is known.
 */
export function routerScaled(
  price: RouterFeedPrice,
  name: ScaledMember,
  symbolExponent: number | undefined,
): ScaledInteger | undefined {
  const exponent = price.exponent ?? symbolExponent;
  return exponent === undefined ? undefined : readScaled(price.figures[name], exponent);
}
