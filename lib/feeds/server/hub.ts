import 'server-only';
import { type FeedId, type FeedUpdate, readUpdateBody, type UpdateBody } from '@/lib/core/feed';
import { inBatches } from '@/lib/core/grouped';
import { unconfigured } from '@/lib/core/health';
import { type Failure, failed, type Outcome, ok } from '@/lib/core/outcome';
import {
  findMisdating,
  isAhead,
  type Misdating,
  PublishClock,
  readWrongUnit,
} from '@/lib/feeds/publish-clock';
import { compactFeedText, type FeedConnection, type FeedHost } from '@/lib/feeds/stream-events';
import { services } from '@/lib/services/services';
import { type BufferedUpdate, capacityPerFeed, HistoryBuffer, type Novelty } from './history-buffer';
import { HostChoice } from './host-choice';
import {
  type FeedChange,
  type Subscriber,
  Subscribers,
  type WatchedFeed,
  type WatchRequest,
} from './subscribers';
import {
  type ConnectionSettings,
  MAX_FEEDS_PER_STREAM,
  type OpenCause,
  type UpstreamDeps,
  UpstreamStreams,
} from './upstream-streams';

type FeedHubDeps = UpstreamDeps & {
  /** Hosts with an address, the preferred one first. */
  hosts(): readonly FeedHost[];
  /** Latest prices; unknown feeds are left out of the answer. */
  latest(host: FeedHost, ids: readonly FeedId[], priority: Priority): Promise<Outcome<UpdateBody>>;
  /** Milliseconds by which the host's `Date` headers are ahead of our clock; undefined without them. */
  clockAheadMs?(host: FeedHost): number | undefined;
  epoch: string;
};

/** Figures for metrics. The counts only grow. */
type FeedHubStats = {
  watchers: number;
  feeds: number;
  upstreamStreams: number;
  /** Buffered characters. */
  historyBytes: number;
  updates: number;
  unreadable: number;
  losses: number;
} & Record<Exclude<Novelty, 'new'>, number>;

type Priority = 'user' | 'background';

/** Limit of feeds for all clients together: some 1,250 updates a second at 2.5 of each feed. */
const MAX_HUB_FEEDS = 500;
/** Time for which a feed outlives its last watcher, so that a reloaded page finds its stream open. */
const LINGER_MS = 30_000;
/** Changes of the watched feeds within this time open one stream. */
const DEBOUNCE_MS = 25;
/** Minimum time between two openings of streams, because each uses a call of the budget. */
const MIN_REPLAN_MS = 1_000;
/** Interval of requests for watched feeds without a value. */
const LATEST_RETRY_MS = 30_000;

/** Shares upstream streams among all browsers. A client gets a snapshot, then updates. */
export class FeedHub {
  readonly #counts = { updates: 0, duplicate: 0, older: 0, misdated: 0, unreadable: 0, losses: 0 };
  /** Number of the last event with updates. */
  #seq = 0;
  #stopped = false;
  #cancelDebounce: (() => void) | undefined;
  #cancelSweep: (() => void) | undefined;
  #cancelRetry: (() => void) | undefined;
  #replannedAtMs = 0;
  /** Host of the stream opened last. */
  #openedOn: FeedHost | undefined;
  /** Feeds that are watched, or were watched within `LINGER_MS`. */
  readonly #feeds = new Map<FeedId, WatchedFeed>();
  readonly #clock: PublishClock;
  readonly #hosts: HostChoice;
  readonly #streams: UpstreamStreams;
  readonly #subscribers: Subscribers;

