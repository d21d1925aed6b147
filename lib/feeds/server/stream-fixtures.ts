/** Fixtures for tests of streams: a clock, an upstream stream, a client and a hub, all controlled by the test. */
import { type FeedId, parseFeedId, readUpdateBody, type UpdateBody } from '@/lib/core/feed';
import { type Failure, failed, type Outcome, ok } from '@/lib/core/outcome';
import { ManualTimers, settle } from '@/lib/core/timers-fixture';
import type { PriceUpdate } from '@/lib/feeds/price-update';
import { type FeedHost, readFeedStreamEvent } from '@/lib/feeds/stream-events';
import { FeedHub } from './hub';
import type { Sink } from './subscribers';
import type { OpenStream } from './upstream-streams';

export class ScriptedStream implements OpenStream {
  closed = false;
  readonly #chunks: Uint8Array[] = [];
  #end: 'open' | 'ended' | 'broken' = 'open';
  #wake: (() => void) | undefined;

  readonly body: AsyncIterable<Uint8Array> = { [Symbol.asyncIterator]: () => ({ next: () => this.#next() }) };

  send(chunk: string | Uint8Array): void {
    this.#chunks.push(typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk);
    this.#wake?.();
  }

  end(): void {
    this.#end = 'ended';
    this.#wake?.();
  }

  break(): void {
    this.#end = 'broken';
    this.#wake?.();
  }

  close(): void {
    this.closed = true;
    this.#wake?.();
  }

  withoutKey(text: string): string {
    return text.replaceAll('s3cret', '[key]');
  }

  async #next(): Promise<IteratorResult<Uint8Array>> {
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk) return { done: false, value: chunk };
      if (this.#end === 'broken') throw new Error('reset');
      if (this.#end === 'ended' || this.closed) return { done: true, value: undefined };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

/** Records what it receives. Stops reading once `stall` was called. */
export class ListSink implements Sink {
  readonly chunks: string[] = [];
  state: 'open' | 'ended' | 'destroyed' = 'open';
  #full = false;
  #drained: (() => void) | undefined;

  get text(): string {
    return this.chunks.join('');
  }

  write(bytes: Uint8Array): boolean {
    this.chunks.push(new TextDecoder().decode(bytes));
    return !this.#full;
  }

  onDrain(run: () => void): void {
    this.#drained = run;
  }

  /** Fills the buffer: from the next write on it is full. */
  stall(): void {
    this.#full = true;
  }

  drain(): void {
    this.#full = false;
    this.#drained?.();
  }

  end(): void {
    this.state = 'ended';
  }

  destroy(): void {
    this.state = 'destroyed';
  }

  /** Removes the events since the last call and returns them. Comments are left out. */
  readEvents(): { name: string; id: string | undefined; data: string }[] {
    const blocks = this.chunks.splice(0).join('').split('\n\n');
    return blocks.flatMap((block) => {
      const lines = block.split('\n').filter((line) => line !== '' && !line.startsWith(':'));
      if (lines.length === 0) return [];
      const field = (name: string) =>
        lines.filter((line) => line.startsWith(`${name}: `)).map((line) => line.slice(name.length + 2));
      return [{ name: field('event')[0] ?? 'message', id: field('id')[0], data: field('data').join('\n') }];
    });
  }
}

const idOf = (letter: string) => parseFeedId(letter.repeat(64).slice(0, 64)) as FeedId;
export const [A, B, C] = ['a', 'b', 'c'].map(idOf) as [FeedId, FeedId, FeedId];
export const numbered = (n: number) => parseFeedId(n.toString(16).padStart(64, '0')) as FeedId;
export const serviceDown: Failure = { kind: 'failing', service: 'updates', detail: 'The service said 503.' };

/** `previous` is the publish time of the previous update, if the service sends it. */
export type Price = [
  id: string,
  price: number | string,
  publishTime: number,
  expo?: number,
  previous?: number,
];

export function updateBody(...prices: Price[]): string {
  const parsed = prices.map(([id, price, publish_time, expo = -2, prev_publish_time]) => ({
    id,
    price: { price: `${price}`, conf: '5', expo, publish_time },
    ema_price: { price: `${price}`, conf: '5', expo, publish_time },
    metadata: { slot: null, prev_publish_time },
  }));
  return JSON.stringify({ binary: { encoding: 'base64', data: [] }, parsed });
}

const shortFeed = ({ id, price, publishTimeS }: PriceUpdate) =>
  `${id.slice(0, 1)}=${price.mantissa}@${publishTimeS}`;

/** Events of a client of the hub in short form: `a=1@1 b=2@1 missing state`, `a=2@2 +folded`, `failed kind host`. */
export function events(sink: ListSink) {
  const hostOf = (host: FeedHost | undefined) => (host === 'upgraded' ? [host] : []);
  return sink.readEvents().map(({ name, id, data }) => {
    const event = readFeedStreamEvent(name, data);
    if (event?.name === 'snapshot') {
      const { feeds, missing, connection } = event.value;
      const state = [connection.state, ...hostOf(connection.host)].join(' ');
      const parts = [feeds.map(shortFeed).join(' '), missing.map((id) => id.slice(0, 1)).join(' '), state];
      return { name, id, data: parts.join(' | ') };
    }
    if (event?.name === 'update') {
      const { feeds, folded } = event.value;
      return { name, id, data: [...feeds.map(shortFeed), ...(folded ? [`+${folded}`] : [])].join(' ') };
    }
    if (event?.name !== 'connection') return { name, id, data };
    const { state, failure, host } = event.value;
    return { name, id, data: [state, ...(failure ? [failure.kind] : []), ...hostOf(host)].join(' ') };
  });
}

export function scriptedHub({
  hosts = ['updates'],
  clockAheadMs = () => 0,
}: {
  hosts?: FeedHost[];
  clockAheadMs?: () => number | undefined;
} = {}) {
  const timers = new ManualTimers();
  const opened: { host: FeedHost; ids: readonly FeedId[]; stream: ScriptedStream }[] = [];
  const attempts: FeedHost[] = [];
  const requests: { ids: readonly FeedId[]; priority: string }[] = [];
  // The feeds known to the service. C is not among them.
  const prices = new Map<string, Price>([A, B].map((id) => [id, [id, 0, 0]]));
  const service = {
    open: undefined as Failure | undefined,
    latest: undefined as Failure | undefined,
    downHosts: new Set<FeedHost>(),
  };
  const ends: string[] = [];
  const hub = new FeedHub({
    timers,
    random: () => 0,
    epoch: 'e',
    reportError: (error) => {
      throw error;
    },
    recordEnd: (reason) => ends.push(reason),
    hosts: () => hosts,
    clockAheadMs,
    open: async (host, ids) => {
      attempts.push(host);
      if (service.open || service.downHosts.has(host)) return failed(service.open ?? serviceDown);
      const stream = new ScriptedStream();
      opened.push({ host, ids, stream });
      return ok(stream);
    },
    latest: async (_host, ids, priority): Promise<Outcome<UpdateBody>> => {
      requests.push({ ids, priority });
      if (service.latest) return failed(service.latest);
      return readUpdateBody(
        updateBody(...ids.flatMap((id) => (prices.has(id) ? [prices.get(id) as Price] : []))),
      );
    },
  });
  const watch = (
    ids: FeedId[],
    more: { maxPerS?: number; lastEventId?: string; malformed?: string[] } = {},
  ) => {
    const sink = new ListSink();
    const watched = hub.watch({ ids, malformed: [], sink, ...more });
    const readData = (name?: string) =>
      events(sink).flatMap((event) => (name === undefined || event.name === name ? [event.data] : []));
    return { sink, watched, readData, leave: () => watched.ok && watched.value() };
  };
  const send = async (...some: Price[]) => {
    opened[opened.length - 1]?.stream.send(`data: ${updateBody(...some)}\n\n`);
    await settle();
  };
  const texts = (id: FeedId, fromS = 0) =>
    hub.past(id, fromS)?.updates.map(({ text }) => shortFeed(JSON.parse(text)));
  return { hub, timers, opened, attempts, requests, prices, service, ends, watch, send, texts };
}
