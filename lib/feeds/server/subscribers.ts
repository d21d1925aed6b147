import type { FeedId } from '@/lib/core/feed';
import type { Timers } from '@/lib/core/timers';
import { deltaText, type FeedConnection, snapshotText } from '@/lib/feeds/stream-events';
import { formatSseEvent } from '@/lib/upstream/sse';
import type { HistoryBuffer } from './history-buffer';

/** Destination of a client's bytes. */
export type Sink = {
  /** Returns false if the buffer is full; the caller then waits for `onDrain`. */
  write(bytes: Uint8Array): boolean;
  /** Calls back once, when the buffer is empty again. */
  onDrain(run: () => void): void;
  end(): void;
  /** Frees socket and buffer at once. Unsent bytes are lost. */
  destroy(): void;
};

/** A client whose buffer has been full for this long is not reading, and is disconnected. */
const STALL_MS = 30_000;

/**
 * A client whose socket may be full: bytes wait in a bounded queue, shared with clients that a slow one never affects.
 */
export class BackpressuredClient {
  #sink: Sink | undefined;
  #isFull = true;
  #isOver = false;
  #isBehind = false;
  #queue: Uint8Array[] = [];
  #queuedBytes = 0;
  #cancelStall: (() => void) | undefined;

  /** @param catchUp called for a client whose queue overflowed; without it, such a client is disconnected */
  constructor(
    private readonly timers: Timers,
    private readonly maxQueuedBytes: number,
    private readonly catchUp?: () => void,
  ) {}

