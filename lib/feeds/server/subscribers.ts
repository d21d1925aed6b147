import type { FeedId } from '@/lib/core/feed';
import type { Timers } from '@/lib/core/timers';
import { deltaText, type FeedConnection, snapshotText } from '@/lib/feeds/stream-events';
import { formatSseEvent } from '@/lib/upstream/sse';
import type { HistoryBuffer } from './history-buffer';

/** Where a reader's bytes go: a response of the web server, or a list in a test. */
export type Sink = {
  /** Takes the bytes. False means that its buffer is full now: nothing more until `onDrain` is called. */
  write(bytes: Uint8Array): boolean;
  /** Calls back once, when the buffer is empty again. */
  onDrain(run: () => void): void;
  end(): void;
  /** Frees socket and buffer at once, whatever is still in them. */
  destroy(): void;
};

/** A reader whose buffer has been full for this long is not reading, and is cut. */
export const STALL_MS = 30_000;

/** While its socket is full, bytes wait in a bounded queue, shared with other readers: a slow one is never noticed. */
export class Reader {
  #sink: Sink | undefined;
  #isFull = true;
  #isOver = false;
  #isBehind = false;
  #queue: Uint8Array[] = [];
  #queuedBytes = 0;
  #cancelStall: (() => void) | undefined;

  /** @param catchUp for a reader that lost what waited; without it such a reader is cut */
  constructor(
    private readonly timers: Timers,
    private readonly mostQueuedBytes: number,
    private readonly catchUp?: () => void,
  ) {}

