import { type FeedId, type FeedUpdate, readUpdateBody, type UpdateBody } from '@/lib/domain/feed';
import { type Failure, failed, type Outcome, ok } from '@/lib/domain/outcome';
import type { ConnectionState, OpenCause } from './connection';
import { FeedAudience } from './feed-audience';
import { FeedLines, type FeedLinesEdges } from './feed-lines';
import { FeedMemory } from './feed-memory';
import { FeedSeeds, type FeedSeedsEdges } from './feed-seeds';
import type { FeedWatcher } from './feed-watcher';
import type { Sink } from './sink-gate';
import type { TimerHandle } from './timers';

/** Writes what the readers get. JSON texts; feeds are encoded once and joined into many events. */
export type FeedCodec = {
  feed(update: FeedUpdate, receivedAtMs: number): string;
  snapshot(feeds: readonly string[], missing: readonly string[], connection: ConnectionState): string;
  update(feeds: readonly string[], folded: number): string;
  connection(state: ConnectionState): string;
};

export type FeedHubEdges = FeedLinesEdges &
  FeedSeedsEdges & {
    codec: FeedCodec;
    /** Told apart from every other run of the process, so that a reader from before a restart is not resumed. */
    epoch: string;
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

/** Figures for metrics; the counts only grow. */
export type FeedHubStats = {
  watchers: number;
  feeds: number;
  upstreamStreams: number;
  updates: number;
  duplicates: number;
  older: number;
  unreadable: number;
  losses: number;
};

/** Different feeds watched by everybody together: four thousand updates a second at most, and 30 MB of memory. */
export const MAX_HUB_FEEDS = 500;
/** The upstream streams outlive the last watcher by this, so that a reload of the page finds them open. */
export const LINGER_MS = 30_000;
/** Changes of the union within this time open one stream, not one each. */
const GATHER_MS = 25;
/** However often the union changes, streams are opened anew at most so often: each opening is a call of the budget. */
const REPLAN_MS = 1_000;

/**
 * All browsers of the dashboard on one upstream stream: the union of the feeds that anyone watches. It remembers the last
 * updates of each feed, gives every reader a snapshot and then what is new for it, and tells how the connection is.
 */
export class FeedHub {
  #seq = 0;
  #stopped = false;
  #gather: TimerHandle | undefined;
  #replannedAtMs = 0;
  #sweep: TimerHandle | undefined;
  readonly #feeds = new Map<FeedId, { memory: FeedMemory; watchers: number; idleSinceMs: number }>();
  readonly #lines: FeedLines;
  readonly #seeds: FeedSeeds;
  readonly #audience: FeedAudience;
  readonly #counts = { updates: 0, duplicates: 0, older: 0, unreadable: 0, losses: 0 };

  constructor(private readonly edges: FeedHubEdges) {
    this.#lines = new FeedLines(edges, {
      event: (event) => this.#read(event.data),
      opened: (ids, cause) => this.#opened(ids, cause),
      attemptFailed: (failure, ids) => this.#attemptFailed(failure, ids),
      lost: () => {
        this.#counts.losses += 1;
      },
      // How the connection is says it all: a named error is followed by the end of the stream, or means nothing.
      serviceError: () => {},
      stateChanged: () => this.#audience.connectionChanged(),
    });
    this.#seeds = new FeedSeeds(edges, {
      body: (body) => void this.#take(body),
      settled: (ids, changed) => this.#settled(ids, changed),
    });
    this.#audience = new FeedAudience({
      timers: edges.timers,
      codec: edges.codec,
      epoch: edges.epoch,
      seq: () => this.#seq,
      memory: (id) => this.#feeds.get(id)?.memory,
      missing: (id) => this.#seeds.missing.has(id),
      state: () => this.#connectionState(),
    });
  }

  get stats(): FeedHubStats {
    const { watchers } = this.#audience;
    return { ...this.#counts, watchers, feeds: this.#feeds.size, upstreamStreams: this.#lines.standing };
  }

  /**
   * Adds a reader. It gets a snapshot (or what it missed), then updates and connection states, until the returned
   * function is called or its sink ends. Fails with `too-many` when it would go over `MAX_HUB_FEEDS`.
   */
  watch(request: WatchRequest): Outcome<() => void> {
    const ids = [...new Set(request.ids)].sort();
    const fresh = ids.filter((id) => !this.#feeds.has(id));
    if (this.#stopped) return failed({ kind: 'too-many', detail: 'The dashboard is shutting down.' });
    if (this.#feeds.size + fresh.length > MAX_HUB_FEEDS) {
      return failed({
        kind: 'too-many',
        detail: `This dashboard watches at most ${MAX_HUB_FEEDS} feeds at once.`,
      });
    }
    for (const id of ids) this.#use(id);
    const watcher = this.#audience.admit({ ...request, ids });
    if (fresh.length > 0) {
      this.#replanSoon();
      this.#audience.awaitSeeds(fresh);
      this.#seeds.ask(fresh, 'user');
    }
    this.#audience.welcome(watcher);
    return ok(() => this.#release(watcher));
  }

  /** A sign of life to every reader, about every 15 s. */
  heartbeat(): void {
    this.#audience.heartbeat();
  }

  /** Ends every reader in good order and closes all streams; the hub can't be used again. */
  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.edges.timers.clear(this.#gather);
    this.edges.timers.clear(this.#sweep);
    this.#lines.stop();
    this.#seeds.stop();
    this.#audience.stop();
    this.#feeds.clear();
  }

  #connectionState(): ConnectionState {
    // Between the first watcher and the opening of the stream there is no line that could say so.
    if (this.#gather && this.#lines.count === 0) {
      return { state: 'connecting', sinceMs: this.edges.timers.now() };
    }
    return this.#lines.state();
  }

  #use(id: FeedId): void {
    const feed = this.#feeds.get(id);
    if (feed) feed.watchers += 1;
    else this.#feeds.set(id, { memory: new FeedMemory(this.#seq), watchers: 1, idleSinceMs: 0 });
  }

  #release(watcher: FeedWatcher): void {
    if (this.#stopped || !this.#audience.dismiss(watcher)) return;
    for (const id of watcher.ids) {
      const feed = this.#feeds.get(id);
      if (!feed) continue;
      feed.watchers -= 1;
      if (feed.watchers === 0) feed.idleSinceMs = this.edges.timers.now();
    }
    this.#sweepIn(LINGER_MS);
  }

  /** Forgets feeds that nobody has watched for a while; with the last one the upstream streams are closed. */
  #sweepIn(ms: number): void {
    if (this.#sweep) return;
    this.#sweep = this.edges.timers.after(ms, () => {
      this.#sweep = undefined;
      const now = this.edges.timers.now();
      let nextMs = Number.POSITIVE_INFINITY;
      for (const [id, feed] of this.#feeds) {
        if (feed.watchers > 0) continue;
        const leftMs = feed.idleSinceMs + LINGER_MS - now;
        if (leftMs > 0) nextMs = Math.min(nextMs, leftMs);
        else {
          this.#feeds.delete(id);
          this.#seeds.forget(id);
        }
      }
      this.#replan();
      if (Number.isFinite(nextMs)) this.#sweepIn(nextMs);
    });
  }

  #replanSoon(): void {
    const sinceMs = this.edges.timers.now() - this.#replannedAtMs;
    this.#gather ??= this.edges.timers.after(Math.max(GATHER_MS, REPLAN_MS - sinceMs), () => {
      this.#gather = undefined;
      this.#replan();
    });
  }

  /**
   * The stream is opened so that the service leaves out what it doesn't know. A service that fails the whole stream for
   * one id has named it, and that id is left out here: one bad id must not cost the others theirs.
   */
  #replan(): void {
    if (this.#stopped) return;
    this.#replannedAtMs = this.edges.timers.now();
    const wanted = [...this.#feeds.keys()].filter((id) => !this.#seeds.refused.has(id));
    this.#lines.cover(new Set(wanted));
  }

  #opened(ids: readonly FeedId[], cause: OpenCause): void {
    // Slow feeds may have moved during the outage and not move again for long.
    if (cause === 'again') this.#seeds.ask(ids, 'background');
  }

  #attemptFailed(failure: Failure, ids: readonly FeedId[]): void {
    if (failure.kind !== 'missing') return;
    // At once: the next attempt, which is waited for already, asks without them.
    if (this.#seeds.markNamed(failure.detail, ids).length > 0) this.#replan();
  }

  #settled(ids: readonly FeedId[], changed: ReadonlySet<FeedId>): void {
    // The service left them out of the present stream; now that it knows them a new one would carry them.
    this.#lines.lack([...changed].filter((id) => !this.#seeds.missing.has(id)));
    if (changed.size > 0) this.#replanSoon();
    this.#audience.seedsSettled(ids, changed);
  }

  /** Reads one upstream event. Gives whether it brought a price; one that can't be read is counted and skipped. */
  #read(text: string): boolean {
    const body = readUpdateBody(text);
    if (!body.ok) {
      this.#counts.unreadable += 1;
      return false;
    }
    return this.#take(body.value);
  }

  #take(body: UpdateBody): boolean {
    this.#counts.unreadable += body.unreadable.length;
    const receivedAtMs = this.edges.timers.now();
    const cameBack = new Set<FeedId>();
    const news: { id: FeedId; text: string }[] = [];
    const seq = this.#seq + 1;
    for (const update of body.updates) {
      const feed = this.#feeds.get(update.id);
      if (!feed) continue;
      if (this.#seeds.came(update.id)) cameBack.add(update.id);
      const novelty = feed.memory.judge(update);
      if (novelty === 'duplicate') this.#counts.duplicates += 1;
      else if (novelty === 'older') this.#counts.older += 1;
      else {
        const text = this.edges.codec.feed(update, receivedAtMs);
        feed.memory.keep(update, seq, text);
        news.push({ id: update.id, text });
      }
    }
    this.#counts.updates += news.length;
    if (news.length > 0) {
      this.#seq = seq;
      this.#audience.dispatch(news);
    }
    if (cameBack.size > 0) this.#audience.seedsSettled([], cameBack);
    return body.updates.length > 0;
  }
}
