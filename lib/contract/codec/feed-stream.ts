import type { FeedUpdate } from '@/lib/domain/feed';
import { type FeedHost, type FeedMark, readFeedHost, readFeedMarks } from './feed-marks';

/**
 * The compact stream of our own pages: what `/api/feeds/stream` sends and how a browser reads it.
 * Member names are short because a board of 60 feeds receives thousands of them a minute.
 */

/** One price of one feed. Numbers that may exceed 2^53 are decimal text; scale by `10 ** e` with `formatScaled`. */
export type CompactFeed = {
  /** Feed id: 64 lower-case hex digits. */
  id: string;
  /** Price: mantissa as decimal text. */
  p: string;
  /** Confidence: mantissa as decimal text, same exponent. */
  c: string;
  /** Exponent, may be positive. */
  e: number;
  /** Publish time, unix seconds. */
  t: number;
  /** EMA price and confidence, mantissas with the exponent `e`; absent when the service sent none. */
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
  /**
   * A sample, asked for by its time: the first update of its second. Never in a snapshot, a delta or the history.
   */
  f?: 1;
};

/** `quiet` is connected without updates; `failed` means that the last attempt failed and another one follows. */
export type FeedConnectionState = 'connecting' | 'live' | 'quiet' | 'reconnecting' | 'failed';

export type FeedConnection = {
  state: FeedConnectionState;
  /** Unix milliseconds since when it is in this state. */
  sinceMs: number;
  /** Which of the two hosts our server asks now; absent before it asked one. */
  host?: FeedHost;
  failure?: { kind: string; detail: string; retryAfterS?: number };
};

/**
 * The latest of the watched feeds: replaces what the reader had. `marks`: those of the last 30 minutes; absent when there
 * are none.
 */
export type FeedSnapshot = {
  feeds: CompactFeed[];
  missing: string[];
  connection: FeedConnection;
  marks?: FeedMark[];
  /** Which run of our server tells it; put in by the reader, from the id of the event. */
  run?: string;
};

/**
 * News in the order of their coming; one feed may stand in it more than once. `folded`: updates left out because newer
 * ones came. With `allow_unordered` an update may have an older publish time than one before it.
 */
export type FeedDelta = { feeds: CompactFeed[]; folded?: number };

/** The stream was not opened (too many streams, no service, bad ids) and ends after this event. */
export type FeedRefusal = { kind: string; detail: string; retryAfterS?: number };

export type FeedStreamEvent =
  | { name: 'snapshot'; value: FeedSnapshot }
  | { name: 'update'; value: FeedDelta }
  | { name: 'connection'; value: FeedConnection }
  /** Marks that are new or changed: each replaces the one of its key. */
  | { name: 'marks'; value: { marks: FeedMark[] } }
  | { name: 'refused'; value: FeedRefusal };

/** The names to listen to on an `EventSource`. */
export const FEED_STREAM_EVENTS = ['snapshot', 'update', 'connection', 'marks', 'refused'] as const;
export type FeedStreamEventName = (typeof FEED_STREAM_EVENTS)[number];

/**
 * JSON text of one `CompactFeed`. Encoded once per update, then joined into the events of every reader.
 * @param origin `filled` for a sample of the past, asked for by its time
 */
export function compactFeedText(update: FeedUpdate, receivedAtMs: number, origin?: 'filled'): string {
  const compact: CompactFeed = {
    id: update.id,
    p: update.price.mantissa.toString(),
    c: update.conf.mantissa.toString(),
    e: update.price.expo,
    t: update.publishTime,
    r: receivedAtMs,
  };
  if (update.ema) {
    compact.ep = update.ema.price.mantissa.toString();
    compact.ec = update.ema.conf.mantissa.toString();
    if (update.ema.price.expo !== update.price.expo) compact.ee = update.ema.price.expo;
  }
  if (update.prevPublishTime !== undefined) compact.pp = update.prevPublishTime;
  if (update.proofAvailableTime !== undefined) compact.pa = update.proofAvailableTime;
  if (update.slot !== undefined) compact.s = update.slot;
  if (origin === 'filled') compact.f = 1;
  return JSON.stringify(compact);
}

