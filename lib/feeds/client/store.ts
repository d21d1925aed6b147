import type { HistoryOfFeed } from '@/lib/feeds/past-answers';
import type { CompactFeed, FeedHost, FeedStreamEvent } from '@/lib/feeds/stream-events';
import { FeedHistory, type FeedPoint, PAGE_POINTS, pointOf, updateKey } from './history';
import { type PastEdges, PastLoader } from './past';
import {
  type FeedLink,
  FeedStream,
  feedLinkOf,
  type StreamEdges,
  type StreamWay,
  type ToldConnection,
  toldAnew,
} from './stream';

/** `requestFrame`: `requestAnimationFrame`; listeners hear of news at most once per frame. */
export type FeedStoreEdges = StreamEdges & PastEdges & { readonly requestFrame: (run: () => void) => void };

/** One feed as the page shows it. The object is replaced when something about the feed changed, and only then. */
export type FeedView = {
  readonly status: 'waiting' | 'known' | 'missing';
  /** The last update; a feed that the service no longer knows keeps it. */
  readonly latest?: CompactFeed;
  /** From this unix second on updates were received, by our server or by this browser; what is older was asked for one by one. */
  readonly liveFromS: number;
};

const WAITING_FEED: FeedView = { status: 'waiting', liveFromS: Number.POSITIVE_INFINITY };

/** What concerns all feeds of the page. */
export type StreamView = {
  readonly link: FeedLink;
  /** How far publish times are behind this browser's clock, ms; 0 while the difference is ordinary. */
  readonly skewMs: number;
  /** The host that our server asks, as far as it said so. */
  readonly host?: FeedHost;
};

/** Nobody reads numbers that change faster; of what comes in between the latest wins. */
export const UPDATES_PER_S = 5;

/** While frames do not come (a hidden page) so many points are put by before they are worked in all the same. */
const MOST_WAITING_POINTS = 500;
/** Dates end 8.64e12 seconds from 1970. A publish time beyond is shown with its price and not drawn. */
const LAST_DRAWN_S = 8.64e12 - 60;
/** Publish times are whole seconds and travel; a difference of clocks within these bounds is ordinary and not corrected. */
const ORDINARY_BEHIND_MS = 30_000;
const ORDINARY_AHEAD_MS = 5_000;
/** Only feeds that moved this recently tell something about the clocks. */
const SKEW_MEMORY_MS = 60_000;

class Feed {
  view = WAITING_FEED;
  latest: CompactFeed | undefined;
  isMissing = false;
  liveFromS = Number.POSITIVE_INFINITY;
  /** Time of receipt minus publish time when the feed last moved on live, and when that was, ms. */
  lag: { readonly ms: number; readonly atMs: number } | undefined;
  waiting: FeedPoint[] = [];
  readonly history: FeedHistory;

  constructor(mostPoints: number) {
    this.history = new FeedHistory(mostPoints);
  }

  /** The price never goes back: what was published, or within one second received, earlier is left out. */
  take(update: CompactFeed, heard?: { readonly nowMs: number; readonly skewMs: number }): void {
    const last = this.latest;
    const isNewer = last === undefined || update.t > last.t || (update.t === last.t && update.r >= last.r);
    if (!isNewer) return;
    this.latest = update;
    if (last !== undefined && updateKey(update) === updateKey(last)) return;
    if (Math.abs(update.t) > LAST_DRAWN_S) return;
    this.waiting.push(pointOf(update, heard));
    if (this.waiting.length >= MOST_WAITING_POINTS) this.workIn();
  }

  /** What was fetched: it goes where it belongs in time, and what is known already only once. */
  merge(updates: readonly CompactFeed[]): void {
    this.workIn();
    const drawn = updates.filter(({ t }) => Math.abs(t) <= LAST_DRAWN_S);
    this.history.merge(drawn.map((update) => pointOf(update)));
    const last = updates.findLast(({ f }) => f !== 1);
    if (last !== undefined && (this.latest === undefined || last.t > this.latest.t)) this.latest = last;
  }

