import * as z from 'zod/mini';
import { readScaled, type ScaledInteger } from './numbers';
import { failed, type Outcome, ok } from './outcome';
import { stripWrapping, visibleText } from './pasted';
import { type UnixSeconds, unixSeconds } from './time';
import {
  integerText,
  isWireObject,
  member,
  objectMember,
  type ReadRows,
  readListText,
  readRows,
  readWireDocument,
  safeInteger,
  textMember,
} from './wire-json';

declare const feedId: unique symbol;

/** 64 lower-case hex digits without `0x`. */
export type FeedId = string & { readonly [feedId]: true };

/** Accepts any case, with or without `0x`; undefined for anything else. */
export function parseFeedId(text: string): FeedId | undefined {
  return /^(?:0x)?[0-9a-f]{64}$/i.test(text) ? (text.slice(-64).toLowerCase() as FeedId) : undefined;
}

/** A symbol is to be looked up in the list of feeds. */
export type FeedReference = { kind: 'id'; id: FeedId } | { kind: 'symbol'; symbol: string };

/** Undefined for blank text and for hex of the wrong length. */
export function parseFeedReference(text: string): FeedReference | undefined {
  const trimmed = text.trim();
  const id = parseFeedId(stripWrapping(visibleText(text)));
  if (id !== undefined) return { kind: 'id', id };
  // A long run of hex was meant as an id. Symbols are short words with a slash or a dot.
  const brokenId = /^0x/i.test(trimmed) || /^[0-9a-f]{32,}$/i.test(trimmed);
  return trimmed === '' || brokenId ? undefined : { kind: 'symbol', symbol: trimmed };
}

export const feedReferenceText = (reference: FeedReference) =>
  reference.kind === 'id' ? reference.id : reference.symbol;

export type FeedUpdate = {
  id: FeedId;
  price: ScaledInteger;
  /** Half the width of the confidence interval. It may exceed the price. */
  conf: ScaledInteger;
  publishTime: UnixSeconds;
  /** Absent if the service sends none that can be read. */
  ema?: { price: ScaledInteger; conf: ScaledInteger; publishTime: UnixSeconds };
  prevPublishTime?: UnixSeconds;
  /** Decimal digits. */
  slot?: string;
  proofAvailableTime?: UnixSeconds;
};

const signed = z.object({ encoding: z.string(), data: z.array(z.string()) });

export type UpdateBody = {
  updates: FeedUpdate[];
  unreadable: ReadRows<FeedUpdate>['unreadable'];
  binary?: z.infer<typeof signed>;
  /** False if the query had `parsed=false`; `updates` is then empty, although the body has data. */
  parsedPresent: boolean;
};

export type FeedEntry = {
  id: FeedId;
  /** Symbol such as `Crypto.BTC/USD`; the id if the service writes none. */
  symbol: string;
  /** Empty if the service sends no type. */
  assetType: string;
  description?: string;
  base?: string;
  quoteCurrency?: string;
  /** Trading hours as the service writes them, for `marketAt`. */
  schedule?: string;
  /** A list that may have the schedule has not answered since the start. */
  areHoursPending?: true;
  /** The router's word: `stable`, `coming_soon`, `inactive` … */
  state?: string;
};

const malformed = (detail: string) => failed({ kind: 'malformed', detail });

/** Reads feed by feed. `malformed`, without a service, if not JSON, or without parsed and binary data. */
export function readUpdateBody(text: string): Outcome<UpdateBody> {
  const document = readWireDocument(text);
  const body = document?.value;
  if (document === undefined || !isWireObject(body))
    return malformed('The price update is not a JSON object, or it was cut off.');
  const list = member(body, 'parsed') ?? undefined;
  const { data: binary } = signed.safeParse(member(body, 'binary'));
  if (list !== undefined && !Array.isArray(list)) return malformed('The price update has no list of feeds.');
  if (list === undefined && binary === undefined)
    return malformed('The price update has neither parsed nor binary data.');
  const { rows: updates, unreadable } = readRows(list ?? [], document.textOf, readFeedUpdate);
  return ok({ updates, unreadable, binary, parsedPresent: list !== undefined });
}

function readPriceObject(value: Record<string, unknown>): FeedUpdate['ema'] {
  const expo = member(value, 'expo');
  const price = readScaled(member(value, 'price'), expo);
  const conf = readScaled(member(value, 'conf'), expo);
  const publishTime = timeMember(value, 'publish_time');
  if (price === undefined || conf === undefined || publishTime === undefined) return undefined;
  return conf.mantissa < 0n ? undefined : { price, conf, publishTime };
}

