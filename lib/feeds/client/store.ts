import type { HistoryOfFeed } from '@/lib/feeds/past-answers';
import type { CompactFeed, FeedHost, FeedStreamEvent } from '@/lib/feeds/stream-events';
import { type FeedPoint, PAGE_POINTS, pointOf, updateKey, withLate, withPoints } from './history';
import { type FeedLink, FeedStream, type StreamEdges } from './stream';

/** `requestFrame`: `requestAnimationFrame`; listeners hear of news at most once per frame. */
export type FeedStoreEdges = StreamEdges & { readonly requestFrame: (run: () => void) => void };

/** One feed as the page shows it. The object is replaced when something about the feed changed, and only then. */
export type FeedView = {
  readonly status: 'waiting' | 'known' | 'missing';
  /** The last update; a feed that the service no longer knows keeps it. */
  readonly latest?: CompactFeed;
  /** From this unix second on updates were received, by our server or by this browser; what is older was asked for one by one. */
  readonly liveFromS: number;
};

const WAITING_FEED: FeedView = { status: 'waiting', liveFromS: Number.POSITIVE_INFINITY };

export type StreamView = {
  readonly link: FeedLink;
  /** How far publish times are behind this browser's clock, ms; 0 while the difference is ordinary. */
  readonly skewMs: number;
  /** The host that our server asks, as far as it said so. */
  readonly host?: FeedHost | undefined;
  /** How often the stream came back and something had been missed. */
  readonly gaps: number;
};

/** Publish times are whole seconds and travel; a difference of clocks within these bounds is ordinary and not corrected. */
const ORDINARY_BEHIND_MS = 30_000;
const ORDINARY_AHEAD_MS = 5_000;
/** Only feeds that moved this recently tell something about the clocks. */
const SKEW_MEMORY_MS = 60_000;

type Feed = {
  view: FeedView;
  latest?: CompactFeed | undefined;
  isMissing?: boolean;
  liveFromS: number;
  /** Time of receipt minus publish time when the feed last moved on live, and when that was, ms. */
  lag?: { readonly ms: number; readonly atMs: number };
  /** Oldest first. The list is not changed afterwards, so it may be kept for as long as a drawing takes. */
  points: readonly FeedPoint[];
  /** What is not among the points yet. */
  fresh: FeedPoint[];
};

/** The feeds of one page behind one stream; listeners are told once per animation frame. */
export class FeedStore {
  readonly #stream: FeedStream;
  readonly #feeds = new Map<string, Feed>();
  readonly #dirty = new Set<Feed>();
  readonly #listeners = new Set<() => void>();
  #view: StreamView = { link: { kind: 'connecting' }, skewMs: 0, gaps: 0 };
  #host: FeedHost | undefined;
  #gaps = 0;
  #isPaused = true;
  #isFramePending = false;
  #address: string | undefined;

