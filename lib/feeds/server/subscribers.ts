import type { FeedId, FeedUpdate } from '@/lib/core/feed';
import type { FeedHost } from '@/lib/feeds/stream-events';
import { formatSseComment, formatSseEvent } from '@/lib/upstream/sse';
import type { HistoryBuffer } from './history-buffer';
import type { TimerHandle, Timers } from './timers';
import type { ConnectionState } from './upstream-streams';

/** Where a reader's bytes go: a response of the web server, or a list in a test. */
export type Sink = {
  /** Takes the bytes. False means that its buffer is full now: nothing more until `onDrain` is called. */
  write(bytes: Uint8Array): boolean;
  /** Calls back once, when the buffer is empty again. */
  onDrain(run: () => void): void;
  /** Ends the answer in good order. */
  end(): void;
  /** Frees socket and buffer at once, whatever is still in them. */
  destroy(): void;
};

/** A reader whose buffer has been full for this long is not reading, and is cut. */
export const STALL_MS = 30_000;

/**
 * One reader of a stream. While the buffer of its socket is full, bytes wait in a bounded queue; they are shared with the
 * other readers, not copied. So a slow reader costs one buffer and one short queue, and the others never notice.
 */
export class Reader {
  #sink: Sink | undefined;
  #isFull = true;
  #isOver = false;
  #isBehind = false;
  #queue: Uint8Array[] = [];
  #queuedBytes = 0;
  #stall: TimerHandle | undefined;

  /**
   * @param catchUp a reader for whom too much would wait loses all of it and is caught up once it reads again; without it
   * such a reader is cut
   */
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