  /** Where its bytes go. What was sent before this waited, so that the first event of a new stream is not lost. */
  attach(sink: Sink): void {
    this.#sink = sink;
    if (this.#isOver) sink.destroy();
    else this.#drained();
  }

  send(bytes: Uint8Array): void {
    if (this.#isOver || this.#isBehind) return;
    if (this.#isFull) this.#keep(bytes);
    else this.#write(bytes);
  }

  /** Bytes without news: a reader that is full needs no heartbeat. */
  sendSignOfLife(bytes: Uint8Array): void {
    if (!this.#isOver && !this.#isFull) this.#write(bytes);
  }

  /** Frees its memory. @param how its sink is closed; absent where it is already */
  close(how?: 'end' | 'destroy'): void {
    if (how && !this.#isOver) this.#sink?.[how]();
    this.#isOver = true;
    this.#dropQueue();
    this.#cancelStall?.();
  }

  #write(bytes: Uint8Array): void {
    if (this.#sink === undefined || this.#sink.write(bytes)) return;
    this.#isFull = true;
    this.#cancelStall = this.timers.after(STALL_MS, () => this.close('destroy'));
    this.#sink.onDrain(() => {
      this.#cancelStall?.();
      if (!this.#isOver) this.#drained();
    });
  }

  #drained(): void {
    this.#isFull = false;
    if (this.#isBehind) {
      this.#isBehind = false;
      this.catchUp?.();
    }
    while (!this.#isFull && this.#queue.length > 0) {
      const bytes = this.#queue.shift() as Uint8Array;
      this.#queuedBytes -= bytes.byteLength;
      this.#write(bytes);
    }
  }

  #keep(bytes: Uint8Array): void {
    this.#queue.push(bytes);
    this.#queuedBytes += bytes.byteLength;
    if (this.#queuedBytes <= this.mostQueuedBytes) return;
    this.#dropQueue();
    if (this.catchUp === undefined) this.close('destroy');
    else this.#isBehind = true;
  }

  #dropQueue(): void {
    this.#queue = [];
    this.#queuedBytes = 0;
  }
}

export type WatchRequest = {
  ids: readonly FeedId[];
  /** What was asked for and is no id: told as missing. */
  malformed: readonly string[];
  /** At most so many update events per second; undefined sends every update. */
  maxPerS?: number | undefined;
  lastEventId?: string | undefined;
  sink: Sink;
};

export type WatchedFeed = {
  readonly history: HistoryBuffer;
  watchers: number;
  idleSinceMs: number;
  /** A price: it is asked for, there was no answer, or the service doesn't know the feed. */
  lacking?: 'asked' | 'unanswered' | 'missing' | undefined;
};

export type SubscribersEdges = {
  timers: Timers;
  /** Told apart from every other run of the process, so that a reader from before a restart is not resumed. */
  epoch: string;
  seq(): number;
  feed(id: FeedId): WatchedFeed | undefined;
  state(): FeedConnection;
};

/** One update on its way to the readers: JSON of a `CompactFeed`, encoded once. */
export type FeedNews = { id: FeedId; text: string; isMisdated?: boolean };

/** A first snapshot waits this long for the latest prices, so that it usually shows all of them. */
const SNAPSHOT_WAIT_MS = 1_000;
/** More than this is not replayed: a snapshot says where the prices are, in a hundredth of the bytes. */
const MAX_REPLAYED = 2_000;
/** Bytes that wait for a reader whose buffer is full; they are shared with the other readers of its group. */
const MAX_HELD_BYTES = 16_000;

/** One browser: a reader that has fallen too far behind is told by a snapshot where things are. */
export type Subscriber = Pick<WatchRequest, 'malformed' | 'lastEventId'> & {
  readonly group: Group;
  readonly reader: Reader;
  /** Until it has its snapshot (or its replay) and takes news: when it gets that at the latest. */
  stopWaiting?: (() => void) | undefined;
};

/** The readers of the hub: in groups that want the same, each with its snapshot, its news and its rate. */
export class Subscribers {
  readonly #groups = new Map<string, Group>();

  constructor(private readonly edges: SubscribersEdges) {}

  get count(): number {
    return this.#all().length;
  }

  /** Begins when the latest prices of its feeds are there, which is not waited for long. */
  admit({ ids, malformed, maxPerS, lastEventId, sink }: WatchRequest): Subscriber {
    const { timers } = this.edges;
    const key = `${maxPerS ?? 'every'} ${ids.join(' ')}`;
    const intervalMs = maxPerS === undefined ? 0 : 1000 / maxPerS;
    const group = this.#groups.get(key) ?? new Group(key, ids, intervalMs, this.edges);
    this.#groups.set(key, group);
    const reader = new Reader(timers, MAX_HELD_BYTES, () => this.#sendSnapshot(subscriber));
    const subscriber: Subscriber = { group, malformed, lastEventId, reader };
    reader.attach(sink);
    group.members.add(subscriber);
    subscriber.stopWaiting = timers.after(SNAPSHOT_WAIT_MS, () => this.#begin(subscriber));
    this.#welcome(subscriber);
    return subscriber;
  }

  /** The latest prices came, or won't. Whoever watches a feed that went missing or came back is told by a snapshot. */
  pricesSettled(changed: ReadonlySet<FeedId>): void {
    for (const one of this.#all()) {
      if (one.stopWaiting !== undefined) this.#welcome(one);
      else if (one.group.ids.some((id) => changed.has(id))) this.#sendSnapshot(one);
    }
  }

  dispatch(news: readonly FeedNews[]): void {
    for (const group of this.#groups.values()) group.take(news);
  }

  connectionChanged(): void {
    for (const group of this.#groups.values()) group.tell(this.#connection(group.sentSeq));
  }

  heartbeat(): void {
    const { nowMs } = this.edges.state();
    // Without an id: it changes nothing about where a reader resumes.
    const bytes = Buffer.from(formatSseEvent({ event: 'heartbeat', data: JSON.stringify({ nowMs }) }));
    for (const { reader } of this.#all()) reader.sendSignOfLife(bytes);
  }

  /** Takes a reader out. Gives false when it was out already. */
  dismiss(subscriber: Subscriber): boolean {
    const { group, reader, stopWaiting } = subscriber;
    if (!group.members.delete(subscriber)) return false;
    stopWaiting?.();
    reader.close();
    if (group.members.size > 0) return true;
    group.cancelSend?.();
    return this.#groups.delete(group.key);
  }

  stop(): void {
    for (const subscriber of this.#all()) {
      subscriber.reader.close('end');
      this.dismiss(subscriber);
    }
  }

  #all(): Subscriber[] {
    return [...this.#groups.values()].flatMap(({ members }) => [...members]);
  }

  #isLacking(ids: readonly FeedId[], what: WatchedFeed['lacking']): boolean {
    return ids.some((id) => this.edges.feed(id)?.lacking === what);
  }

  #welcome(subscriber: Subscriber): void {
    if (!this.#isLacking(subscriber.group.ids, 'asked')) this.#begin(subscriber);
  }

  #begin(subscriber: Subscriber): void {
    subscriber.stopWaiting?.();
    const missed = this.#missedSince(subscriber);
    if (missed === undefined) {
      this.#sendSnapshot(subscriber);
      return;
    }
    subscriber.stopWaiting = undefined;
    const seq = this.edges.seq();
    if (missed.length > 0) subscriber.reader.send(eventOf(this.edges, 'update', seq, deltaText(missed, 0)));
    subscriber.reader.send(this.#connection(seq));
  }

  /** What a reader that comes back has missed; undefined when it needs a snapshot. */
  #missedSince({ lastEventId, group: { ids }, malformed }: Subscriber): string[] | undefined {
    const [epoch, digits = ''] = lastEventId?.split('.') ?? [];
    const seq = Number(digits);
    if (epoch !== this.edges.epoch || !/^\d{1,15}$/.test(digits) || seq > this.edges.seq()) return undefined;
    // Missing feeds are told by a snapshot only.
    if (malformed.length > 0 || this.#isLacking(ids, 'missing')) return undefined;
    const missed = ids.map((id) => this.edges.feed(id)?.history.after(seq));
    if (!missed.every((some) => some !== undefined)) return undefined;
    const all = missed.flat().sort((a, b) => a.seq - b.seq);
    return all.length > MAX_REPLAYED ? undefined : all.map(({ text }) => text);
  }

  /** The latest of everything. What its group has not sent yet comes after it once more, which costs a reader nothing. */
  #sendSnapshot(subscriber: Subscriber): void {
    subscriber.stopWaiting = undefined;
    const { ids } = subscriber.group;
    const feeds = ids.flatMap((id) => {
      const { lastText, misdatedText } = this.edges.feed(id)?.history ?? {};
      return [lastText ?? [], misdatedText ?? []].flat();
    });
    const missing = [...ids.filter((id) => this.#isLacking([id], 'missing')), ...subscriber.malformed];
    const text = snapshotText(feeds, missing, this.edges.state());
    subscriber.reader.send(eventOf(this.edges, 'snapshot', this.edges.seq(), text));
  }

  #connection(seq: number): Uint8Array {
    return eventOf(this.edges, 'connection', seq, JSON.stringify(this.edges.state()));
  }
}

function eventOf({ epoch }: SubscribersEdges, event: string, seq: number, data: string): Uint8Array {
  return Buffer.from(formatSseEvent({ event, id: `${epoch}.${seq}`, data }));
}

/** The same feeds at the same rate: encoded once. At a rate the latest of each feed goes out when it is its turn. */
class Group {
  /** Up to this number its subscribers have everything: the id of its events, from which a reader resumes. */
  sentSeq: number;
  readonly members = new Set<Subscriber>();
  cancelSend: (() => void) | undefined;
  readonly #wanted: ReadonlySet<FeedId>;
  /** By feed, or by their order where none is left out. */
  readonly #pending = new Map<string | number, string>();
  #folded = 0;
  #lastSentMs = Number.NEGATIVE_INFINITY;

  /** @param intervalMs least time between two update events; 0 sends every update */
  constructor(
    readonly key: string,
    readonly ids: readonly FeedId[],
    private readonly intervalMs: number,
    private readonly edges: SubscribersEdges,
  ) {
    this.sentSeq = edges.seq();
    this.#wanted = new Set(ids);
  }

  tell(bytes: Uint8Array): void {
    for (const { stopWaiting, reader } of this.members) if (stopWaiting === undefined) reader.send(bytes);
  }

  /** Takes what an upstream event brought of its feeds, and sends it, at once or when it is its turn. */
  take(news: readonly FeedNews[]): void {
    for (const { id, text, isMisdated } of news) {
      if (!this.#wanted.has(id)) continue;
      // A misdated update never takes the place of a good one.
      const key = this.intervalMs === 0 ? this.#pending.size : isMisdated ? `${id} misdated` : id;
      if (this.#pending.has(key)) this.#folded += 1;
      this.#pending.set(key, text);
    }
    if (this.cancelSend || this.#pending.size === 0) return;
    const waitMs = this.#lastSentMs + this.intervalMs - this.edges.timers.now();
    if (waitMs <= 0) this.#send();
    else this.cancelSend = this.edges.timers.after(waitMs, () => this.#send());
  }

  #send(): void {
    this.cancelSend = undefined;
    this.#lastSentMs = this.edges.timers.now();
    this.sentSeq = this.edges.seq();
    const delta = deltaText([...this.#pending.values()], this.#folded);
    this.#pending.clear();
    this.#folded = 0;
    this.tell(eventOf(this.edges, 'update', this.sentSeq, delta));
  }
}