function timeMember(object: Record<string, unknown>, name: string): UnixSeconds | undefined {
  return unixSeconds(safeInteger(member(object, name)) ?? Number.NaN);
}

const NO_ID = 'id is not a feed id of 64 hex digits.';

function readFeedUpdate(value: Record<string, unknown>): FeedUpdate | string {
  const id = parseFeedId(textMember(value, 'id') ?? '');
  if (id === undefined) return NO_ID;
  const price = readPriceObject(objectMember(value, 'price'));
  if (price === undefined) return 'price is not a price object.';
  const metadata = objectMember(value, 'metadata');
  return {
    id,
    ...price,
    ema: readPriceObject(objectMember(value, 'ema_price')),
    prevPublishTime: timeMember(metadata, 'prev_publish_time'),
    slot: integerText(member(metadata, 'slot')),
    proofAvailableTime: timeMember(metadata, 'proof_available_time'),
  };
}

/** `malformed` if the response holds no feed update. */
export function readDeprecatedFeed(text: string) {
  const body = readWireDocument(text)?.value;
  if (!isWireObject(body)) return malformed('The price feed is not a JSON object, or it was cut off.');
  const update = readFeedUpdate(body);
  if (typeof update === 'string') return malformed(`The price feed cannot be read: ${update}`);
  const metadata = objectMember(body, 'metadata');
  return ok({
    update,
    vaa: textMember(body, 'vaa'),
    emitterChain: integerText(member(metadata, 'emitter_chain')),
    priceServiceReceiveTime: timeMember(metadata, 'price_service_receive_time'),
  });
}

/** Includes unreadable rows of `/v2/price_feeds`; `malformed` if it is not a JSON list. */
export function readFeedDirectoryRows(text: string): Outcome<ReadRows<FeedEntry>> {
  const list = readListText(text, readFeedEntry);
  return list ? ok(list) : malformed('The feed directory is not a JSON list, or it was cut off.');
}

function readFeedEntry(value: Record<string, unknown>): FeedEntry | string {
  const id = parseFeedId(textMember(value, 'id') ?? '');
  if (id === undefined) return NO_ID;
  const attributes = objectMember(value, 'attributes');
  return {
    id,
    symbol: textMember(attributes, 'symbol') ?? id,
    assetType: textMember(attributes, 'asset_type') ?? '',
    description: textMember(attributes, 'description'),
    base: textMember(attributes, 'base'),
    quoteCurrency: textMember(attributes, 'quote_currency'),
    schedule: textMember(attributes, 'schedule'),
  };
}

/**
 * The feed with an id, full symbol (`Crypto.BTC/USD`), or pair (`BTC/USD`) if only one entry has it; else undefined.
 */
export function findFeed(entries: readonly FeedEntry[], reference: string): FeedEntry | undefined {
  const wanted = reference.trim().toLowerCase();
  const id = parseFeedId(stripWrapping(visibleText(reference)));
  if (id !== undefined) return entries.find((entry) => entry.id === id);
  const exact = entries.find((entry) => entry.symbol.toLowerCase() === wanted);
  if (exact !== undefined || wanted === '') return exact;
  const bySuffix = entries.filter((entry) => entry.symbol.toLowerCase().endsWith(`.${wanted}`));
  return bySuffix.length === 1 ? bySuffix[0] : undefined;
}

/** Empty if a name only repeats the symbol: `ACRED / US DOLLAR` beside `Crypto.ACRED/USD`. */
export function distinctName(symbol: string, name: string): string {
  const lettersOf = (text = '') => text.toUpperCase().replace(/[^\p{L}\p{N}]/gu, '');
  const [base = ''] = symbol.split('/');
  const [first] = name.split('/');
  // The base with and without what precedes it: `Equity.US.AAPL`, `US.AAPL`, `AAPL`.
  const bases = base.split('.').map((_, at, parts) => parts.slice(at).join('.'));
  const pairs = bases.map((text) => text + symbol.slice(base.length));
  const isRepeated =
    bases.map(lettersOf).includes(lettersOf(first)) || pairs.map(lettersOf).includes(lettersOf(name));
  return isRepeated ? '' : name;
}
