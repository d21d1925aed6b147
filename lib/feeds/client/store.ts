import { replaceEqualDeep } from '@tanstack/react-query';
import type { SourceDeps } from '@/lib/core/reconnecting-source';
import type { HistoryOfFeed } from '@/lib/feeds/past-response';
import type { PriceUpdate } from '@/lib/feeds/price-update';
import { isAhead, type Misdating } from '@/lib/feeds/publish-clock';
import type { FeedHost, FeedStreamEvent } from '@/lib/feeds/stream-events';
import { type FeedPoint, PAGE_POINTS, pointOf, updateKey, withLate, withPoints } from './history';
import { type FeedLink, FeedStream } from './stream';

/** Listeners are called at most once per `requestFrame`, usually `requestAnimationFrame`. */
export type FeedStoreDeps = SourceDeps & { readonly requestFrame: (run: () => void) => void };

/** A feed as it is rendered: the object is replaced only when it changes. */
export type FeedView = {
  readonly status: 'waiting' | 'known' | 'missing';
  /** Kept for feeds that the service no longer knows. Misdated only if there is no other. */
  readonly latest?: PriceUpdate | undefined;
  /** Number and last of the updates with an impossible publish time since the page was opened. */
  readonly misdated?: { readonly count: number; readonly last: PriceUpdate } | undefined;
  /** Unix second from which updates were streamed. Older ones were requested one by one. */
  readonly liveFromS: number;
};

const WAITING_FEED: FeedView = { status: 'waiting', liveFromS: Number.POSITIVE_INFINITY };

export type StreamView = {
  readonly link: FeedLink;
  /** This browser's clock minus the publish clock, as our server reports it, ms; 0 while they agree. */
  readonly skewMs: number;
  readonly host?: FeedHost | undefined;
  readonly hasPrices: boolean;
  /** Reconnections after which updates had been missed. */
  readonly gaps: number;
};

/** Smaller differences are not corrected: heartbeats take time, and the service's dates are whole seconds. */
const ORDINARY_SKEW_MS = 3_000;
/** Clock samples. The one with the shortest delay is used. */
const TIMED_EVENTS = 4;

type Feed = {
  view: FeedView;
  latest?: PriceUpdate | undefined;
  misdated?: FeedView['misdated'];
  isMissing?: boolean;
  liveFromS: number;
  /** Oldest first. Immutable, so that a drawing may refer to the list. */
  points: readonly FeedPoint[];
  /** New points that `points` does not have yet. */
  fresh: FeedPoint[];
};

