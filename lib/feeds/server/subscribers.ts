import type { FeedId } from '@/lib/core/feed';
import type { Timers } from '@/lib/core/timers';
import { deltaText, type FeedConnection, snapshotText } from '@/lib/feeds/stream-events';
import { formatSseComment, formatSseEvent } from '@/lib/upstream/sse';
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

  end(): void {
    if (this.#isOver) return;
    this.close();
    this.#sink?.end();
  }

  close(): void {
    this.#isOver = true;
    this.#dropQueue();
    this.#cancelStall?.();
  }

  /** Frees the reader's memory now. The sink says by its own close that it is gone. */
  #cut(): void {
    if (this.#isOver) return;
    this.close();
    this.#sink?.destroy();
  }

  #write(bytes: Uint8Array): void {
    if (this.#sink === undefined || this.#sink.write(bytes)) return;
    this.#isFull = true;
    this.#cancelStall = this.timers.after(STALL_MS, () => this.#cut());
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
    if (this.catchUp === undefined) this.#cut();
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
  /** The `Last-Event-ID` of a reader that comes back. */
  lastEventId?: string | undefined;
  sink: Sink;
};

export type SubscribersEdges = {
  timers: Timers;
  /** Told apart from every other run of the process, so that a reader from before a restart is not resumed. */
  epoch: string;
  seq(): number;
  history(id: FeedId): HistoryBuffer | undefined;
  /** Whether the service doesn't know a feed, and whether its first price is being asked for. */
  isMissing(id: FeedId): boolean;
  isAsked(id: FeedId): boolean;
  state(): FeedConnection;
};

/** One update on its way to the readers: JSON of a `CompactFeed`, encoded once. */
export type FeedNews = { id: FeedId; text: string };

/** A first snapshot waits this long for the latest prices, so that it usually shows all of them. */
const SNAPSHOT_WAIT_MS = 1_000;
/** More than this is not replayed: a snapshot says where the prices are, in a hundredth of the bytes. */
const MOST_REPLAYED = 2_000;
/** Every so many heartbeats the connection state is told again: scripts in a browser don't see comments. */
const HEARTBEATS_PER_STATE = 2;

const HEARTBEAT = Buffer.from(formatSseComment('.'));

/** Bytes that wait for a reader whose buffer is full; they are shared with the other readers of its group. */
const MOST_HELD_BYTES = 16_000;

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
  #heartbeats = 0;

  constructor(private readonly edges: SubscribersEdges) {}

  get count(): number {
    return this.#all().length;
  }

  admit({ ids, malformed, maxPerS, lastEventId, sink }: WatchRequest): Subscriber {
    const { timers } = this.edges;
    const group = this.#groupFor(ids, maxPerS);
    const reader = new Reader(timers, MOST_HELD_BYTES, () => this.#sendSnapshot(subscriber));
    const subscriber: Subscriber = { group, malformed, lastEventId, reader };
    reader.attach(sink);
    group.members.add(subscriber);
    subscriber.stopWaiting = timers.after(SNAPSHOT_WAIT_MS, () => this.#begin(subscriber));
    return subscriber;
  }

  /** Begins at once when the latest prices of its feeds are there; else they are waited for, but not for long. */
  welcome(subscriber: Subscriber): void {
    if (!subscriber.group.ids.some((id) => this.edges.isAsked(id))) this.#begin(subscriber);
  }

  /** The latest prices came, or won't. Whoever watches a feed that went missing or came back is told by a snapshot. */
  pricesSettled(changed: ReadonlySet<FeedId>): void {
    for (const one of this.#all()) {
      if (one.stopWaiting !== undefined) this.welcome(one);
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
    this.#heartbeats += 1;
    if (this.#heartbeats % HEARTBEATS_PER_STATE === 0) this.connectionChanged();
    else for (const { reader } of this.#all()) reader.sendSignOfLife(HEARTBEAT);
  }

  /** Takes a reader out. Gives false when it was out already. */
  dismiss(subscriber: Subscriber): boolean {
    const { group, reader, stopWaiting } = subscriber;
    if (!group.members.delete(subscriber)) return false;
    stopWaiting?.();
    reader.close();
    if (group.members.size === 0) {
      group.stop();
      this.#groups.delete(group.key);
    }
    return true;
  }

  stop(): void {
    for (const subscriber of this.#all()) {
      subscriber.reader.end();
      this.dismiss(subscriber);
    }
  }

  #all(): Subscriber[] {
    return [...this.#groups.values()].flatMap(({ members }) => [...members]);
  }

  #begin(subscriber: Subscriber): void {
    if (subscriber.stopWaiting === undefined) return;
    subscriber.stopWaiting?.();
    const missed = this.#missedSince(subscriber);
    if (missed === undefined) {
      this.#sendSnapshot(subscriber);
      return;
    }
    subscriber.stopWaiting = undefined;
    const seq = this.edges.seq();
    if (missed.length > 0) subscriber.reader.send(this.#event('update', seq, deltaText(missed, 0)));
    subscriber.reader.send(this.#connection(seq));
  }

  /** What a reader that comes back has missed; undefined when it needs a snapshot. */
  #missedSince({ lastEventId, group: { ids }, malformed }: Subscriber): string[] | undefined {
    const [epoch, digits = ''] = lastEventId?.split('.') ?? [];
    const seq = Number(digits);
    if (epoch !== this.edges.epoch || !/^\d{1,15}$/.test(digits) || seq > this.edges.seq()) return undefined;
    // Missing feeds are told by a snapshot only.
    if (malformed.length > 0 || ids.some((id) => this.edges.isMissing(id))) return undefined;
    const missed = ids.map((id) => this.edges.history(id)?.after(seq));
    if (!missed.every((some) => some !== undefined)) return undefined;
    const all = missed.flat().sort((a, b) => a.seq - b.seq);
    return all.length > MOST_REPLAYED ? undefined : all.map(({ text }) => text);
  }

  #groupFor(ids: readonly FeedId[], maxPerS: number | undefined): Group {
    const key = `${maxPerS ?? 'every'} ${ids.join(' ')}`;
    const known = this.#groups.get(key);
    if (known) return known;
    const { timers, seq } = this.edges;
    const encode = (texts: readonly string[], folded: number) =>
      this.#event('update', seq(), deltaText(texts, folded));
    const intervalMs = maxPerS === undefined ? 0 : 1000 / maxPerS;
    const group = new Group(key, ids, intervalMs, { timers, seq, encode });
    this.#groups.set(key, group);
    return group;
  }

  /** The latest of everything. What its group has not sent yet comes after it once more, which costs a reader nothing. */
  #sendSnapshot(subscriber: Subscriber): void {
    subscriber.stopWaiting = undefined;
    const { ids } = subscriber.group;
    const feeds = ids.flatMap((id) => this.edges.history(id)?.lastText ?? []);
    const missing = [...ids.filter((id) => this.edges.isMissing(id)), ...subscriber.malformed];
    const text = snapshotText(feeds, missing, this.edges.state());
    subscriber.reader.send(this.#event('snapshot', this.edges.seq(), text));
  }

  #connection(seq: number): Uint8Array {
    return this.#event('connection', seq, JSON.stringify(this.edges.state()));
  }

  #event(event: string, seq: number, data: string): Uint8Array {
    return Buffer.from(formatSseEvent({ event, id: `${this.edges.epoch}.${seq}`, data }));
  }
}

type GroupEdges = {
  timers: Timers;
  seq(): number;
  /** Bytes of one update event that brings its reader up to now. */
  encode(texts: readonly string[], folded: number): Uint8Array;
};

/** The same feeds at the same rate: encoded once. At a rate the latest of each feed goes out when it is its turn. */
class Group {
  /** Up to this number its subscribers have everything: the id of its events, from which a reader resumes. */
  sentSeq: number;
  readonly members = new Set<Subscriber>();
  readonly #wanted: ReadonlySet<FeedId>;
  #pending: FeedNews[] = [];
  #folded = 0;
  #cancelSend: (() => void) | undefined;
  #lastSentMs = Number.NEGATIVE_INFINITY;

  /** @param intervalMs least time between two update events; 0 sends every update */
  constructor(
    readonly key: string,
    readonly ids: readonly FeedId[],
    private readonly intervalMs: number,
    private readonly edges: GroupEdges,
  ) {
    this.sentSeq = edges.seq();
    this.#wanted = new Set(ids);
  }

  tell(bytes: Uint8Array): void {
    for (const { stopWaiting, reader } of this.members) if (stopWaiting === undefined) reader.send(bytes);
  }

  /** Takes what an upstream event brought of its feeds, and sends it, at once or when it is its turn. */
  take(news: readonly FeedNews[]): void {
    for (const one of news) {
      if (!this.#wanted.has(one.id)) continue;
      const at = this.intervalMs === 0 ? -1 : this.#pending.findIndex(({ id }) => id === one.id);
      if (at < 0) this.#pending.push(one);
      else {
        this.#pending[at] = one;
        this.#folded += 1;
      }
    }
    if (this.#cancelSend || this.#pending.length === 0) return;
    const waitMs = this.#lastSentMs + this.intervalMs - this.edges.timers.now();
    if (waitMs <= 0) this.#send();
    else this.#cancelSend = this.edges.timers.after(waitMs, () => this.#send());
  }

  stop(): void {
    this.#cancelSend?.();
  }

  #send(): void {
    const texts = this.#pending.map(({ text }) => text);
    const folded = this.#folded;
    this.#cancelSend = undefined;
    this.#pending = [];
    this.#folded = 0;
    this.#lastSentMs = this.edges.timers.now();
    this.sentSeq = this.edges.seq();
    this.tell(this.edges.encode(texts, folded));
  }
}
