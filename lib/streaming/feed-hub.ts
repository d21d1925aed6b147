import type { FeedId } from '@/lib/domain/feed';
import { type Failure, failed, type Outcome, ok } from '@/lib/domain/outcome';
import type { OpenCause } from './connection';
import { FeedAudience } from './feed-audience';
import { FeedGaps } from './feed-gaps';
import type { FeedHubEdges, FeedHubStats, HubConnection, WatchRequest } from './feed-hub-edges';
import { FeedIntake } from './feed-intake';
import { FeedLines, type LineNews } from './feed-lines';
import type { FeedMark } from './feed-marks';
import { PAST_MS, type PastUpdate } from './feed-past';
import { FeedSeeds } from './feed-seeds';
import type { FeedWatcher } from './feed-watcher';
import { FeedsBefore } from './feeds-before';
import { type FeedHost, HostChoice } from './host-choice';
import { probeStream } from './host-probe';
import type { TimerHandle } from './timers';
import { WatchedFeeds } from './watched-feeds';

/** Different feeds watched by everybody together: four thousand updates a second at most, and 30 MB of memory. */
export const MAX_HUB_FEEDS = 500;
/** Changes of the union within this time open one stream, not one each. */
const GATHER_MS = 25;
/** However often the union changes, streams are opened anew at most so often: each opening is a call of the budget. */
const REPLAN_MS = 1_000;

/**
 * All browsers of the dashboard on one upstream stream: the union of the feeds that anyone watches. It remembers the last
 * updates of each feed, gives every reader a snapshot and then what is new for it, and tells how the connection is.
 */
export class FeedHub {
  #losses = 0;
  #stopped = false;
  #gather: TimerHandle | undefined;
  #replannedAtMs = 0;
  readonly #feeds: WatchedFeeds;
  readonly #hosts: HostChoice;
  readonly #lines: FeedLines;
  readonly #gaps: FeedGaps;
  readonly #before: FeedsBefore;
  readonly #seeds: FeedSeeds;
  readonly #audience: FeedAudience;
  readonly #intake: FeedIntake;