  constructor(private readonly deps: FeedHubDeps) {
    const { timers, epoch } = deps;
    const { now } = timers;
    this.#clock = new PublishClock(now.bind(timers), () => deps.clockAheadMs?.(this.#host));
    this.#hosts = new HostChoice(timers, deps.hosts, () => this.#streams.changeHost());
    this.#streams = new UpstreamStreams(deps, () => this.#hosts.current, {
      event: (event) => {
        const body = readUpdateBody(event.data);
        if (!body.ok) this.#counts.unreadable += 1;
        return body.ok && this.#applyBody(body.value, 'live');
      },
      opened: (ids, cause) => this.#opened(ids, cause),
      attemptFailed: (failure, ids) => this.#attemptFailed(failure, ids),
      ended: (failure) => {
        if (failure) this.#counts.losses += 1;
        this.#noticeDown(failure);
      },
      stateChanged: () => this.#subscribers.connectionChanged(),
    });
    this.#subscribers = new Subscribers({
      timers,
      epoch,
      seq: () => this.#seq,
      feed: (id) => this.#feeds.get(id),
      state: (ids) => this.connectionOf(ids),
    });
  }

  get stats(): FeedHubStats {
    const histories = [...this.#feeds.values()].map(({ history }) => history.bytes);
    return {
      ...this.#counts,
      historyBytes: histories.reduce((sum, bytes) => sum + bytes, 0),
      watchers: this.#subscribers.count,
      feeds: this.#feeds.size,
      upstreamStreams: this.#streams.openCount,
    };
  }

  get lastTexts(): [FeedId, string][] {
    return [...this.#feeds].flatMap(([id, { history }]) =>
      history.lastText === undefined ? [] : [[id, history.lastText]],
    );
  }

  /** Encoded updates of any age, oldest first. Empty for a feed that is not watched. */
  recentTexts(id: FeedId, count: number): string[] {
    return this.#feeds.get(id)?.history.lastTexts(count) ?? [];
  }

  /** Unix ms. */
  get publishingNowMs(): number {
    return this.#clock.nowMs();
  }

  get connection(): FeedConnection {
    return this.connectionOf([]);
  }

  /** Connection of the streams that carry these feeds. An open stream may carry only some of them. */
  connectionOf(ids: readonly FeedId[]): FeedConnection {
    const nowMs = this.publishingNowMs;
    const host = this.#host;
    // Before the first stream is opened, there is no state to report.
    if (this.#cancelDebounce && this.#streams.count === 0) {
      return { state: 'connecting', sinceMs: this.deps.timers.now(), host, nowMs };
    }
    return { ...this.#streams.state(ids), host, nowMs };
  }

  /** Adds a client until the returned function is called or its sink ends; `too-many` over `MAX_HUB_FEEDS`. */
  watch(request: WatchRequest): Outcome<() => void> {
    const ids = [...new Set(request.ids)].sort();
    const fresh = ids.filter((id) => !this.#feeds.has(id));
    const tooMany = (detail: string) => failed({ kind: 'too-many', detail });
    if (this.#stopped) return tooMany('The dashboard is shutting down.');
    if (this.#feeds.size + fresh.length > MAX_HUB_FEEDS)
      return tooMany(`This dashboard watches at most ${MAX_HUB_FEEDS} feeds at once.`);
    for (const id of ids) {
      const history = () => new HistoryBuffer(this.#seq, () => capacityPerFeed(this.#feeds.size));
      const feed = this.#feeds.get(id) ?? { history: history(), watchers: 0, idleSinceMs: 0 };
      feed.watchers += 1;
      this.#feeds.set(id, feed);
    }
    if (fresh.length > 0) {
      this.#replanSoon();
      this.#requestLatest(fresh, 'user');
    }
    const subscriber = this.#subscribers.add({ ...request, ids });
    return ok(() => this.#release(subscriber));
  }

  /** Updates from a publish time on, complete from `completeSinceS`; undefined for a feed that is not watched. */
  past(
    id: FeedId,
    fromS: number,
  ): { updates: readonly BufferedUpdate[]; completeSinceS: number | undefined } | undefined {
    return this.#feeds.get(id)?.history.from(fromS, this.deps.timers.now());
  }

  heartbeat(): void {
    this.#subscribers.heartbeat();
  }

  /** Final: the hub can't be used afterwards. */
  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#cancelDebounce?.();
    this.#cancelSweep?.();
    this.#cancelRetry?.();
    this.#streams.stop();
    this.#hosts.reset();
    this.#subscribers.stop();
    this.#feeds.clear();
  }

  /** The host of the open stream, not that of an attempt. */
  get #host(): FeedHost {
    return this.#openedOn ?? this.#hosts.current;
  }

  /** Returns whether there were any updates. */
  #applyBody(body: UpdateBody, how: 'live' | 'requested'): boolean {
    const rows = body.unreadable.map(({ rawJson }) => readWrongUnit(rawJson));
    const wrongUnits = rows.flatMap((row) => row ?? []);
    this.#counts.unreadable += rows.length - wrongUnits.length;
    for (const { id, publishTime } of body.updates)
      if (how === 'live' || isAhead(publishTime, this.deps.timers.now()))
        this.#clock.observe(id, publishTime);
    const nowMs = this.publishingNowMs;
    const changes = [
      ...wrongUnits.flatMap(({ update, unit }) => this.#misdated(update, unit)),
      ...body.updates.flatMap((update) => this.#changesOf(update, nowMs, how)),
    ];
    this.#counts.updates += changes.filter(({ isMisdated }) => !isMisdated).length;
    if (changes.length > 0) {
      this.#seq += 1;
      this.#subscribers.dispatch(changes);
    }
    const readable = [...body.updates, ...wrongUnits.map(({ update }) => update)];
    const unpriced = readable.flatMap(({ id }) => (this.#feeds.get(id)?.unpriced ? id : []));
    if (unpriced.length > 0) this.#settleLatest(unpriced, undefined);
    return readable.length > 0;
  }

  #changesOf(update: FeedUpdate, nowMs: number, how: 'live' | 'requested'): FeedChange[] {
    const { id, publishTime } = update;
    const { history } = this.#feeds.get(id) ?? {};
    if (history === undefined) return [];
    // The last update was accepted before the clock was known, and proved to be from the future.
    if (history.lastS !== undefined && isAhead(history.lastS, nowMs)) history.forgetOrder();
    const misdating = findMisdating(publishTime, nowMs, how === 'live' ? history.lastS : undefined);
    if (misdating !== undefined) return this.#misdated(update, misdating);
    const novelty = history.judge(update);
    if (novelty !== 'new') {
      this.#counts[novelty] += 1;
      return [];
    }
    const text = compactFeedText(update, this.deps.timers.now());
    history.add(update, this.#seq + 1, text);
    return [{ id, text }];
  }

  #misdated(update: FeedUpdate, misdating: Misdating): FeedChange[] {
    const { id } = update;
    const text = compactFeedText(update, this.deps.timers.now(), misdating);
    if (this.#feeds.get(id)?.history.noteMisdated(update, text) !== true) return [];
    this.#counts.misdated += 1;
    return [{ id, text, isMisdated: true }];
  }

  #release(subscriber: Subscriber): void {
    if (this.#stopped || !this.#subscribers.remove(subscriber)) return;
    for (const id of subscriber.group.ids) {
      const feed = this.#feeds.get(id);
      if (!feed) continue;
      feed.watchers -= 1;
      feed.idleSinceMs = this.deps.timers.now();
    }
    this.#sweepIn(LINGER_MS);
  }

  /** Drops feeds unwatched for `LINGER_MS`. If none is left, the upstream streams close. */
  #sweepIn(ms: number): void {
    this.#cancelSweep ??= this.deps.timers.after(ms, () => {
      this.#cancelSweep = undefined;
      const now = this.deps.timers.now();
      for (const [id, { watchers, idleSinceMs }] of this.#feeds) {
        const leftMs = idleSinceMs + LINGER_MS - now;
        if (watchers === 0 && leftMs > 0) this.#sweepIn(leftMs);
        else if (watchers === 0) this.#feeds.delete(id);
      }
      this.#replan();
      if (this.#feeds.size > 0) return;
      this.#hosts.reset();
      this.#openedOn = undefined;
    });
  }

  #replanSoon(): void {
    const sinceMs = this.deps.timers.now() - this.#replannedAtMs;
    this.#cancelDebounce ??= this.deps.timers.after(Math.max(DEBOUNCE_MS, MIN_REPLAN_MS - sinceMs), () => {
      this.#cancelDebounce = undefined;
      this.#replan();
    });
  }

  /** Feeds unknown to the service are left out: one bad id must not cost the others their stream. */
  #replan(): void {
    if (this.#stopped) return;
    this.#replannedAtMs = this.deps.timers.now();
    this.#streams.cover(new Set([...this.#feeds.keys()].filter((id) => !this.#isMissing(id))));
  }

  #opened(ids: readonly FeedId[], cause: OpenCause): void {
    const now = this.deps.timers.now();
    for (const id of ids) this.#feeds.get(id)?.history.begin(now);
    this.#hosts.streamOpened();
    const previousHost = this.#openedOn;
    this.#openedOn = this.#hosts.current;
    // A return to the first host changes no state, so it is announced here.
    if (previousHost !== undefined && previousHost !== this.#openedOn) this.#subscribers.connectionChanged();
    // Slow feeds may have moved during the outage, and not again for long.
    if (cause === 'again') this.#requestLatest(ids, 'background');
  }

  #isMissing(id: FeedId): boolean {
    return this.#feeds.get(id)?.unpriced === 'missing';
  }

  /** Called at first, after an outage, and repeatedly for feeds that the service doesn't know. */
  #requestLatest(ids: readonly FeedId[], priority: Priority): void {
    if (priority === 'user') this.#mark(ids, 'requested');
    for (const batch of inBatches(ids, MAX_FEEDS_PER_STREAM)) {
      this.#requestBatch(batch, priority).catch((error: unknown) => {
        this.deps.reportError(error);
        this.#settleLatest(batch, 'unanswered');
      });
    }
  }

  async #requestBatch(ids: readonly FeedId[], priority: Priority): Promise<void> {
    if (ids.length === 0) return;
    const outcome = await this.deps.latest(this.#host, ids, priority);
    if (this.#stopped) return;
    if (!outcome.ok) {
      const named = outcome.failure.kind === 'missing' ? this.#markNamed(outcome.failure.detail, ids) : [];
      const rest = ids.filter((id) => !named.includes(id));
      // The detail is cut at 500 characters, so each round leaves fewer.
      return named.length > 0 ? this.#requestBatch(rest, priority) : this.#settleLatest(rest, 'unanswered');
    }
    const { updates, unreadable, parsedPresent } = outcome.value;
    this.#applyBody(outcome.value, 'requested');
    // An unreadable row does not prove that the feed is unknown.
    const unread = unreadable.flatMap(({ rawJson }) => rawJson.toLowerCase().match(/[0-9a-f]{64}/g) ?? []);
    const present = new Set<string>([...updates.map(({ id }) => id), ...unread]);
    const isPresent = (id: FeedId) => present.has(id);
    const absent = ids.filter((id) => !isPresent(id));
    this.#settleLatest(ids.filter(isPresent), undefined);
    this.#settleLatest(absent, parsedPresent ? 'missing' : 'unanswered');
  }

  /** Marks the ids in a 404, `Price ids not found: <id>, <id>`. Returns those among `requested`. */
  #markNamed(detail: string, requested: readonly FeedId[]): FeedId[] {
    const text = detail.toLowerCase();
    const named = requested.filter((id) => text.includes(id));
    if (named.length > 0) this.#settleLatest(named, 'missing');
    return named;
  }

  /** Feeds that became unknown, or known again, need another stream. */
  #settleLatest(requested: readonly FeedId[], reason: WatchedFeed['unpriced']): void {
    // Without an answer, a missing feed stays missing.
    const ids = reason === 'unanswered' ? requested.filter((id) => !this.#isMissing(id)) : requested;
    const changed = new Set(ids.filter((id) => this.#isMissing(id) !== (reason === 'missing')));
    this.#mark(ids, reason);
    this.#scheduleRetry();
    this.#streams.markAbsent(changed);
    if (changed.size > 0) this.#replanSoon();
    this.#subscribers.pricesSettled(changed);
  }

  #mark(ids: readonly FeedId[], reason: WatchedFeed['unpriced']): void {
    for (const feed of ids.map((id) => this.#feeds.get(id))) if (feed) feed.unpriced = reason;
  }

  #scheduleRetry(): void {
    const unpricedIds = () => [...this.#feeds].flatMap(([id, feed]) => (feed.unpriced ? id : []));
    if (this.#cancelRetry || this.#stopped || unpricedIds().length === 0) return;
    this.#cancelRetry = this.deps.timers.after(LATEST_RETRY_MS, () => {
      this.#cancelRetry = undefined;
      this.#requestLatest(unpricedIds(), 'background');
      this.#scheduleRetry();
    });
  }

  #noticeDown(failure: Failure | undefined): void {
    if (this.#streams.openCount === 0) this.#hosts.down(failure?.kind);
  }

  #attemptFailed(failure: Failure, ids: readonly FeedId[]): void {
    this.#noticeDown(failure);
    if (failure.kind !== 'missing') return;
    // The pending attempt then leaves these ids out.
    if (this.#markNamed(failure.detail, ids).length > 0) this.#replan();
  }
}

/** Hosts with an address. Pages use the second while the first is down. */
export function hostsOfPages(): FeedHost[] {
  const { updates, upgraded } = services();
  return [...(updates ? ['updates' as const] : []), ...(upgraded ? ['upgraded' as const] : [])];
}

/** @param deps.passedOn called with the ms that passing on a piece of an upstream stream took */
export function makeFeedHub(deps: ConnectionSettings & { passedOn(ms: number): void }): FeedHub {
  const none = (host: FeedHost) => failed(unconfigured(host));
  return new FeedHub({
    ...deps,
    epoch: Date.now().toString(36),
    hosts: hostsOfPages,
    clockAheadMs: (host) => services()[host]?.http.status().clock?.offByMs,
    open: async (host, ids, signal) =>
      (await services()[host]?.openStream(hubQuery(ids), signal, deps.passedOn)) ?? none(host),
    latest: async (host, ids, priority) => services()[host]?.latest(hubQuery(ids), priority) ?? none(host),
  });
}

/**
 * Query of the hub. It ignores unknown ids: one would fail the request. The binary part is unused; base64 is its
 * shorter encoding.
 */
function hubQuery(ids: readonly FeedId[]): string {
  const query = new URLSearchParams(ids.map((id) => ['ids[]', id]));
  query.set('encoding', 'base64');
  query.set('parsed', 'true');
  query.set('ignore_invalid_price_ids', 'true');
  return query.toString();
}