  /** Bytes without news: a reader that is full needs no sign of life. */
  sendSignOfLife(bytes: Uint8Array): void {
    if (!this.#isOver && !this.#isFull) this.#write(bytes);
  }

  /** Frees the reader's memory now. The sink says by its own close that it is gone. */
  cut(): void {
    if (this.#isOver) return;
    this.close();
    this.#sink?.destroy();
  }

  /** Ends the answer in good order. */
  end(): void {
    if (this.#isOver) return;
    this.close();
    this.#sink?.end();
  }

  /** The reader went away by itself. */
  close(): void {
    this.#isOver = true;
    this.#dropQueue();
    this.timers.clear(this.#stall);
  }

  #write(bytes: Uint8Array): void {
    if (this.#sink === undefined || this.#sink.write(bytes)) return;
    this.#isFull = true;
    this.#stall = this.timers.after(STALL_MS, () => this.cut());
    this.#sink.onDrain(() => {
      this.timers.clear(this.#stall);
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
    if (this.catchUp === undefined) this.cut();
    else this.#isBehind = true;
  }

  #dropQueue(): void {
    this.#queue = [];
    this.#queuedBytes = 0;
  }
}

/** How the upstream streams are, and on which host. */
export type HubConnection = ConnectionState & { host?: FeedHost };

/** Writes what the readers get. JSON texts; feeds are encoded once and joined into many events. */
export type FeedCodec = {
  /** ASCII without line ends. */
  feed(update: FeedUpdate, receivedAtMs: number): string;
  snapshot(feeds: readonly string[], missing: readonly string[], connection: HubConnection): string;
  update(feeds: readonly string[], folded: number): string;
  connection(state: HubConnection): string;
};

export type WatchRequest = {
  ids: readonly FeedId[];
  /** What was asked for and is no id: told as missing. */
  malformed: readonly string[];
  /** At most so many update events per second; undefined sends every update. */
  maxPerS?: number;
  /** The `Last-Event-ID` of a reader that comes back. */
  lastEventId?: string;
  sink: Sink;
};

export type SubscribersEdges = {
  timers: Timers;
  codec: FeedCodec;
  epoch: string;
  /** Number of the newest update. */
  seq(): number;
  history(id: FeedId): HistoryBuffer | undefined;
  missing(id: FeedId): boolean;
  state(): HubConnection;
};

/** One update on its way to the readers. */
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
export class Subscriber {
  /** Whether it has its snapshot (or its replay) and takes news. */
  joined = false;
  readonly reader: Reader;

  constructor(
    readonly group: Group,
    /** What was asked for and is no id, told as missing. */
    readonly malformed: readonly string[],
    sink: Sink,
    timers: Timers,
    snapshot: (of: Subscriber) => void,
  ) {
    this.reader = new Reader(timers, MOST_HELD_BYTES, () => snapshot(this));
    this.reader.attach(sink);
  }

  get ids(): readonly FeedId[] {
    return this.group.ids;
  }
}

/** The readers of the hub: in groups that want the same, each with its snapshot, its news and its rate. */
export class Subscribers {
  readonly #all = new Set<Subscriber>();
  readonly #groups = new Map<string, Group>();
  readonly #groupsByFeed = new Map<FeedId, Set<Group>>();
  /** Readers that wait for their first snapshot, and from where they want to resume. */
  readonly #waiting = new Map<Subscriber, { timer: TimerHandle; lastEventId: string | undefined }>();
  /** Feeds whose latest price is being asked for. */
  readonly #unpriced = new Set<FeedId>();
  #heartbeats = 0;

  constructor(private readonly edges: SubscribersEdges) {}

  get count(): number {
    return this.#all.size;
  }

  /** Makes a reader; it gets nothing before `welcome`. */
  admit({ ids, malformed, maxPerS, lastEventId, sink }: WatchRequest): Subscriber {
    const { timers } = this.edges;
    const group = this.#groupFor(ids, maxPerS);
    const subscriber = new Subscriber(group, malformed, sink, timers, (one) => this.#sendSnapshot(one));
    group.members.add(subscriber);
    this.#all.add(subscriber);
    const timer = timers.after(SNAPSHOT_WAIT_MS, () => this.#begin(subscriber));
    this.#waiting.set(subscriber, { timer, lastEventId });
    return subscriber;
  }

  /** Begins at once when the latest prices of its feeds are there; else they are waited for, but not for long. */
  welcome(subscriber: Subscriber): void {
    if (!subscriber.ids.some((id) => this.#unpriced.has(id))) this.#begin(subscriber);
  }

  awaitPrices(ids: readonly FeedId[]): void {
    for (const id of ids) this.#unpriced.add(id);
  }

  /** The latest prices came, or won't. Whoever watches a feed that went missing or came back is told by a snapshot. */
  pricesSettled(ids: readonly FeedId[], changed: ReadonlySet<FeedId>): void {
    for (const id of ids) this.#unpriced.delete(id);
    for (const subscriber of [...this.#waiting.keys()]) this.welcome(subscriber);
    for (const one of this.#all) {
      if (one.joined && one.ids.some((id) => changed.has(id))) this.#sendSnapshot(one);
    }
  }

  /** Sends new updates to everybody who watches their feeds. */
  dispatch(news: readonly FeedNews[]): void {
    const touched = new Set<Group>();
    for (const one of news) {
      for (const group of this.#groupsByFeed.get(one.id) ?? []) {
        group.collect(one);
        touched.add(group);
      }
    }
    for (const group of touched) group.commit();
  }

  connectionChanged(): void {
    for (const group of this.#groups.values()) group.tell(this.#connection(group.sentSeq));
  }

  heartbeat(): void {
    this.#heartbeats += 1;
    if (this.#heartbeats % HEARTBEATS_PER_STATE === 0) this.connectionChanged();
    else for (const { reader } of this.#all) reader.sendSignOfLife(HEARTBEAT);
  }

  /** Takes a reader out. Gives false when it was out already. */
  dismiss(subscriber: Subscriber): boolean {
    if (!this.#all.delete(subscriber)) return false;
    this.#stopWaiting(subscriber);
    subscriber.reader.close();
    const { group } = subscriber;
    group.members.delete(subscriber);
    if (group.members.size > 0) return true;
    group.stop();
    this.#groups.delete(group.key);
    for (const id of group.ids) {
      const groups = this.#groupsByFeed.get(id);
      groups?.delete(group);
      if (groups?.size === 0) this.#groupsByFeed.delete(id);
    }
    return true;
  }

  stop(): void {
    for (const subscriber of [...this.#all]) {
      subscriber.reader.end();
      this.dismiss(subscriber);
    }
  }

  #begin(subscriber: Subscriber): void {
    const { lastEventId } = this.#waiting.get(subscriber) ?? {};
    this.#stopWaiting(subscriber);
    if (subscriber.joined || !this.#all.has(subscriber)) return;
    const missed = this.#missedSince(lastEventId, subscriber);
    if (missed === undefined) {
      this.#sendSnapshot(subscriber);
      return;
    }
    subscriber.joined = true;
    const seq = this.edges.seq();
    if (missed.length > 0)
      subscriber.reader.send(this.#event('update', seq, this.edges.codec.update(missed, 0)));
    subscriber.reader.send(this.#connection(seq));
  }

  #stopWaiting(subscriber: Subscriber): void {
    this.edges.timers.clear(this.#waiting.get(subscriber)?.timer);
    this.#waiting.delete(subscriber);
  }

  /** What a reader that comes back has missed; undefined when it needs a snapshot. */
  #missedSince(lastEventId: string | undefined, { ids, malformed }: Subscriber): string[] | undefined {
    const [epoch, digits = ''] = lastEventId?.split('.') ?? [];
    const seq = Number(digits);
    if (epoch !== this.edges.epoch || !/^\d{1,15}$/.test(digits) || seq > this.edges.seq()) return undefined;
    // Missing feeds are told by a snapshot only.
    if (malformed.length > 0 || ids.some((id) => this.edges.missing(id))) return undefined;
    const missed: { seq: number; text: string }[] = [];
    for (const id of ids) {
      const after = this.edges.history(id)?.after(seq);
      if (after === undefined) return undefined;
      missed.push(...after);
    }
    if (missed.length > MOST_REPLAYED) return undefined;
    return missed.sort((a, b) => a.seq - b.seq).map(({ text }) => text);
  }

  #groupFor(ids: readonly FeedId[], maxPerS: number | undefined): Group {
    const key = `${maxPerS ?? 'every'} ${ids.join(' ')}`;
    const known = this.#groups.get(key);
    if (known) return known;
    const { timers, seq, codec } = this.edges;
    const encode = (texts: readonly string[], folded: number) =>
      this.#event('update', seq(), codec.update(texts, folded));
    const intervalMs = maxPerS === undefined ? 0 : 1000 / maxPerS;
    const group = new Group(key, ids, intervalMs, { timers, seq, encode });
    this.#groups.set(key, group);
    for (const id of ids) {
      this.#groupsByFeed.set(id, (this.#groupsByFeed.get(id) ?? new Set()).add(group));
    }
    return group;
  }

  /** The latest of everything. What its group has not sent yet comes after it once more, which costs a reader nothing. */
  #sendSnapshot(subscriber: Subscriber): void {
    subscriber.joined = true;
    const feeds = subscriber.ids.flatMap((id) => this.edges.history(id)?.lastText ?? []);
    const missing = [...subscriber.ids.filter((id) => this.edges.missing(id)), ...subscriber.malformed];
    const text = this.edges.codec.snapshot(feeds, missing, this.edges.state());
    subscriber.reader.send(this.#event('snapshot', this.edges.seq(), text));
  }

  #connection(seq: number): Uint8Array {
    return this.#event('connection', seq, this.edges.codec.connection(this.edges.state()));
  }

  #event(event: string, seq: number, data: string): Uint8Array {
    return Buffer.from(formatSseEvent({ event, id: `${this.edges.epoch}.${seq}`, data }));
  }
}

type GroupEdges = {
  timers: Timers;
  /** Number of the newest update of the hub. */
  seq(): number;
  /** Bytes of one update event that brings its reader up to now. */
  encode(texts: readonly string[], folded: number): Uint8Array;
};

/**
 * All subscribers that want the same feeds at the same rate: whatever goes to them is encoded once. With a rate, the first
 * update goes out at once and of the ones that follow within the interval the latest of each feed.
 */
class Group {
  /** Up to this number its subscribers have everything: the id of its events, from which a reader resumes. */
  sentSeq: number;
  readonly members = new Set<Subscriber>();
  #pending: FeedNews[] = [];
  #folded = 0;
  #timer: TimerHandle | undefined;
  #lastSentMs = Number.NEGATIVE_INFINITY;

  /** @param intervalMs least time between two update events; 0 sends every update */
  constructor(
    readonly key: string,
    readonly ids: readonly FeedId[],
    private readonly intervalMs: number,
    private readonly edges: GroupEdges,
  ) {
    this.sentSeq = edges.seq();
  }

  tell(bytes: Uint8Array): void {
    for (const { joined, reader } of this.members) if (joined) reader.send(bytes);
  }

  /** Takes an update of one of its feeds; nothing is sent before `commit`. */
  collect(news: FeedNews): void {
    const at = this.intervalMs === 0 ? -1 : this.#pending.findIndex(({ id }) => id === news.id);
    if (at < 0) this.#pending.push(news);
    else {
      this.#pending[at] = news;
      this.#folded += 1;
    }
  }

  /** One upstream event is collected: sends, or waits for its turn. */
  commit(): void {
    if (this.#timer || this.#pending.length === 0) return;
    const waitMs = this.#lastSentMs + this.intervalMs - this.edges.timers.now();
    if (waitMs <= 0) this.#send();
    else {
      this.#timer = this.edges.timers.after(waitMs, () => {
        this.#timer = undefined;
        this.#send();
      });
    }
  }

  stop(): void {
    this.edges.timers.clear(this.#timer);
  }

  #send(): void {
    const texts = this.#pending.map(({ text }) => text);
    const folded = this.#folded;
    this.#pending = [];
    this.#folded = 0;
    this.#lastSentMs = this.edges.timers.now();
    this.sentSeq = this.edges.seq();
    this.tell(this.edges.encode(texts, folded));
  }
}
