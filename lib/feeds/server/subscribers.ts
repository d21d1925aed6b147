import type { FeedMark } from '@/lib/contract/codec/feed-marks';
import type { FeedId, FeedUpdate } from '@/lib/domain/feed';
import { formatSseComment, formatSseEvent } from '@/lib/upstream/sse';
import type { ConnectionState } from './connection';
import type { HistoryBuffer } from './history-buffer';
import type { FeedHost } from './host-choice';
import type { Sink } from './sink-gate';
import { type FeedNews, Pending, Subscriber } from './subscriber';
import type { TimerHandle, Timers } from './timers';

/** How the upstream streams are, and on which host. */
export type HubConnection = ConnectionState & { host?: FeedHost };

/** Writes what the readers get. JSON texts; feeds are encoded once and joined into many events. */
export type FeedCodec = {
  /** ASCII without line ends. */
  feed(update: FeedUpdate, receivedAtMs: number): string;
  snapshot(
    feeds: readonly string[],
    missing: readonly string[],
    connection: HubConnection,
    marks: readonly FeedMark[],
  ): string;
  update(feeds: readonly string[], folded: number): string;
  connection(state: HubConnection): string;
  marks(marks: readonly FeedMark[]): string;
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
  /** The marks of the last half an hour that concern one of these feeds. */
  marks(ids: readonly FeedId[]): FeedMark[];
};

/** A first snapshot waits this long for the latest prices, so that it usually shows all of them. */
const SNAPSHOT_WAIT_MS = 1_000;
/** More than this is not replayed: a snapshot says where the prices are, in a hundredth of the bytes. */
const MOST_REPLAYED = 2_000;
/** Every so many heartbeats the connection state is told again: scripts in a browser don't see comments. */
const HEARTBEATS_PER_STATE = 2;

const HEARTBEAT = bytesOf(formatSseComment('.'));

/** The readers of the hub: in groups that want the same, each with its snapshot, its news and its rate. */
export class Subscribers {
  readonly #groups = new Map<string, Group>();
  readonly #groupOf = new Map<Subscriber, Group>();
  readonly #groupsByFeed = new Map<FeedId, Set<Group>>();
  /** Readers that wait for their first snapshot, and from where they want to resume. */
  readonly #waiting = new Map<Subscriber, { timer: TimerHandle; lastEventId: string | undefined }>();
  /** Feeds whose latest price is being asked for. */
  readonly #unpriced = new Set<FeedId>();
  #heartbeats = 0;

  constructor(private readonly edges: SubscribersEdges) {}

  get count(): number {
    return this.#groupOf.size;
  }

