import { type FeedId, parseFeedId, readUpdateBody, type UpdateBody } from '@/lib/core/feed';
import { type Failure, failed, type Outcome, ok } from '@/lib/core/outcome';
import type { FeedHost } from '@/lib/feeds/stream-events';
import { FeedHub } from './hub';
import { ListSink } from './list-sink';
import { ManualTimers, settle } from './manual-timers';
import { ScriptedStream } from './scripted-stream';

const idOf = (letter: string) => parseFeedId(letter.repeat(64).slice(0, 64)) as FeedId;
export const [A, B, C] = ['a', 'b', 'c'].map(idOf) as [FeedId, FeedId, FeedId];
export const numbered = (n: number) => parseFeedId(n.toString(16).padStart(64, '0')) as FeedId;
export const down: Failure = { kind: 'failing', service: 'updates', detail: 'The service said 503.' };

/** `previous`: publish time of the update before, where the service tells it. */
export type Price = [
  id: string,
  price: number | string,
  publishTime: number,
  expo?: number,
  previous?: number,
];

/** The update response body with these prices. */
export function body(...prices: Price[]): string {
  const parsed = prices.map(([id, price, publish_time, expo = -2, prev_publish_time]) => ({
    id,
    price: { price: `${price}`, conf: '5', expo, publish_time },
    ema_price: { price: `${price}`, conf: '5', expo, publish_time },
    metadata: { slot: null, prev_publish_time },
  }));
  return JSON.stringify({ binary: { encoding: 'base64', data: [] }, parsed });
}

/** For tests: a hub on a service whose latest prices, streams and answers for a time are scripted. */
export function scriptedHub({ hosts = ['updates'] }: { hosts?: FeedHost[] } = {}) {
  const timers = new ManualTimers();
  const opened: { host: FeedHost; ids: readonly FeedId[]; stream: ScriptedStream }[] = [];
  const attempts: FeedHost[] = [];
  const asked: { ids: readonly FeedId[]; priority: string }[] = [];
  // The feeds that the service knows. C is not among them.
  const prices = new Map<string, Price>([A, B].map((id) => [id, [id, 0, 0]]));
  const service = {
    open: undefined as Failure | undefined,
    latest: undefined as Failure | undefined,
    /** Hosts that fail while the others answer. */
    downHosts: new Set<FeedHost>(),
  };
  const encoded: string[] = [];
  /** Why streams ended. */
  const ends: string[] = [];
  const hub = new FeedHub({
    timers,
    random: () => 0.5,
    epoch: 'e',
    bug: (error) => {
      throw error;
    },
    ended: (reason) => ends.push(reason),
    hosts: () => hosts,
    open: async (host, ids) => {
      attempts.push(host);
      if (service.open || service.downHosts.has(host)) return failed(service.open ?? down);
      const stream = new ScriptedStream();
      opened.push({ host, ids, stream });
      return ok(stream);
    },
    latest: async (_host, ids, priority): Promise<Outcome<UpdateBody>> => {
      asked.push({ ids, priority });
      if (service.latest) return failed(service.latest);
      return readUpdateBody(body(...ids.flatMap((id) => (prices.has(id) ? [prices.get(id) as Price] : []))));
    },
    codec: {
      feed: ({ id, price, publishTime }) => {
        const text = `${id.slice(0, 1)}=${price.mantissa}@${publishTime}`;
        encoded.push(text);
        return text;
      },
      snapshot: (feeds, missing, { state, host }) =>
        [
          feeds.join(' '),
          missing.map((id) => id.slice(0, 1)).join(' '),
          host === 'upgraded' ? `${state} upgraded` : state,
        ].join(' | '),
      update: (feeds, folded) => (folded ? `${feeds.join(' ')} +${folded}` : feeds.join(' ')),
      connection: ({ state, failure, host }) =>
        [state, failure?.kind, host === 'upgraded' ? host : undefined].filter(Boolean).join(' '),
    },
  });
  const watch = (
    ids: FeedId[],
    more: { maxPerS?: number; lastEventId?: string; malformed?: string[] } = {},
  ) => {
    const sink = new ListSink();
    const watched = hub.watch({ ids, malformed: [], sink, ...more });
    const take = (name?: string) =>
      sink.take().flatMap((event) => (name === undefined || event.name === name ? [event.data] : []));
    return { sink, watched, take, leave: () => watched.ok && watched.value() };
  };
  const send = async (...some: Price[]) => {
    opened[opened.length - 1]?.stream.send(`data: ${body(...some)}\n\n`);
    await settle();
  };
  const texts = (id: FeedId, fromS = 0) => hub.past(id, fromS)?.updates.map(({ text }) => text);
  return {
    hub,
    timers,
    opened,
    attempts,
    asked,
    prices,
    service,
    encoded,
    ends,
    watch,
    send,
    texts,
  };
}
