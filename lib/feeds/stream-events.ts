import * as z from 'zod/mini';
import type { FeedUpdate } from '@/lib/core/feed';
import { tryParseJson } from '@/lib/core/text';
import { MISDATINGS, type Misdating } from './publish-clock';

/** What `/api/feeds/stream` sends to our own pages. Names are short: a board receives thousands of them a minute. */

const digits = z.string().check(z.regex(/^-?\d+$/));

/** One price of one feed. Numbers that may exceed 2^53 are decimal text; scale by `10 ** e` with `formatScaled`. */
const compactFeed = z.object({
  /** Feed id: 64 lower-case hex digits. */
  id: z.string(),
  /** Price and confidence: mantissas, and their exponent, which may be positive. */
  p: digits,
  c: digits,
  e: z.int(),
  /** Publish time, unix seconds. */
  t: z.number(),
  /** EMA price and confidence, mantissas; their exponent only where it differs from `e`. Absent when the service sent none. */
  ep: z.optional(digits),
  ec: z.optional(digits),
  ee: z.optional(z.int()),
  /** When our server received it, unix milliseconds. */
  r: z.number(),
  /** Publish time of the feed's update before this one, and when the proof was available, unix seconds; slot. */
  pp: z.optional(z.number()),
  pa: z.optional(z.number()),
  s: z.optional(digits),
  /** Seeded: asked for by its time, so it is the first update of its second. Never in the stream. */
  f: z.optional(z.literal(1)),
  /** Misdated: its publish time can't be right, so it has no place among the others. `t` is in seconds all the same. */
  x: z.optional(z.enum(MISDATINGS)),
});
export type CompactFeed = z.infer<typeof compactFeed>;

const trouble = z.object({
  kind: z.catch(z.string(), 'unknown'),
  detail: z.catch(z.string(), ''),
  retryAfterS: z.optional(z.number()),
});
export type FeedTrouble = z.infer<typeof trouble>;

const connection = z.object({
  /** `quiet` is connected without updates; `failed` means that the last attempt failed and another one follows. */
  state: z.enum(['connecting', 'live', 'quiet', 'reconnecting', 'failed']),
  /** Unix milliseconds since when it is in this state. */
  sinceMs: z.number(),
  /** Which of the two hosts of the price update service our server asks now, by the name of its setting. */
  host: z.optional(z.enum(['updates', 'upgraded'])),
  failure: z.optional(trouble),
  /** The present by which publish times are judged, as of this event, unix milliseconds. */
  nowMs: z.optional(z.number()),
});
export type FeedConnection = z.infer<typeof connection>;
export type FeedConnectionState = FeedConnection['state'];
export type FeedHost = NonNullable<FeedConnection['host']>;

/** A list of them: what can't be read is left out, the others stay. */
export const compactFeeds = z.pipe(
  z.array(z.unknown()),
  z.transform((list: unknown[]) => list.flatMap((one) => compactFeed.safeParse(one).data ?? [])),
);

const EVENTS = {
  /** The latest of the watched feeds: replaces what the reader had. */
  snapshot: z.object({ feeds: compactFeeds, missing: z.array(z.string()), connection }),
  /** News in the order of their coming. `folded`: updates left out because newer ones came. */
  update: z.object({ feeds: compactFeeds, folded: z.optional(z.number()) }),
  connection,
  /** Sent at `HEARTBEAT_MS` whatever else happens: comments are invisible to a script. */
  heartbeat: z.object({ nowMs: z.number() }),
  /** The stream was not opened (too many streams, no service, bad ids) and ends after this event. */
  refused: trouble,
};

export type FeedStreamEvent = {
  [Name in keyof typeof EVENTS]: { name: Name; value: z.infer<(typeof EVENTS)[Name]> };
}[keyof typeof EVENTS];

export const FEED_STREAM_EVENTS = Object.keys(EVENTS) as (keyof typeof EVENTS)[];

/** JSON of one `CompactFeed`, encoded once for all readers. @param mark `seeded`: asked for by its time */
export function compactFeedText(
  update: FeedUpdate,
  receivedAtMs: number,
  mark?: 'seeded' | Misdating,
): string {
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
    f: mark === 'seeded' ? 1 : undefined,
    x: mark === 'seeded' ? undefined : mark,
  };
  return JSON.stringify(compact);
}

export function snapshotText(
  texts: readonly string[],
  missing: readonly string[],
  now: FeedConnection,
): string {
  return `{"feeds":[${texts.join(',')}],"missing":${JSON.stringify(missing)},"connection":${JSON.stringify(now)}}`;
}

export function deltaText(texts: readonly string[], folded: number): string {
  return `{"feeds":[${texts.join(',')}]${folded > 0 ? `,"folded":${folded}` : ''}}`;
}

/** Undefined for what this version doesn't know: a page older than its server goes on with what it can read. */
export function readFeedStreamEvent(name: string, data: string): FeedStreamEvent | undefined {
  const known = FEED_STREAM_EVENTS.find((one) => one === name);
  const value = known && EVENTS[known].safeParse(tryParseJson(data)).data;
  return value && ({ name: known, value } as FeedStreamEvent);
}