  workIn(): void {
    this.history.add(this.waiting);
    this.waiting = [];
  }

  settle(): void {
    this.workIn();
    const { latest, liveFromS } = this;
    this.view = {
      status: this.isMissing ? 'missing' : latest === undefined ? 'waiting' : 'known',
      latest,
      liveFromS,
    };
  }
}

/**
 * The feeds of one page behind one stream: takes events, keeps the latest update and the recent history of each feed,
 * and tells listeners once per animation frame. Nothing connects before `watch` and `resume`.
 */
export class FeedStore {
  readonly past: PastLoader;
  readonly #edges: FeedStoreEdges;
  readonly #mostPoints: number;
  readonly #stream: FeedStream;
  readonly #feeds = new Map<string, Feed>();
  readonly #dirty = new Set<string>();
  readonly #listeners = new Set<() => void>();
  #view: StreamView = { link: { kind: 'connecting' }, skewMs: 0 };
  #way: StreamWay = { kind: 'closed' };
  #told: ToldConnection | undefined;
  #lastUpdateMs: number | undefined;
  #isPaused = true;
  #isFramePending = false;
  #watched: readonly string[] = [];
  #address: string | undefined;

  /** @param seeds what the server knew when it wrote the page. @param mostPoints kept of each feed */
  constructor(edges: FeedStoreEdges, seeds: readonly CompactFeed[] = [], mostPoints = PAGE_POINTS) {
    this.#edges = edges;
    this.#mostPoints = mostPoints;
    this.#stream = new FeedStream(edges, {
      onEvent: (event) => {
        this.#apply(event, this.#edges.now());
        this.#schedule();
      },
      onWay: (way) => {
        this.#way = way;
        this.#schedule();
      },
    });
    this.past = new PastLoader(edges, {
      takeHistory: (feeds) => this.#takeHistory(feeds),
      takeSeeds: (updates) => this.#takeSeeds(updates),
      points: (id) => this.points(id),
      nowMs: () => this.serviceNowMs(this.#watched),
      stateChanged: () => this.#schedule(),
    });
    for (const update of seeds) {
      const feed = this.#open(update.id);
      feed.take(update);
      feed.settle();
    }
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

  /** What is known of a feed, oldest first. */
  points(id: string): readonly FeedPoint[] {
    return this.#feeds.get(id)?.history.points ?? [];
  }

  /** The present of the publishing clock, unix ms; an update from after it moves it on. */
  serviceNowMs(ids: readonly string[]): number {
    const newest = ids.map((id) => this.points(id).at(-1)?.atMs ?? 0);
    return Math.max(this.#edges.now() - this.#view.skewMs, ...newest);
  }

  /**
   * The feeds to follow from now on, by canonical id; others are forgotten. @param perS at most so many updates of a feed per
   * second, the latest wins; absent: every update
   */
  watch(ids: readonly string[], perS?: number): void {
    const chosen = [...new Set(ids)].sort();
    for (const id of [...this.#feeds.keys()]) if (!chosen.includes(id)) this.#feeds.delete(id);
    for (const id of chosen) this.#open(id);
    this.#watched = chosen;
    const rate = perS === undefined ? '' : `&max_per_s=${perS}`;
    this.#address = chosen.length === 0 ? undefined : `/api/feeds/stream?ids=${chosen.join(',')}${rate}`;
    this.#follow();
  }

  /** Closes the stream and keeps what is shown, until `resume`. */
  pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#follow();
  }

  /** Opens the stream again after `pause`; otherwise nothing. */
  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#follow();
  }

  /** The stream may be dead without a word (after sleep, or offline): a new one is made at once. */
  wake(): void {
    if (this.#isPaused) this.resume();
    else this.#stream.renew();
  }

  #open(id: string): Feed {
    const feed = this.#feeds.get(id) ?? new Feed(this.#mostPoints);
    this.#feeds.set(id, feed);
    return feed;
  }

  #follow(): void {
    if (this.#isPaused || this.#address === undefined) {
      this.#told = undefined;
      this.past.close();
      this.#stream.close();
    } else this.#stream.open(this.#address);
    this.#schedule();
  }

  #apply(event: Exclude<FeedStreamEvent, { name: 'refused' }>, nowMs: number): void {
    if (event.name !== 'connection') this.#lastUpdateMs = nowMs;
    if (event.name === 'snapshot') this.#takeSnapshot(event.value.feeds, event.value.missing);
    if (event.name === 'update') for (const update of event.value.feeds) this.#takeLive(update, nowMs);
    const connection = event.name === 'snapshot' ? event.value.connection : event.value;
    if ('state' in connection) {
      this.#told = toldAnew(this.#told, connection, nowMs, this.#lastUpdateMs);
    }
  }

  /** A snapshot has the latest of each feed only: what came before it, since this page heard last, is asked for. */
  #takeSnapshot(feeds: readonly CompactFeed[], missing: readonly string[]): void {
    const hasGap = feeds.some((update) => {
      const last = this.#feeds.get(update.id)?.latest;
      return last !== undefined && updateKey(last) !== updateKey(update);
    });
    for (const update of feeds) this.#feeds.get(update.id)?.take(update);
    for (const [id, feed] of this.#feeds) {
      feed.isMissing = missing.includes(id);
      this.#dirty.add(id);
    }
    if (hasGap) this.past.refill();
  }

  #takeLive(update: CompactFeed, nowMs: number): void {
    const feed = this.#feeds.get(update.id);
    if (feed === undefined) return;
    if (feed.latest !== undefined && update.t > feed.latest.t) {
      feed.lag = { ms: nowMs - update.t * 1000, atMs: nowMs };
    }
    feed.isMissing = false;
    feed.liveFromS = Math.min(feed.liveFromS, update.t);
    feed.take(update, { nowMs, skewMs: this.#view.skewMs });
    this.#dirty.add(update.id);
  }

  #takeHistory(feeds: readonly HistoryOfFeed[]): void {
    for (const { id, updates, liveFromS } of feeds) {
      const feed = this.#feeds.get(id);
      if (feed === undefined) continue;
      feed.merge(updates);
      feed.liveFromS = Math.min(feed.liveFromS, liveFromS);
      this.#dirty.add(id);
    }
    this.#schedule();
  }

  #takeSeeds(updates: readonly CompactFeed[]): void {
    for (const [id, feed] of this.#feeds) {
      feed.merge(updates.filter((update) => update.id === id));
      this.#dirty.add(id);
    }
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isFramePending) return;
    this.#isFramePending = true;
    this.#edges.requestFrame(() => {
      this.#isFramePending = false;
      for (const id of this.#dirty) this.#feeds.get(id)?.settle();
      this.#dirty.clear();
      this.#settleStream();
      for (const listener of [...this.#listeners]) listener();
    });
  }

  #settleStream(): void {
    const status = this.#watched.length === 0 ? 'idle' : this.#isPaused ? 'paused' : 'watching';
    const link = feedLinkOf(status, this.#way, this.#told);
    const next = { link, skewMs: this.#skewMs(), host: this.#told?.connection.host ?? this.#view.host };
    // Compared by content, so that a page is not drawn again for the same news.
    if (JSON.stringify(next) !== JSON.stringify(this.#view)) this.#view = next;
  }

  /**
   * The smallest lag counts, since delay only ever adds. Rounded to seconds, so that it does not change with every update; kept
   * while no feed is heard live.
   */
  #skewMs(): number {
    const sinceMs = this.#edges.now() - SKEW_MEMORY_MS;
    const lags = [...this.#feeds.values()].flatMap(({ lag }) => (lag && lag.atMs >= sinceMs ? [lag.ms] : []));
    if (lags.length === 0) return this.#view.skewMs;
    const least = Math.min(...lags);
    const isOrdinary = least <= ORDINARY_BEHIND_MS && least >= -ORDINARY_AHEAD_MS;
    return isOrdinary ? 0 : Math.round(least / 1000) * 1000;
  }
}