  /** Makes a reader; it gets nothing before `welcome`. */
  admit(request: WatchRequest): Subscriber {
    const { malformed, maxPerS, lastEventId, sink } = request;
    const group = this.#groupFor(request.ids, maxPerS);
    // The group's ids and not the request's own: those are parts of its address, which a long stream need not keep.
    const subscriber = new Subscriber(group.ids, malformed, sink, this.edges.timers, (one) => ({
      snapshot: () => this.#snapshot(one),
      update: (pending) => this.#update(this.#groupOf.get(one)?.sentSeq ?? this.edges.seq(), pending),
      connection: () => this.#connection(this.#groupOf.get(one)?.sentSeq ?? this.edges.seq()),
      marks: () =>
        this.#marks(this.#groupOf.get(one)?.sentSeq ?? this.edges.seq(), this.edges.marks(one.ids)),
    }));
    group.readers += 1;
    this.#groupOf.set(subscriber, group);
    const timer = this.edges.timers.after(SNAPSHOT_WAIT_MS, () => this.#begin(subscriber));
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
    if (changed.size === 0) return;
    for (const subscriber of this.#groupOf.keys()) {
      if (subscriber.joined && subscriber.ids.some((id) => changed.has(id))) subscriber.snapshot();
    }
  }

  /** Sends new updates to everybody who watches their feeds. */
  dispatch(news: readonly FeedNews[]): void {
    const touched = new Set<Group>();
    for (const one of news) {
      for (const group of this.#groupsByFeed.get(one.id) ?? []) {
        if (group.members.size === 0) continue;
        group.collect(one);
        touched.add(group);
      }
    }
    for (const group of touched) group.commit();
  }

  connectionChanged(): void {
    for (const group of this.#groups.values()) {
      const bytes = this.#connection(group.sentSeq);
      for (const subscriber of group.members) subscriber.connection(bytes);
    }
  }

  /** A mark is new or has changed: tells everybody whose feeds it concerns. */
  marked(mark: FeedMark): void {
    const concerned = mark.ids && new Set(mark.ids);
    for (const group of this.#groups.values()) {
      if (group.members.size === 0 || (concerned && !group.ids.some((id) => concerned.has(id)))) continue;
      const bytes = this.#marks(group.sentSeq, [mark]);
      for (const subscriber of group.members) subscriber.marks(bytes);
    }
    // A return to the first host changes no state, so nothing else would say it.
    if (mark.kind === 'host') this.connectionChanged();
  }

  heartbeat(): void {
    this.#heartbeats += 1;
    if (this.#heartbeats % HEARTBEATS_PER_STATE === 0) this.connectionChanged();
    else for (const subscriber of this.#groupOf.keys()) subscriber.heartbeat(HEARTBEAT);
  }

  /** Takes a reader out. Gives false when it was out already. */
  dismiss(subscriber: Subscriber): boolean {
    const group = this.#groupOf.get(subscriber);
    if (!group) return false;
    this.#stopWaiting(subscriber);
    subscriber.close();
    group.leave(subscriber);
    this.#groupOf.delete(subscriber);
    group.readers -= 1;
    if (group.readers === 0) this.#forget(group);
    return true;
  }

  stop(): void {
    for (const subscriber of [...this.#groupOf.keys()]) {
      subscriber.end();
      this.dismiss(subscriber);
    }
  }

  #begin(subscriber: Subscriber): void {
    const { lastEventId } = this.#waiting.get(subscriber) ?? {};
    this.#stopWaiting(subscriber);
    const group = this.#groupOf.get(subscriber);
    if (!group || subscriber.joined) return;
    const missed = this.#missedSince(lastEventId, subscriber);
    if (missed) {
      subscriber.joined = true;
      if (!missed.empty) subscriber.update(this.#update(this.edges.seq(), missed), missed);
      subscriber.connection(this.#connection(this.edges.seq()));
      const marks = this.edges.marks(subscriber.ids);
      if (marks.length > 0) subscriber.marks(this.#marks(this.edges.seq(), marks));
    } else subscriber.snapshot();
    group.join(subscriber);
  }

  #stopWaiting(subscriber: Subscriber): void {
    this.edges.timers.clear(this.#waiting.get(subscriber)?.timer);
    this.#waiting.delete(subscriber);
  }

  /** What a reader that comes back has missed; undefined when it needs a snapshot. */
  #missedSince(lastEventId: string | undefined, subscriber: Subscriber): Pending | undefined {
    const [epoch, digits = ''] = lastEventId?.split('.') ?? [];
    if (epoch !== this.edges.epoch || !/^\d{1,15}$/.test(digits) || Number(digits) > this.edges.seq())
      return undefined;
    // Missing feeds are told by a snapshot only.
    if (subscriber.malformed.length > 0 || subscriber.ids.some((id) => this.edges.missing(id)))
      return undefined;
    const missed: { seq: number; id: FeedId; text: string }[] = [];
    for (const id of subscriber.ids) {
      const after = this.edges.history(id)?.after(Number(digits));
      if (!after) return undefined;
      for (const entry of after) missed.push({ ...entry, id });
    }
    if (missed.length > MOST_REPLAYED) return undefined;
    missed.sort((a, b) => a.seq - b.seq);
    const pending = new Pending('every');
    for (const { id, text } of missed) pending.add({ id, text });
    return pending;
  }

  #groupFor(ids: readonly FeedId[], maxPerS: number | undefined): Group {
    const key = `${maxPerS ?? 'every'} ${ids.join(' ')}`;
    const known = this.#groups.get(key);
    if (known) return known;
    const intervalMs = maxPerS === undefined ? 0 : 1000 / maxPerS;
    const group = new Group(key, ids, intervalMs, this.edges.timers, {
      seq: () => this.edges.seq(),
      update: (seq, pending) => this.#update(seq, pending),
    });
    this.#groups.set(key, group);
    for (const id of ids) {
      const groups = this.#groupsByFeed.get(id) ?? new Set();
      this.#groupsByFeed.set(id, groups.add(group));
    }
    return group;
  }

  #forget(group: Group): void {
    this.#groups.delete(group.key);
    for (const id of group.ids) {
      const groups = this.#groupsByFeed.get(id);
      groups?.delete(group);
      if (groups?.size === 0) this.#groupsByFeed.delete(id);
    }
  }

  #snapshot(subscriber: Subscriber): Uint8Array {
    const feeds = subscriber.ids.flatMap((id) => this.edges.history(id)?.lastText ?? []);
    const missing = [...subscriber.ids.filter((id) => this.edges.missing(id)), ...subscriber.malformed];
    const marks = this.edges.marks(subscriber.ids);
    const text = this.edges.codec.snapshot(feeds, missing, this.edges.state(), marks);
    return this.#event('snapshot', this.edges.seq(), text);
  }

  #update(seq: number, pending: Pending): Uint8Array {
    return this.#event('update', seq, this.edges.codec.update(pending.texts, pending.folded));
  }

  #connection(seq: number): Uint8Array {
    return this.#event('connection', seq, this.edges.codec.connection(this.edges.state()));
  }