export class FeedStore {
  readonly #stream: FeedStream;
  readonly #feeds = new Map<string, Feed>();
  readonly #dirty = new Set<Feed>();
  readonly #listeners = new Set<() => void>();
  #view: StreamView = {
    link: { kind: 'connecting' },
    skewMs: 0,
    host: undefined,
    hasPrices: false,
    gaps: 0,
  };
  #host: FeedHost | undefined;
  #gaps = 0;
  /** This browser's clock minus the publish clock, ms. */
  #skews: number[] = [];
  #skewMs = 0;
  /** False while updates come from the server's render, which judged their times: this browser's clock may be off. */
  #hasInitialUpdates = false;
  #isPaused = true;
  #isFramePending = false;
  #address: string | undefined;

  /** @param updates known at the server's render @param maxPoints per feed */
  constructor(
    private readonly deps: FeedStoreDeps,
    updates: readonly PriceUpdate[] = [],
    private readonly maxPoints = PAGE_POINTS,
  ) {
    this.#stream = new FeedStream(deps, {
      onEvent: (event) => this.#apply(event),
      onLink: () => this.#schedule(),
    });
    // No frames during construction: there are no listeners yet, and the server has no frames.
    this.#isFramePending = true;
    for (const update of updates) this.#applyUpdate(this.#open(update.id), update);
    this.#updateViews();
    this.#isFramePending = false;
    this.#hasInitialUpdates = true;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  feed(id: string): FeedView {
    return this.#feeds.get(id)?.view ?? WAITING_FEED;
  }

  stream(): StreamView {
    return this.#view;
  }

  points(id: string): readonly FeedPoint[] {
    return this.#feeds.get(id)?.points ?? [];
  }

  /** Unix ms by the publish clock, advanced by updates that are slightly later. */
  serviceNowMs(ids: readonly string[]): number {
    const newest = ids.map((id) => this.points(id).at(-1)?.atMs ?? 0);
    return Math.max(this.#nowMs(), ...newest);
  }

  /** Service time of the last event; later updates are unknown. */
  serviceTimeOfLastEventMs(): number {
    return Math.min(this.deps.now(), this.#stream.lastEventMs ?? 0) - this.#skewMs;
  }

  #nowMs(): number {
    return this.deps.now() - this.#skewMs;
  }

  /** Drops all other feeds. @param perS updates of a feed per second; if absent, all */
  watch(ids: readonly string[], perS?: number): void {
    const chosen = [...new Set(ids)].sort();
    for (const id of [...this.#feeds.keys()]) if (!chosen.includes(id)) this.#feeds.delete(id);
    for (const id of chosen) this.#open(id);
    const rate = perS === undefined ? '' : `&max_per_s=${perS}`;
    this.#address = chosen.length === 0 ? undefined : `/api/feeds/stream?ids=${chosen.join(',')}${rate}`;
    this.#follow();
  }

  /** The stream is closed while paused. */
  setPaused(isPaused: boolean): void {
    if (this.#isPaused === isPaused) return;
    this.#isPaused = isPaused;
    this.#follow();
  }

  /** Called after sleep or a loss of network, when the stream may be dead without an error. */
  wake(): void {
    if (this.#isPaused) this.setPaused(false);
    else this.#stream.renew();
  }

  addHistory(feeds: readonly HistoryOfFeed[]): void {
    for (const { id, updates, liveFromS } of feeds) {
      const feed = this.#feeds.get(id);
      if (feed === undefined) continue;
      const dated = updates.filter((update) => !this.#isMisdated(update));
      this.#merge(feed, dated);
      feed.liveFromS = Math.min(feed.liveFromS, liveFromS);
      const last = dated.at(-1);
      if (last !== undefined && last.publishTimeS > (feed.latest?.publishTimeS ?? Number.NEGATIVE_INFINITY))
        feed.latest = last;
    }
  }

  addSamples(updates: readonly PriceUpdate[]): void {
    for (const [id, feed] of this.#feeds) {
      const feedUpdates = updates.filter((update) => update.id === id && !this.#isMisdated(update));
      this.#merge(feed, feedUpdates);
    }
  }

  #merge(feed: Feed, updates: readonly PriceUpdate[]): void {
    const points = withPoints(feed.points, feed.fresh, this.maxPoints);
    const late = updates.map((update) => pointOf(update));
    feed.fresh = [];
    feed.points = withLate(points, late, this.maxPoints);
    this.#touch(feed);
  }

  #open(id: string): Feed {
    const feed = this.#feeds.get(id) ?? { view: WAITING_FEED, liveFromS: Infinity, points: [], fresh: [] };
    this.#feeds.set(id, feed);
    return feed;
  }

  #follow(): void {
    if (this.#address === undefined) this.#stream.close('idle');
    else if (this.#isPaused) this.#stream.close('paused');
    else this.#stream.open(this.#address);
  }

  #apply(event: Exclude<FeedStreamEvent, { name: 'refused' }>): void {
    const { name, value } = event;
    const connection = name === 'snapshot' ? value.connection : name === 'connection' ? value : undefined;
    this.#setClock(name === 'heartbeat' ? value.nowMs : connection?.nowMs);
    if (connection !== undefined) this.#host = connection.host;
    if (name === 'snapshot') this.#applySnapshot(value.feeds, value.missing);
    if (name === 'update') for (const update of value.feeds) this.#applyLive(update);
    this.#schedule();
  }

  /** Sets the clock. Only our server's time counts, which it derives from all feeds. */
  #setClock(serverNowMs: number | undefined): void {
    if (serverNowMs === undefined) return;
    this.#skews = [...this.#skews, this.deps.now() - serverNowMs].slice(-TIMED_EVENTS);
    const skewMs = Math.min(...this.#skews);
    this.#skewMs = Math.abs(skewMs) <= ORDINARY_SKEW_MS ? 0 : Math.round(skewMs / 1000) * 1000;
  }

  /** A snapshot has only the latest update of each feed, so earlier ones since the last event were missed. */
  #applySnapshot(feeds: readonly PriceUpdate[], missing: readonly string[]): void {
    const hasGap = feeds.some((update) => {
      if (this.#isMisdated(update)) return false;
      const last = this.#feeds.get(update.id)?.latest;
      return last !== undefined && updateKey(last) !== updateKey(update);
    });
    if (hasGap) this.#gaps += 1;
    for (const [id, feed] of this.#feeds) {
      for (const update of feeds) if (update.id === id) this.#applyUpdate(feed, update);
      feed.isMissing = missing.includes(id);
      this.#touch(feed);
    }
  }

  #applyLive(update: PriceUpdate): void {
    const feed = this.#feeds.get(update.id);
    if (feed === undefined) return;
    feed.isMissing = false;
    if (!this.#isMisdated(update)) feed.liveFromS = Math.min(feed.liveFromS, update.publishTimeS);
    this.#applyUpdate(feed, update, { nowMs: this.deps.now(), skewMs: this.#skewMs });
  }

  /** Skips an update that `isBefore` the last one. */
  #applyUpdate(
    feed: Feed,
    update: PriceUpdate,
    arrival?: { readonly nowMs: number; readonly skewMs: number },
  ): void {
    const misdating = this.#misdatingOf(update);
    if (misdating !== undefined) {
      const count = (feed.misdated?.count ?? 0) + 1;
      feed.misdated = { count, last: { ...update, misdating } };
      this.#touch(feed);
      return;
    }
    // A last update from the future was accepted before the clock was known, and must not block later ones.
    const last = feed.latest && isAhead(feed.latest.publishTimeS, this.#nowMs()) ? undefined : feed.latest;
    if (last !== undefined && isBefore(update, last)) return;
    feed.latest = update;
    if (last === undefined || updateKey(last) !== updateKey(update))
      feed.fresh.push(pointOf(update, arrival));
    this.#touch(feed);
  }

  #misdatingOf({ misdating, publishTimeS }: PriceUpdate): Misdating | undefined {
    return (
      misdating ?? (this.#hasInitialUpdates && isAhead(publishTimeS, this.#nowMs()) ? 'ahead' : undefined)
    );
  }

  #isMisdated(update: PriceUpdate): boolean {
    return this.#misdatingOf(update) !== undefined;
  }

  #touch(feed: Feed): void {
    this.#dirty.add(feed);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isFramePending) return;
    this.#isFramePending = true;
    this.deps.requestFrame(() => {
      this.#isFramePending = false;
      this.#updateViews();
      for (const listener of [...this.#listeners]) listener();
    });
  }

  #updateViews(): void {
    for (const feed of this.#dirty) {
      const { liveFromS, fresh, misdated } = feed;
      const latest = feed.latest ?? misdated?.last;
      if (fresh.length > 0) feed.points = withPoints(feed.points, fresh, this.maxPoints);
      feed.fresh = [];
      const status = feed.isMissing ? 'missing' : latest === undefined ? 'waiting' : 'known';
      feed.view = { status, latest, liveFromS, misdated };
    }
    this.#dirty.clear();
    const { link } = this.#stream;
    const hasPrices = [...this.#feeds.values()].some(({ view }) => view.latest !== undefined);
    const next = { link, skewMs: this.#skewMs, host: this.#host, hasPrices, gaps: this.#gaps };
    // An equal state stays the same object, so that nothing renders again.
    this.#view = replaceEqualDeep(this.#view, next);
  }
}

/** Compares by publish time, and within a second by receipt. */
const isBefore = (update: PriceUpdate, other: PriceUpdate) =>
  update.publishTimeS < other.publishTimeS ||
  (update.publishTimeS === other.publishTimeS && update.receivedMs < other.receivedMs);
