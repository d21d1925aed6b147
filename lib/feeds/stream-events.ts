import type { FeedUpdate } from '@/lib/core/feed';

/**
 * The compact stream of our own pages: what `/api/feeds/stream` sends and how a browser reads it.
 * Member names are short because a board of 60 feeds receives thousands of them a minute.
 */

/** One price of one feed. Numbers that may exceed 2^53 are decimal text; scale by `10 ** e` with `formatScaled`. */
export type CompactFeed = {
  /** Feed id: 64 lower-case hex digits. */
  id: string;
  /** Price and confidence: mantissas as decimal text. */
  p: string;
  c: string;
  /** Their exponent, may be positive. */
  e: number;
  /** Publish time, unix seconds. */
  t: number;
  /** EMA price and confidence, mantissas; absent when the service sent none. */
  ep?: string;
  ec?: string;
  /** Exponent of the EMA, only where it differs from `e`. */
  ee?: number;
  /** When our server received it, unix milliseconds. */
  r: number;
  /** Publish time of the feed's update before this one, unix seconds; absent when the service sends none. */
  pp?: number;
  /** When the proof was available, unix seconds; absent when the service sends none. */
  pa?: number;
  /** Slot, decimal text; absent when the service sends none. */
  s?: string;
  /** Seeded: asked for by its time, so it is the first update of its second. Never in the stream. */
  f?: 1;
};

/** The two hosts of the price update service, by the name of their setting. */
const HOSTS = ['updates', 'upgraded'] as const;
export type FeedHost = (typeof HOSTS)[number];

/** `quiet` is connected without updates; `failed` means that the last attempt failed and another one follows. */
const STATES = ['connecting', 'live', 'quiet', 'reconnecting', 'failed'] as const;
export type FeedConnectionState = (typeof STATES)[number];

export type FeedConnection = {
  state: FeedConnectionState;
  /** Unix milliseconds since when it is in this state. */
  sinceMs: number;
  /** Which of the two hosts our server asks now. */
  host?: FeedHost;
  failure?: FeedTrouble;
};

export type FeedTrouble = { kind: string; detail: string; retryAfterS?: number };

/** The latest of the watched feeds: replaces what the reader had. */
export type FeedSnapshot = { feeds: CompactFeed[]; missing: string[]; connection: FeedConnection };

/** News in the order of their coming. `folded`: updates left out because newer ones came. */
export type FeedDelta = { feeds: CompactFeed[]; folded?: number };

export type FeedStreamEvent =
  | { name: 'snapshot'; value: FeedSnapshot }
  | { name: 'update'; value: FeedDelta }
  | { name: 'connection'; value: FeedConnection }
  /** The stream was not opened (too many streams, no service, bad ids) and ends after this event. */
  | { name: 'refused'; value: FeedTrouble };

/** The names to listen to on an `EventSource`. */
export const FEED_STREAM_EVENTS = ['snapshot', 'update', 'connection', 'refused'] as const;

/**
 * JSON text of one `CompactFeed`. Encoded once per update, then joined into the events of every reader.
 * @param origin `seeded` for an update of the past, asked for by its time
 */
export function compactFeedText(update: FeedUpdate, receivedAtMs: number, origin?: 'seeded'): string {
  const { ema } = update;
  const compact: CompactFeed = {
    id: update.id,
    p: update.price.mantissa.toString(),
    c: update.conf.mantissa.toString(),
    e: update.price.expo,
    t: update.publishTime,
    ep: ema?.price.mantissa.toString(),
    ec: ema?.conf.mantissa.toString(),
    ee: ema?.price.expo === update.price.expo ? undefined : ema?.price.expo,
    r: receivedAtMs,
    pp: update.prevPublishTime,
    pa: update.proofAvailableTime,
    s: update.slot,
    f: origin === 'seeded' ? 1 : undefined,
  };
  return JSON.stringify(compact);
}

/** JSON text of a `FeedSnapshot` from feeds that are encoded already. */
export function snapshotText(
  feeds: readonly string[],
  missing: readonly string[],
  connection: FeedConnection,
): string {
  const rest = `"missing":${JSON.stringify(missing)},"connection":${JSON.stringify(connection)}`;
  return `{"feeds":[${feeds.join(',')}],${rest}}`;
}

/** JSON text of a `FeedDelta` from feeds that are encoded already. */
export function deltaText(feeds: readonly string[], folded: number): string {
  return folded > 0 ? `{"feeds":[${feeds.join(',')}],"folded":${folded}}` : `{"feeds":[${feeds.join(',')}]}`;
}

/**
 * Reads one event of the stream. Gives undefined for a name or a body that this version doesn't know: a page that is
 * older than its server goes on with what it can read. Feeds that can't be read are left out, the others stay.
 */
export function readFeedStreamEvent(name: string, data: string): FeedStreamEvent | undefined {
  const value = parsedObject(data);
  if (value === undefined) return undefined;
  const feeds = readFeeds(value.feeds);
  switch (name) {
    case 'snapshot': {
      const connection = readConnection(value.connection);
      const missing = Array.isArray(value.missing) ? value.missing.filter(isText) : [];
      return connection && { name, value: { feeds, missing, connection } };
    }
    case 'update':
      return { name, value: isCount(value.folded) ? { feeds, folded: value.folded } : { feeds } };
    case 'connection': {
      const connection = readConnection(value);
      return connection && { name, value: connection };
    }
    case 'refused':
      return { name, value: readTrouble(value) };
    default:
      return undefined;
  }
}

type Members = Record<string, unknown>;

function parsedObject(text: string): Members | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Reads a list of `CompactFeed`; what can't be read is left out. */
export function readFeeds(value: unknown): CompactFeed[] {
  return Array.isArray(value) ? value.filter(isCompactFeed) : [];
}

function readConnection(value: unknown): FeedConnection | undefined {
  if (!isObject(value) || typeof value.sinceMs !== 'number') return undefined;
  const state = STATES.find((one) => one === value.state);
  if (state === undefined) return undefined;
  const host = HOSTS.find((one) => one === value.host);
  const base = { state, sinceMs: value.sinceMs, ...(host && { host }) };
  return isObject(value.failure) ? { ...base, failure: readTrouble(value.failure) } : base;
}

function readTrouble(value: Members): FeedTrouble {
  const kind = isText(value.kind) ? value.kind : 'unknown';
  const detail = isText(value.detail) ? value.detail : '';
  return isCount(value.retryAfterS) ? { kind, detail, retryAfterS: value.retryAfterS } : { kind, detail };
}

/** Members that must be there, and those that may be absent, by what they hold. */
const DIGITS = { needed: ['p', 'c'], optional: ['ep', 'ec', 's'] } as const;
const NUMBERS = { needed: ['t', 'r'], optional: ['pp', 'pa'] } as const;

function isCompactFeed(value: unknown): value is CompactFeed {
  if (!isObject(value) || !isText(value.id) || !Number.isInteger(value.e)) return false;
  const absentOr = (is: (one: unknown) => boolean) => (name: string) =>
    value[name] === undefined || is(value[name]);
  return (
    DIGITS.needed.every((name) => isDigits(value[name])) &&
    NUMBERS.needed.every((name) => typeof value[name] === 'number') &&
    DIGITS.optional.every(absentOr(isDigits)) &&
    NUMBERS.optional.every(absentOr((one) => typeof one === 'number')) &&
    absentOr(Number.isInteger)('ee') &&
    (value.f === undefined || value.f === 1)
  );
}

function isDigits(value: unknown): value is string {
  return isText(value) && /^-?\d+$/.test(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