  #marks(seq: number, marks: readonly FeedMark[]): Uint8Array {
    return this.#event('marks', seq, this.edges.codec.marks(marks));
  }

  #event(event: string, seq: number, data: string): Uint8Array {
    return bytesOf(formatSseEvent({ event, id: `${this.edges.epoch}.${seq}`, data }));
  }
}

function bytesOf(text: string): Uint8Array {
  return Buffer.from(text);
}

type GroupEvents = {
  /** Number of the newest update of the hub. */
  seq(): number;
  /** Bytes of one update event that brings its reader up to number `seq`. */
  update(seq: number, pending: Pending): Uint8Array;
};

/**
 * All subscribers that want the same feeds at the same rate: whatever goes to them is encoded once. With a rate, the first
 * update goes out at once and the ones that follow within the interval are folded into the next event.
 */
class Group {
  /** Up to this number its subscribers have everything: the id of its events, from which a reader resumes. */
  sentSeq: number;
  /** Subscribers that belong here, those included that wait for their snapshot. */
  readers = 0;
  #pending: Pending;
  #timer: TimerHandle | undefined;
  #lastSentMs = Number.NEGATIVE_INFINITY;
  readonly #members = new Set<Subscriber>();
  /** Joined while something was pending, which their snapshot holds already: what came after it, for each. */
  readonly #newcomers = new Map<Subscriber, Pending>();

  /** @param intervalMs least time between two update events; 0 sends every update */
  constructor(
    readonly key: string,
    readonly ids: readonly FeedId[],
    private readonly intervalMs: number,
    private readonly timers: Timers,
    private readonly events: GroupEvents,
  ) {
    this.sentSeq = events.seq();
    this.#pending = this.#nothing();
  }

  get members(): ReadonlySet<Subscriber> {
    return this.#members;
  }

  join(subscriber: Subscriber): void {
    if (this.#members.size === 0 && this.#pending.empty) this.sentSeq = this.events.seq();
    this.#members.add(subscriber);
    if (!this.#pending.empty) this.#newcomers.set(subscriber, this.#nothing());
  }

  leave(subscriber: Subscriber): void {
    this.#members.delete(subscriber);
    this.#newcomers.delete(subscriber);
    if (this.#members.size > 0) return;
    this.timers.clear(this.#timer);
    this.#timer = undefined;
    this.#pending = this.#nothing();
  }

  /** Takes an update of one of its feeds; nothing is sent before `commit`. */
  collect(news: FeedNews): void {
    this.#pending.add(news);
    for (const own of this.#newcomers.values()) own.add(news);
  }

  /** One upstream event is collected: sends, or waits for its turn. */
  commit(): void {
    if (this.#timer || this.#pending.empty) return;
    const waitMs = this.#lastSentMs + this.intervalMs - this.timers.now();
    if (waitMs <= 0) this.#send();
    else {
      this.#timer = this.timers.after(waitMs, () => {
        this.#timer = undefined;
        this.#send();
      });
    }
  }

  #send(): void {
    const pending = this.#pending;
    this.#pending = this.#nothing();
    this.#lastSentMs = this.timers.now();
    this.sentSeq = this.events.seq();
    const bytes = this.events.update(this.sentSeq, pending);
    for (const subscriber of this.#members) {
      const own = this.#newcomers.get(subscriber);
      if (!own) subscriber.update(bytes, pending);
      else if (!own.empty) subscriber.update(this.events.update(this.sentSeq, own), own);
    }
    this.#newcomers.clear();
  }

  #nothing(): Pending {
    return new Pending(this.intervalMs > 0 ? 'latest' : 'every');
  }
}
