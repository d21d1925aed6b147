import type { FeedId } from '@/lib/domain/feed';
import { FeedGroup } from './feed-group';
import type { FeedCodec, HubConnection, WatchRequest } from './feed-hub-edges';
import type { FeedMark } from './feed-marks';
import type { FeedMemory } from './feed-memory';
import { type FeedNews, FeedWatcher, Pending } from './feed-watcher';
import { formatSseComment, formatSseEvent } from './sse';
import type { TimerHandle, Timers } from './timers';

export type FeedAudienceEdges = {
  timers: Timers;
  codec: FeedCodec;
  epoch: string;
  /** Number of the newest update. */
  seq(): number;
  memory(id: FeedId): FeedMemory | undefined;
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
export class FeedAudience {
  readonly #groups = new Map<string, FeedGroup>();
  readonly #groupOf = new Map<FeedWatcher, FeedGroup>();
  readonly #groupsByFeed = new Map<FeedId, Set<FeedGroup>>();
  /** Readers that wait for their first snapshot, and from where they want to resume. */
  readonly #waiting = new Map<FeedWatcher, { timer: TimerHandle; lastEventId: string | undefined }>();
  /** Feeds whose latest price is being asked for. */
  readonly #unseeded = new Set<FeedId>();
  #heartbeats = 0;

  constructor(private readonly edges: FeedAudienceEdges) {}

  get watchers(): number {
    return this.#groupOf.size;
  }

  /** Makes a reader; it gets nothing before `welcome`. */
  admit(request: WatchRequest): FeedWatcher {
    const { malformed, maxPerS, lastEventId, sink } = request;
    const group = this.#groupFor(request.ids, maxPerS);
    // The group's ids and not the request's own: those are parts of its address, which a long stream need not keep.
    const watcher = new FeedWatcher(group.ids, malformed, sink, this.edges.timers, (one) => ({
      snapshot: () => this.#snapshot(one),
      update: (pending) => this.#update(this.#groupOf.get(one)?.sentSeq ?? this.edges.seq(), pending),
      connection: () => this.#connection(this.#groupOf.get(one)?.sentSeq ?? this.edges.seq()),
      marks: () =>
        this.#marks(this.#groupOf.get(one)?.sentSeq ?? this.edges.seq(), this.edges.marks(one.ids)),
    }));
    group.readers += 1;
    this.#groupOf.set(watcher, group);
    const timer = this.edges.timers.after(SNAPSHOT_WAIT_MS, () => this.#begin(watcher));
    this.#waiting.set(watcher, { timer, lastEventId });
    return watcher;
  }

  /** Begins at once when the latest prices of its feeds are there; else they are waited for, but not for long. */
  welcome(watcher: FeedWatcher): void {
    if (!watcher.ids.some((id) => this.#unseeded.has(id))) this.#begin(watcher);
  }

  awaitSeeds(ids: readonly FeedId[]): void {
    for (const id of ids) this.#unseeded.add(id);
  }

  /** The latest prices came, or won't. Whoever watches a feed that went missing or came back is told by a snapshot. */
  seedsSettled(ids: readonly FeedId[], changed: ReadonlySet<FeedId>): void {
    for (const id of ids) this.#unseeded.delete(id);
    for (const watcher of [...this.#waiting.keys()]) this.welcome(watcher);
    if (changed.size === 0) return;
    for (const watcher of this.#groupOf.keys()) {
      if (watcher.joined && watcher.ids.some((id) => changed.has(id))) watcher.snapshot();
    }
  }

  /** Sends new updates to everybody who watches their feeds. */
  dispatch(news: readonly FeedNews[]): void {
    const touched = new Set<FeedGroup>();
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
      for (const watcher of group.members) watcher.connection(bytes);
    }
  }

  /** A mark is new or has changed: tells everybody whose feeds it concerns. */
  marked(mark: FeedMark): void {
    const concerned = mark.ids && new Set(mark.ids);
    for (const group of this.#groups.values()) {
      if (group.members.size === 0 || (concerned && !group.ids.some((id) => concerned.has(id)))) continue;
      const bytes = this.#marks(group.sentSeq, [mark]);
      for (const watcher of group.members) watcher.marks(bytes);
    }
    // A return to the first host changes no state, so nothing else would say it.
    if (mark.kind === 'host') this.connectionChanged();
  }

  heartbeat(): void {
    this.#heartbeats += 1;
    if (this.#heartbeats % HEARTBEATS_PER_STATE === 0) this.connectionChanged();
    else for (const watcher of this.#groupOf.keys()) watcher.heartbeat(HEARTBEAT);
  }

  /** Takes a reader out. Gives false when it was out already. */
  dismiss(watcher: FeedWatcher): boolean {
    const group = this.#groupOf.get(watcher);
    if (!group) return false;
    this.#stopWaiting(watcher);
    watcher.close();
    group.leave(watcher);
    this.#groupOf.delete(watcher);
    group.readers -= 1;
    if (group.readers === 0) this.#forget(group);
    return true;
  }

  stop(): void {
    for (const watcher of [...this.#groupOf.keys()]) {
      watcher.end();
      this.dismiss(watcher);
    }
  }

  #begin(watcher: FeedWatcher): void {
    const { lastEventId } = this.#waiting.get(watcher) ?? {};
    this.#stopWaiting(watcher);
    const group = this.#groupOf.get(watcher);
    if (!group || watcher.joined) return;
    const missed = this.#missedSince(lastEventId, watcher);
    if (missed) {
      watcher.joined = true;
      if (!missed.empty) watcher.update(this.#update(this.edges.seq(), missed), missed);
      watcher.connection(this.#connection(this.edges.seq()));
      const marks = this.edges.marks(watcher.ids);
      if (marks.length > 0) watcher.marks(this.#marks(this.edges.seq(), marks));
    } else watcher.snapshot();
    group.join(watcher);
  }

  #stopWaiting(watcher: FeedWatcher): void {
    this.edges.timers.clear(this.#waiting.get(watcher)?.timer);
    this.#waiting.delete(watcher);
  }

  /** What a reader that comes back has missed; undefined when it needs a snapshot. */
  #missedSince(lastEventId: string | undefined, watcher: FeedWatcher): Pending | undefined {
    const [epoch, digits = ''] = lastEventId?.split('.') ?? [];
    if (epoch !== this.edges.epoch || !/^\d{1,15}$/.test(digits) || Number(digits) > this.edges.seq())
      return undefined;
    // Missing feeds are told by a snapshot only.
    if (watcher.malformed.length > 0 || watcher.ids.some((id) => this.edges.missing(id))) return undefined;
    const missed: { seq: number; id: FeedId; text: string }[] = [];
    for (const id of watcher.ids) {
      const after = this.edges.memory(id)?.after(Number(digits));
      if (!after) return undefined;
      for (const entry of after) missed.push({ ...entry, id });
    }
    if (missed.length > MOST_REPLAYED) return undefined;
    missed.sort((a, b) => a.seq - b.seq);
    const pending = new Pending('every');
    for (const { id, text } of missed) pending.add({ id, text });
    return pending;
  }

  #groupFor(ids: readonly FeedId[], maxPerS: number | undefined): FeedGroup {
    const key = `${maxPerS ?? 'every'} ${ids.join(' ')}`;
    const known = this.#groups.get(key);
    if (known) return known;
    const intervalMs = maxPerS === undefined ? 0 : 1000 / maxPerS;
    const group = new FeedGroup(key, ids, intervalMs, this.edges.timers, {
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

  #forget(group: FeedGroup): void {
    this.#groups.delete(group.key);
    for (const id of group.ids) {
      const groups = this.#groupsByFeed.get(id);
      groups?.delete(group);
      if (groups?.size === 0) this.#groupsByFeed.delete(id);
    }
  }

  #snapshot(watcher: FeedWatcher): Uint8Array {
    const feeds = watcher.ids.flatMap((id) => this.edges.memory(id)?.lastText ?? []);
    const missing = [...watcher.ids.filter((id) => this.edges.missing(id)), ...watcher.malformed];
    const marks = this.edges.marks(watcher.ids);
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