  /** Bytes sent earlier were queued, so the first event of a new stream is not lost. */
  attach(sink: Sink): void {
    this.#sink = sink;
    if (this.#isOver) sink.destroy();
    else this.#drained();
  }

  send(bytes: Uint8Array): void {
    if (this.#isOver || this.#isBehind) return;
    if (this.#isFull) this.#enqueue(bytes);
    else this.#write(bytes);
  }

  /** Skipped while the client's buffer is full: such a client needs no heartbeat. */
  sendHeartbeat(bytes: Uint8Array): void {
    if (!this.#isOver && !this.#isFull) this.#write(bytes);
  }

  /** Frees the client's memory. @param how how the sink is closed; absent if it is closed already */
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

  #enqueue(bytes: Uint8Array): void {
    this.#queue.push(bytes);
    this.#queuedBytes += bytes.byteLength;
    if (this.#queuedBytes <= this.maxQueuedBytes) return;
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
  /** Malformed ids, which are reported as missing. */
  malformed: readonly string[];
  /** Update events per second; if undefined, every update is sent. */
  maxPerS?: number | undefined;
  lastEventId?: string | undefined;
  sink: Sink;
};

export type WatchedFeed = {
  readonly history: HistoryBuffer;
  watchers: number;
  idleSinceMs: number;
  /** Reason why the feed has no price; `missing` if the service does not know it. */
  unpriced?: 'requested' | 'unanswered' | 'missing' | undefined;
};

type SubscribersDeps = {
  timers: Timers;
  /** Differs for each run of the process. A client from before a restart can't resume. */
  epoch: string;
  seq(): number;
  feed(id: FeedId): WatchedFeed | undefined;
  state(ids: readonly FeedId[]): FeedConnection;
};

/** `text` is JSON of a `CompactFeed`, encoded once for all clients. */
export type FeedChange = { id: FeedId; text: string; isMisdated?: boolean };

/** Wait of a first snapshot for the latest prices, so that it usually contains all of them. */
const SNAPSHOT_WAIT_MS = 1_000;
/** Limit of replayed updates. Beyond it, a snapshot carries the prices in a hundredth of the bytes. */
const MAX_REPLAYED = 2_000;
/** Queue of a client whose buffer is full. */
const MAX_HELD_BYTES = 16_000;

/** One browser. If it falls too far behind, it gets a snapshot. */
export type Subscriber = Pick<WatchRequest, 'malformed' | 'lastEventId'> & {
  readonly group: Group;
  readonly client: BackpressuredClient;
  /** Cancels the wait for the first snapshot. Set until the client has its snapshot or replay. */
  stopWaiting?: (() => void) | undefined;
};

/** Grouped by feeds and rate. Snapshots and updates are encoded once per group. */
export class Subscribers {
  readonly #groups = new Map<string, Group>();

  constructor(private readonly deps: SubscribersDeps) {}

  get count(): number {
    return this.#all().length;
  }

  /** The client starts when the latest prices of its feeds are known, at most `SNAPSHOT_WAIT_MS` later. */
  add({ ids, malformed, maxPerS, lastEventId, sink }: WatchRequest): Subscriber {
    const { timers } = this.deps;
    const key = `${maxPerS ?? 'every'} ${ids.join(' ')}`;
    const intervalMs = maxPerS === undefined ? 0 : 1000 / maxPerS;
    const group = this.#groups.get(key) ?? new Group(key, ids, intervalMs, this.deps);
    this.#groups.set(key, group);
    const client = new BackpressuredClient(timers, MAX_HELD_BYTES, () => this.#sendSnapshot(subscriber));
    const subscriber: Subscriber = { group, malformed, lastEventId, client };
    client.attach(sink);
    group.members.add(subscriber);
    subscriber.stopWaiting = timers.after(SNAPSHOT_WAIT_MS, () => this.#begin(subscriber));
    this.#beginWhenReady(subscriber);
    return subscriber;
  }

  /** The latest prices arrived or failed. Clients of a feed that became unknown, or known again, get a snapshot. */
  pricesSettled(changed: ReadonlySet<FeedId>): void {
    for (const subscriber of this.#all()) {
      if (subscriber.stopWaiting !== undefined) this.#beginWhenReady(subscriber);
      else if (subscriber.group.ids.some((id) => changed.has(id))) this.#sendSnapshot(subscriber);
    }
  }

  dispatch(changes: readonly FeedChange[]): void {
    for (const group of this.#groups.values()) group.enqueue(changes);
  }

  connectionChanged(): void {
    for (const group of this.#groups.values()) group.broadcast(this.#connection(group));
  }

  heartbeat(): void {
    const { nowMs } = this.deps.state([]);
    // Without an id: a heartbeat does not move the position from which a client resumes.
    const bytes = Buffer.from(formatSseEvent({ event: 'heartbeat', data: JSON.stringify({ nowMs }) }));
    for (const { client } of this.#all()) client.sendHeartbeat(bytes);
  }

  /** Returns false if the client was removed already. */
  remove(subscriber: Subscriber): boolean {
    const { group, client, stopWaiting } = subscriber;
    if (!group.members.delete(subscriber)) return false;
    stopWaiting?.();
    client.close();
    if (group.members.size > 0) return true;
    group.cancelSend?.();
    return this.#groups.delete(group.key);
  }

  stop(): void {
    for (const subscriber of this.#all()) {
      subscriber.client.close('end');
      this.remove(subscriber);
    }
  }

  #all(): Subscriber[] {
    return [...this.#groups.values()].flatMap(({ members }) => [...members]);
  }

  #isUnpriced(ids: readonly FeedId[], reason: WatchedFeed['unpriced']): boolean {
    return ids.some((id) => this.deps.feed(id)?.unpriced === reason);
  }

  #beginWhenReady(subscriber: Subscriber): void {
    if (!this.#isUnpriced(subscriber.group.ids, 'requested')) this.#begin(subscriber);
  }

  #begin(subscriber: Subscriber): void {
    subscriber.stopWaiting?.();
    const missed = this.#missedSince(subscriber);
    if (missed === undefined) {
      this.#sendSnapshot(subscriber);
      return;
    }
    subscriber.stopWaiting = undefined;
    const seq = this.deps.seq();
    if (missed.length > 0) subscriber.client.send(eventOf(this.deps, 'update', seq, deltaText(missed, 0)));
    subscriber.client.send(this.#connection(subscriber.group, seq));
  }

  /** Updates that a resuming client missed; undefined if it needs a snapshot. */
  #missedSince({ lastEventId, group: { ids }, malformed }: Subscriber): string[] | undefined {
    const [epoch, digits = ''] = lastEventId?.split('.') ?? [];
    const seq = Number(digits);
    if (epoch !== this.deps.epoch || !/^\d{1,15}$/.test(digits) || seq > this.deps.seq()) return undefined;
    // Only a snapshot reports missing feeds.
    if (malformed.length > 0 || this.#isUnpriced(ids, 'missing')) return undefined;
    const missed = ids.map((id) => this.deps.feed(id)?.history.after(seq));
    if (!missed.every((update) => update !== undefined)) return undefined;
    const all = missed.flat().sort((a, b) => a.seq - b.seq);
    return all.length > MAX_REPLAYED ? undefined : all.map(({ text }) => text);
  }

  /** Updates that the group has not sent yet follow once more, which does no harm. */
  #sendSnapshot(subscriber: Subscriber): void {
    subscriber.stopWaiting = undefined;
    const { ids } = subscriber.group;
    const feeds = ids.flatMap((id) => {
      const { lastText, misdatedText } = this.deps.feed(id)?.history ?? {};
      return [lastText ?? [], misdatedText ?? []].flat();
    });
    const missing = [...ids.filter((id) => this.#isUnpriced([id], 'missing')), ...subscriber.malformed];
    const text = snapshotText(feeds, missing, this.deps.state(ids));
    subscriber.client.send(eventOf(this.deps, 'snapshot', this.deps.seq(), text));
  }

  #connection({ ids, sentSeq }: Group, seq = sentSeq): Uint8Array {
    return eventOf(this.deps, 'connection', seq, JSON.stringify(this.deps.state(ids)));
  }
}

function eventOf({ epoch }: SubscribersDeps, event: string, seq: number, data: string): Uint8Array {
  return Buffer.from(formatSseEvent({ event, id: `${epoch}.${seq}`, data }));
}

/** Clients of the same feeds at the same rate. At a limited rate, the latest update of each feed is sent when due. */
class Group {
  /** Number up to which the members have everything: the id of events, from which a client resumes. */
  sentSeq: number;
  readonly members = new Set<Subscriber>();
  cancelSend: (() => void) | undefined;
  readonly #wanted: ReadonlySet<FeedId>;
  /** Pending events by feed, or by order if every update is sent. */
  readonly #pending = new Map<string | number, string>();
  #folded = 0;
  #lastSentMs = Number.NEGATIVE_INFINITY;

  /** @param intervalMs minimum time between two update events; 0 sends every update */
  constructor(
    readonly key: string,
    readonly ids: readonly FeedId[],
    private readonly intervalMs: number,
    private readonly deps: SubscribersDeps,
  ) {
    this.sentSeq = deps.seq();
    this.#wanted = new Set(ids);
  }

  broadcast(bytes: Uint8Array): void {
    for (const { stopWaiting, client } of this.members) if (stopWaiting === undefined) client.send(bytes);
  }

  enqueue(changes: readonly FeedChange[]): void {
    for (const { id, text, isMisdated } of changes) {
      if (!this.#wanted.has(id)) continue;
      // A misdated update never replaces a good one.
      const key = this.intervalMs === 0 ? this.#pending.size : isMisdated ? `${id} misdated` : id;
      if (this.#pending.has(key)) this.#folded += 1;
      this.#pending.set(key, text);
    }
    if (this.cancelSend || this.#pending.size === 0) return;
    const waitMs = this.#lastSentMs + this.intervalMs - this.deps.timers.now();
    if (waitMs <= 0) this.#send();
    else this.cancelSend = this.deps.timers.after(waitMs, () => this.#send());
  }

  #send(): void {
    this.cancelSend = undefined;
    this.#lastSentMs = this.deps.timers.now();
    this.sentSeq = this.deps.seq();
    const delta = deltaText([...this.#pending.values()], this.#folded);
    this.#pending.clear();
    this.#folded = 0;
    this.broadcast(eventOf(this.deps, 'update', this.sentSeq, delta));
  }
}
