import * as z from 'zod/mini';
import type { FeedUpdate } from '@/lib/core/feed';
import { tryParseJson } from '@/lib/core/text';
import { type CompactFeed, compactFeed, decodeCompactUpdate } from './price-update';
import type { Misdating } from './publish-clock';

/** `/api/feeds/stream`. Member names are short: a board receives thousands of them a minute. */

const trouble = z.object({
  kind: z.catch(z.string(), 'unknown'),
  detail: z.catch(z.string(), ''),
  retryAfterS: z.optional(z.number()),
});
export type FeedTrouble = z.infer<typeof trouble>;

const connection = z.object({
  /** `quiet`: connected, but without updates. `failed`: the last attempt failed; another follows. */
  state: z.enum(['connecting', 'live', 'quiet', 'reconnecting', 'failed']),
  /** Unix ms. */
  sinceMs: z.number(),
  /** The connected host, by the name of its setting. */
  host: z.optional(z.enum(['updates', 'upgraded'])),
  failure: z.optional(trouble),
  /** Time by the publishing clock, unix ms. */
  nowMs: z.optional(z.number()),
});
export type FeedConnection = z.infer<typeof connection>;
export type FeedConnectionState = FeedConnection['state'];
export type FeedHost = NonNullable<FeedConnection['host']>;

/** Unreadable updates are left out. */
export const priceUpdates = z.pipe(
  z.array(z.unknown()),
  z.transform((list: unknown[]) =>
    list.flatMap((item) => {
      const { data } = compactFeed.safeParse(item);
      return data === undefined ? [] : decodeCompactUpdate(data);
    }),
  ),
);

const EVENTS = {
  /** Latest updates of the watched feeds, which replace everything that the client had. */
  snapshot: z.object({ feeds: priceUpdates, missing: z.array(z.string()), connection }),
  /** Updates in the order of arrival. `folded` counts those left out because newer ones came. */
  update: z.object({ feeds: priceUpdates, folded: z.optional(z.number()) }),
  connection,
  /** Sent every `HEARTBEAT_MS`, because a script can't see comments. */
  heartbeat: z.object({ nowMs: z.number() }),
  /** Refusal: too many streams, no service, or bad ids. The stream ends after this event. */
  refused: trouble,
};

export type FeedStreamEvent = {
  [Name in keyof typeof EVENTS]: { name: Name; value: z.infer<(typeof EVENTS)[Name]> };
}[keyof typeof EVENTS];

export const FEED_STREAM_EVENTS = Object.keys(EVENTS) as (keyof typeof EVENTS)[];

/** JSON of a `CompactFeed`. @param mark `backfilled` if the update was requested by time */
export function compactFeedText(
  update: FeedUpdate,
  receivedAtMs: number,
  mark?: 'backfilled' | Misdating,
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
    f: mark === 'backfilled' ? 1 : undefined,
    x: mark === 'backfilled' ? undefined : mark,
  };
  return JSON.stringify(compact);
}

export function snapshotText(
  texts: readonly string[],
  missing: readonly string[],
  connection: FeedConnection,
): string {
  return `{"feeds":[${texts.join(',')}],"missing":${JSON.stringify(missing)},"connection":${JSON.stringify(connection)}}`;
}

export function deltaText(texts: readonly string[], folded: number): string {
  return `{"feeds":[${texts.join(',')}]${folded > 0 ? `,"folded":${folded}` : ''}}`;
}

/** Undefined for an unknown event: a page older than its server ignores newer ones. */
export function readFeedStreamEvent(name: string, data: string): FeedStreamEvent | undefined {
  const eventName = FEED_STREAM_EVENTS.find((event) => event === name);
  const value = eventName && EVENTS[eventName].safeParse(tryParseJson(data)).data;
  return value && ({ name: eventName, value } as FeedStreamEvent);
}