  constructor(private readonly edges: FeedHubEdges) {
    this.#feeds = new WatchedFeeds(edges.timers, edges.past, (ids) => this.#swept(ids));
    this.#intake = this.#takeIn();
    this.#hosts = this.#chooseHosts();
    this.#lines = this.#connect();
    this.#gaps = this.#watchGaps();
    this.#before = new FeedsBefore(
      (id) => this.#feeds.get(id)?.past,
      (...gap) => this.#gaps.before(...gap),
    );
    this.#seeds = new FeedSeeds(
      { ...edges, latest: (ids, priority) => edges.latest(this.#hosts.current, ids, priority) },
      {
        body: (body) => void this.#intake.take(body),
        settled: (ids, changed) => this.#settled(ids, changed),
      },
    );
    this.#audience = new FeedAudience({
      timers: edges.timers,
      codec: edges.codec,
      epoch: edges.epoch,
      seq: () => this.#intake.seq,
      memory: (id) => this.#feeds.get(id)?.memory,
      missing: (id) => this.#seeds.missing.has(id),
      state: () => this.#connectionState(),
      marks: (ids) => this.#gaps.recent(ids),
    });
  }

  get stats(): FeedHubStats {
    const { watchers } = this.#audience;
    const counts = { ...this.#intake.counts, losses: this.#losses };
    return { ...counts, watchers, feeds: this.#feeds.size, upstreamStreams: this.#lines.standing };
  }

  /** The last update of each watched feed, as the readers get it. */
  get lastTexts(): Iterable<[FeedId, string]> {
    return this.#feeds.lastTexts();
  }

  /** How the streams are, and on which host. */
  get connection(): HubConnection {
    return this.#connectionState();
  }

  /**
   * Adds a reader. It gets a snapshot (or what it missed), then updates and connection states, until the returned
   * function is called or its sink ends. Fails with `too-many` when it would go over `MAX_HUB_FEEDS`.
   */
  watch(request: WatchRequest): Outcome<() => void> {
    const ids = [...new Set(request.ids)].sort();
    const fresh = ids.filter((id) => !this.#feeds.get(id));
    if (this.#stopped) return failed({ kind: 'too-many', detail: 'The dashboard is shutting down.' });
    if (this.#feeds.size + fresh.length > MAX_HUB_FEEDS) {
      return failed({
        kind: 'too-many',
        detail: `This dashboard watches at most ${MAX_HUB_FEEDS} feeds at once.`,
      });
    }
    for (const id of ids) this.#feeds.use(id, this.#intake.seq);
    const watcher = this.#audience.admit({ ...request, ids });
    if (fresh.length > 0) {
      this.#replanSoon();
      this.#audience.awaitSeeds(fresh);
      this.#seeds.ask(fresh, 'user');
    }
    this.#audience.welcome(watcher);
    return ok(() => this.#release(watcher));
  }

  /**
   * What is remembered of a feed since a unix second, by publish time. Undefined for a feed that nobody watches.
   * `completeSinceS`: from here on everything that was received is in it; absent when no stream has carried it yet.
   */
  past(id: FeedId, fromS: number): { updates: PastUpdate[]; completeSinceS?: number } | undefined {
    const past = this.#feeds.get(id)?.past;
    if (!past) return undefined;
    const oldestS = Math.ceil((this.edges.timers.now() - PAST_MS) / 1000);
    const updates = past.from(Math.max(fromS, oldestS));
    const { completeSinceS } = past;
    return completeSinceS === undefined
      ? { updates }
      : { updates, completeSinceS: Math.max(completeSinceS, oldestS) };
  }

  /** Somebody lost the stream of these feeds at a unix second: what came before our memory begins is filled in. */
  lacked(ids: readonly FeedId[], fromS: number): void {
    if (!this.#stopped) this.#before.lacked(ids, fromS);
  }

  /** The marks of the last half an hour that concern one of these feeds, oldest first. */
  marks(ids: readonly FeedId[]): FeedMark[] {
    return this.#gaps.recent(ids);
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
    this.#gaps.stop();
    this.#before.clear();
    this.#lines.stop();
    this.#hosts.rest();
    this.#seeds.stop();
    this.#audience.stop();
    this.#feeds.clear();
  }

  #takeIn(): FeedIntake {
    return new FeedIntake(this.edges, {
      feed: (id) => this.#feeds.get(id),
      came: (id) => this.#seeds.came(id),
      judged: (update, novelty) => this.#gaps.came(update, novelty),
      news: (news) => this.#audience.dispatch(news),
      cameBack: (ids) => this.#audience.seedsSettled([], ids),
    });
  }

  #chooseHosts(): HostChoice {
    const { edges } = this;
    const probe = (host: FeedHost, signal: AbortSignal) =>
      probeStream(() => edges.open(host, this.#wanted(), signal), edges.timers, signal);
    return new HostChoice({ ...edges, probe }, () => this.#lines.moveHost());
  }

  #connect(): FeedLines {
    return new FeedLines(this.edges, () => this.#hosts.current, {
      event: (event) => this.#intake.read(event.data),
      opened: (news, cause, host) => this.#opened(news, cause, host),
      attemptFailed: (failure, news) => this.#attemptFailed(failure, news),
      over: (news, sinceMs, failure) => this.#over(news, sinceMs, failure),
      dropped: (line) => this.#gaps.dropped(line),
      // How the connection is says it all: a named error is followed by the end of the stream, or means nothing.
      serviceError: () => {},
      stateChanged: () => this.#audience.connectionChanged(),
    });
  }

  #watchGaps(): FeedGaps {
    const { edges } = this;
    const atTime = (second: number, ids: readonly FeedId[]) => edges.atTime(this.#hosts.current, second, ids);
    return new FeedGaps(
      { ...edges, atTime },
      {
        marked: (mark) => this.#audience.marked(mark),
        filled: (update) => this.#intake.fill(update),
        lastOf: (id) => {
          // Of a feed that the service has never had nothing was missed.
          const none = !this.#feeds.get(id) || this.#seeds.missing.has(id) ? 'unwatched' : undefined;
          return this.#feeds.get(id)?.memory.lastPublishS ?? none;
        },
      },
    );
  }

  #connectionState(): HubConnection {
    const host = this.#hosts.current;
    // Between the first watcher and the opening of the stream there is no line that could say so.
    if (this.#gather && this.#lines.count === 0) {
      return { state: 'connecting', sinceMs: this.edges.timers.now(), host };
    }
    return { ...this.#lines.state(), host };
  }

  #release(watcher: FeedWatcher): void {
    if (this.#stopped || !this.#audience.dismiss(watcher)) return;
    this.#feeds.release(watcher.ids);
  }

  /** Nobody has watched these for a while; with the last one the upstream streams are closed. */
  #swept(ids: readonly FeedId[]): void {
    for (const id of ids) this.#seeds.forget(id);
    this.#replan();
    if (this.#feeds.size > 0) return;
    this.#hosts.rest();
    this.#gaps.rest();
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
    this.#lines.cover(new Set(this.#wanted()));
  }

  #wanted(): FeedId[] {
    return this.#feeds.ids.filter((id) => !this.#seeds.refused.has(id));
  }

  #opened(news: LineNews, cause: OpenCause, host: FeedHost): void {
    const now = this.edges.timers.now();
    for (const id of news.ids) this.#feeds.get(id)?.past.begin(now);
    this.#hosts.stands();
    this.#gaps.opened(news, cause, host);
    this.#before.settle();
    // Slow feeds may have moved during the outage and not move again for long.
    if (cause === 'again') this.#seeds.ask(news.ids, 'background');
  }

  #over(news: LineNews, sinceMs: number, failure?: Failure): void {
    this.#gaps.over(news, this.#lines.count === 1, sinceMs, failure);
    if (failure) this.#losses += 1;
    if (this.#lines.standing === 0) this.#hosts.down(failure?.kind);
  }

  #attemptFailed(failure: Failure, news: LineNews & { standing: boolean }): void {
    if (!news.standing) this.#gaps.attemptFailed(news, this.#lines.count === 1);
    if (this.#lines.standing === 0) this.#hosts.down(failure.kind);
    if (failure.kind !== 'missing') return;
    // At once: the next attempt, which is waited for already, asks without them.
    if (this.#seeds.markNamed(failure.detail, news.ids).length > 0) this.#replan();
  }

  #settled(ids: readonly FeedId[], changed: ReadonlySet<FeedId>): void {
    // The service left them out of the present stream; now that it knows them a new one would carry them.
    this.#lines.lack([...changed].filter((id) => !this.#seeds.missing.has(id)));
    if (changed.size > 0) this.#replanSoon();
    this.#audience.seedsSettled(ids, changed);
  }
}