/** JSON text of a `FeedSnapshot` from feeds that are encoded already. */
export function snapshotText(
  feeds: readonly string[],
  missing: readonly string[],
  connection: FeedConnection,
  marks: readonly FeedMark[] = [],
): string {
  const marked = marks.length > 0 ? `,"marks":${JSON.stringify(marks)}` : '';
  const rest = `"missing":${JSON.stringify(missing)},"connection":${JSON.stringify(connection)}${marked}`;
  return `{"feeds":[${feeds.join(',')}],${rest}}`;
}

/** JSON text of a `FeedDelta` from feeds that are encoded already. */
export function deltaText(feeds: readonly string[], folded: number): string {
  return folded > 0 ? `{"feeds":[${feeds.join(',')}],"folded":${folded}}` : `{"feeds":[${feeds.join(',')}]}`;
}

/** JSON text of a `FeedConnection`, a `FeedRefusal` or of marks. */
export function plainText(value: FeedConnection | FeedRefusal | { marks: readonly FeedMark[] }): string {
  return JSON.stringify(value);
}

/**
 * Reads one event of the stream. Gives undefined for a name or a body that this version doesn't know: a page that is
 * older than its server goes on with what it can read. Feeds that can't be read are left out, the others stay.
 */
export function readFeedStreamEvent(name: string, data: string): FeedStreamEvent | undefined {
  const value = parsedObject(data);
  if (!value) return undefined;
  switch (name) {
    case 'snapshot': {
      const connection = readConnection(value.connection);
      if (!connection) return undefined;
      const missing = Array.isArray(value.missing) ? value.missing.filter(isText) : [];
      const marks = readFeedMarks(value.marks);
      const base = { feeds: readFeeds(value.feeds), missing, connection };
      return { name, value: marks.length > 0 ? { ...base, marks } : base };
    }
    case 'update': {
      const feeds = readFeeds(value.feeds);
      return { name, value: isCount(value.folded) ? { feeds, folded: value.folded } : { feeds } };
    }
    case 'connection': {
      const connection = readConnection(value);
      return connection && { name, value: connection };
    }
    case 'marks':
      return { name, value: { marks: readFeedMarks(value.marks) } };
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
  if (!isObject(value) || !isState(value.state) || typeof value.sinceMs !== 'number') return undefined;
  const host = readFeedHost(value.host);
  const base = { state: value.state, sinceMs: value.sinceMs, ...(host && { host }) };
  return isObject(value.failure) ? { ...base, failure: readTrouble(value.failure) } : base;
}

function readTrouble(value: Members): FeedRefusal {
  const kind = isText(value.kind) ? value.kind : 'unknown';
  const detail = isText(value.detail) ? value.detail : '';
  return isCount(value.retryAfterS) ? { kind, detail, retryAfterS: value.retryAfterS } : { kind, detail };
}

const DIGITS = /^-?\d+$/;

function isCompactFeed(value: unknown): value is CompactFeed {
  return (
    isObject(value) &&
    isText(value.id) &&
    isDigits(value.p) &&
    isDigits(value.c) &&
    Number.isInteger(value.e) &&
    typeof value.t === 'number' &&
    typeof value.r === 'number' &&
    (value.ep === undefined || isDigits(value.ep)) &&
    (value.ec === undefined || isDigits(value.ec)) &&
    (value.ee === undefined || Number.isInteger(value.ee)) &&
    (value.pp === undefined || typeof value.pp === 'number') &&
    (value.pa === undefined || typeof value.pa === 'number') &&
    (value.s === undefined || isDigits(value.s)) &&
    (value.f === undefined || value.f === 1)
  );
}

const STATES: readonly string[] = ['connecting', 'live', 'quiet', 'reconnecting', 'failed'];

function isState(value: unknown): value is FeedConnectionState {
  return isText(value) && STATES.includes(value);
}

function isDigits(value: unknown): value is string {
  return isText(value) && DIGITS.test(value);
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