  /** @param updates what the server knew when it wrote the page. @param mostPoints kept of each feed */
  constructor(
    private readonly edges: FeedStoreEdges,
    updates: readonly CompactFeed[] = [],
    private readonly mostPoints = PAGE_POINTS,
  ) {
    this.#stream = new FeedStream(edges, {
      onEvent: (event) => this.#apply(event),
      onLink: () => this.#schedule(),
    });
    // Nobody listens yet, and on the server there are no frames.
    this.#isFramePending = true;
    for (const update of updates) this.#take(this.#open(update.id), update);
    this.#settle();
    this.#isFramePending = false;
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

  /** The present of the publishing clock, unix ms; an update from after it moves it on. */
  serviceNowMs(ids: readonly string[]): number {
    const newest = ids.map((id) => this.points(id).at(-1)?.atMs ?? 0);
    return Math.max(this.edges.now() - this.#view.skewMs, ...newest);
  }

  /** The feeds to follow from now on; others are forgotten. @param perS updates of a feed per second; absent: all */
  watch(ids: readonly string[], perS?: number): void {
    const chosen = [...new Set(ids)].sort();
    for (const id of [...this.#feeds.keys()]) if (!chosen.includes(id)) this.#feeds.delete(id);
    for (const id of chosen) this.#open(id);
    const rate = perS === undefined ? '' : `&max_per_s=${perS}`;
    this.#address = chosen.length === 0 ? undefined : `/api/feeds/stream?ids=${chosen.join(',')}${rate}`;
    this.#follow();
  }

  /** Closes the stream while nobody looks, or opens it again. */
  setPaused(isPaused: boolean): void {
    if (this.#isPaused === isPaused) return;
    this.#isPaused = isPaused;
    this.#follow();
  }

  /** The stream may be dead without a word (after sleep, or offline): a new one is made at once. */
  wake(): void {
    if (this.#isPaused) this.setPaused(false);
    else this.#stream.renew();
  }

  takeHistory(feeds: readonly HistoryOfFeed[]): void {
    for (const { id, updates, liveFromS } of feeds) {
      const feed = this.#feeds.get(id);
      if (feed === undefined) continue;
      this.#merge(feed, updates);
      feed.liveFromS = Math.min(feed.liveFromS, liveFromS);
      const last = updates.at(-1);
      if (last !== undefined && last.t > (feed.latest?.t ?? Number.NEGATIVE_INFINITY)) feed.latest = last;
    }
  }

  takeSamples(updates: readonly CompactFeed[]): void {
    for (const [id, feed] of this.#feeds) {
      const own = updates.filter((update) => update.id === id);
      this.#merge(feed, own);
    }
  }

  #merge(feed: Feed, updates: readonly CompactFeed[]): void {
    const known = withPoints(feed.points, feed.fresh, this.mostPoints);
    const late = updates.map((update) => pointOf(update));
    feed.fresh = [];
    feed.points = withLate(known, late, this.mostPoints);
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
    if (event.name === 'snapshot') this.#takeSnapshot(event.value.feeds, event.value.missing);
    if (event.name === 'update') for (const update of event.value.feeds) this.#takeLive(update);
    const connection = event.name === 'snapshot' ? event.value.connection : event.value;
    if ('state' in connection) this.#host = connection.host;
    this.#schedule();
  }

  /** A snapshot has the latest of each feed only: what came before it, since this page heard last, was missed. */
  #takeSnapshot(feeds: readonly CompactFeed[], missing: readonly string[]): void {
    const hasGap = feeds.some((update) => {
      const last = this.#feeds.get(update.id)?.latest;
      return last !== undefined && updateKey(last) !== updateKey(update);
    });
    if (hasGap) this.#gaps += 1;
    const latest = new Map(feeds.map((update) => [update.id, update]));
    for (const [id, feed] of this.#feeds) {
      const update = latest.get(id);
      if (update !== undefined) this.#take(feed, update);
      feed.isMissing = missing.includes(id);
      this.#touch(feed);
    }
  }

  #takeLive(update: CompactFeed): void {
    const feed = this.#feeds.get(update.id);
    if (feed === undefined) return;
    const nowMs = this.edges.now();
    if (feed.latest !== undefined && update.t > feed.latest.t) {
      feed.lag = { ms: nowMs - update.t * 1000, atMs: nowMs };
    }
    feed.isMissing = false;
    feed.liveFromS = Math.min(feed.liveFromS, update.t);
    this.#take(feed, update, { nowMs, skewMs: this.#view.skewMs });
  }

  /** The price never goes back: what was published, or within one second received, earlier is left out. */
  #take(feed: Feed, update: CompactFeed, heard?: { readonly nowMs: number; readonly skewMs: number }): void {
    const last = feed.latest;
    if (last !== undefined && (update.t < last.t || (update.t === last.t && update.r < last.r))) return;
    feed.latest = update;
    if (last === undefined || updateKey(last) !== updateKey(update)) feed.fresh.push(pointOf(update, heard));
    this.#touch(feed);
  }

  #touch(feed: Feed): void {
    this.#dirty.add(feed);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isFramePending) return;
    this.#isFramePending = true;
    this.edges.requestFrame(() => {
      this.#isFramePending = false;
      this.#settle();
      for (const listener of [...this.#listeners]) listener();
    });
  }

  #settle(): void {
    for (const feed of this.#dirty) {
      const { latest, liveFromS, fresh } = feed;
      if (fresh.length > 0) feed.points = withPoints(feed.points, fresh, this.mostPoints);
      feed.fresh = [];
      const status = feed.isMissing ? 'missing' : latest === undefined ? 'waiting' : 'known';
      feed.view = { status, latest, liveFromS };
    }
    this.#dirty.clear();
    const { link } = this.#stream;
    const next = { link, skewMs: this.#skewMs(), host: this.#host, gaps: this.#gaps };
    // Compared by content, so that a page is not drawn again for the same news.
    if (JSON.stringify(next) !== JSON.stringify(this.#view)) this.#view = next;
  }

  /** The smallest lag counts, since delay only ever adds; rounded to seconds, kept while no feed is heard live. */
  #skewMs(): number {
    const sinceMs = this.edges.now() - SKEW_MEMORY_MS;
    const lags = [...this.#feeds.values()].flatMap(({ lag }) => (lag && lag.atMs >= sinceMs ? lag.ms : []));
    if (lags.length === 0) return this.#view.skewMs;
    const least = Math.min(...lags);
    const isOrdinary = least <= ORDINARY_BEHIND_MS && least >= -ORDINARY_AHEAD_MS;
    return isOrdinary ? 0 : Math.round(least / 1000) * 1000;
  }
}
