import type { HistoryOfFeed } from '@/lib/feeds/past-answers';
import { isAhead, type Misdating } from '@/lib/feeds/publish-clock';
import type { CompactFeed, FeedHost, FeedStreamEvent } from '@/lib/feeds/stream-events';
import { type FeedPoint, PAGE_POINTS, pointOf, updateKey, withLate, withPoints } from './history';
import { type FeedLink, FeedStream, type StreamEdges } from './stream';

/** `requestFrame`: `requestAnimationFrame`; listeners hear of news at most once per frame. */
export type FeedStoreEdges = StreamEdges & { readonly requestFrame: (run: () => void) => void };

/** One feed as the page shows it. The object is replaced when something about the feed changed, and only then. */
export type FeedView = {
  readonly status: 'waiting' | 'known' | 'missing';
  /** The last update; a feed that the service no longer knows keeps it. A misdated one (`x`) while there is no other. */
  readonly latest?: CompactFeed | undefined;
  /** Updates whose publish time can't be right, since the page was opened: how many, and the last one. */
  readonly misdated?: { readonly count: number; readonly last: CompactFeed } | undefined;
  /** From this unix second on updates were received, by our server or by this browser; what is older was asked for one by one. */
  readonly liveFromS: number;
};

const WAITING_FEED: FeedView = { status: 'waiting', liveFromS: Number.POSITIVE_INFINITY };

export type StreamView = {
  readonly link: FeedLink;
  /** How far the clock of publish times is behind this browser's, ms, as our server tells; 0 while they agree. */
  readonly skewMs: number;
  /** The host that our server asks, as far as it said so. */
  readonly host?: FeedHost | undefined;
  /** How often the stream came back and something had been missed. */
  readonly gaps: number;
};

/** A heartbeat travels, and dates of the service are whole seconds: a smaller difference of clocks is not corrected. */
const ORDINARY_SKEW_MS = 3_000;
/** Of so many events that told the time the one counts that was under way for the shortest time. */
const TIMED_EVENTS = 4;

type Feed = {
  view: FeedView;
  latest?: CompactFeed | undefined;
  misdated?: FeedView['misdated'];
  isMissing?: boolean;
  liveFromS: number;
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
  /** This browser's clock minus that of publish times, as the last events told. */
  #skews: number[] = [];
  #skewMs = 0;
  /** What the server knew when it wrote the page is shown as it marked it: this browser's clock may be off. */
  #isSeeded = false;
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
    this.#isSeeded = true;
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

  /** The present of the publishing clock, unix ms; an update from just after it moves it on. */
  serviceNowMs(ids: readonly string[]): number {
    const newest = ids.map((id) => this.points(id).at(-1)?.atMs ?? 0);
    return Math.max(this.#nowMs(), ...newest);
  }

  /** The same, or as long ago as the stream brought something: later than that nobody knows what was published. */
  heardNowMs(): number {
    return Math.min(this.edges.now(), this.#stream.heardMs ?? 0) - this.#skewMs;
  }

  #nowMs(): number {
    return this.edges.now() - this.#skewMs;
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
      const dated = updates.filter((update) => !this.#isMisdated(update));
      this.#merge(feed, dated);
      feed.liveFromS = Math.min(feed.liveFromS, liveFromS);
      const last = dated.at(-1);
      if (last !== undefined && last.t > (feed.latest?.t ?? Number.NEGATIVE_INFINITY)) feed.latest = last;
    }
  }

  takeSamples(updates: readonly CompactFeed[]): void {
    for (const [id, feed] of this.#feeds) {
      const own = updates.filter((update) => update.id === id && !this.#isMisdated(update));
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
    const { name, value } = event;
    const connection = name === 'snapshot' ? value.connection : name === 'connection' ? value : undefined;
    this.#setClock(name === 'heartbeat' ? value.nowMs : connection?.nowMs);
    if (connection !== undefined) this.#host = connection.host;
    if (name === 'snapshot') this.#takeSnapshot(value.feeds, value.missing);
    if (name === 'update') for (const update of value.feeds) this.#takeLive(update);
    this.#schedule();
  }

  /** The time is our server's word, which has the dates of the service and all feeds: no update here moves it. */
  #setClock(toldMs: number | undefined): void {
    if (toldMs === undefined) return;
    this.#skews = [...this.#skews, this.edges.now() - toldMs].slice(-TIMED_EVENTS);
    const skewMs = Math.min(...this.#skews);
    this.#skewMs = Math.abs(skewMs) <= ORDINARY_SKEW_MS ? 0 : Math.round(skewMs / 1000) * 1000;
  }

  /** A snapshot has the latest of each feed only: what came before it, since this page heard last, was missed. */
  #takeSnapshot(feeds: readonly CompactFeed[], missing: readonly string[]): void {
    const hasGap = feeds.some((update) => {
      if (this.#isMisdated(update)) return false;
      const last = this.#feeds.get(update.id)?.latest;
      return last !== undefined && updateKey(last) !== updateKey(update);
    });
    if (hasGap) this.#gaps += 1;
    for (const [id, feed] of this.#feeds) {
      for (const update of feeds) if (update.id === id) this.#take(feed, update);
      feed.isMissing = missing.includes(id);
      this.#touch(feed);
    }
  }

  #takeLive(update: CompactFeed): void {
    const feed = this.#feeds.get(update.id);
    if (feed === undefined) return;
    feed.isMissing = false;
    if (!this.#isMisdated(update)) feed.liveFromS = Math.min(feed.liveFromS, update.t);
    this.#take(feed, update, { nowMs: this.edges.now(), skewMs: this.#skewMs });
  }

  /** The price never goes back: what was published, or within one second received, earlier is left out. */
  #take(feed: Feed, update: CompactFeed, heard?: { readonly nowMs: number; readonly skewMs: number }): void {
    const misdating = this.#misdatingOf(update);
    if (misdating !== undefined) {
      const count = (feed.misdated?.count ?? 0) + 1;
      feed.misdated = { count, last: { ...update, x: misdating } };
      this.#touch(feed);
      return;
    }
    // One that was taken before the clock was known holds up none that comes.
    const last = feed.latest && isAhead(feed.latest.t, this.#nowMs()) ? undefined : feed.latest;
    if (last !== undefined && (update.t < last.t || (update.t === last.t && update.r < last.r))) return;
    feed.latest = update;
    if (last === undefined || updateKey(last) !== updateKey(update)) feed.fresh.push(pointOf(update, heard));
    this.#touch(feed);
  }

  #misdatingOf({ x, t }: CompactFeed): Misdating | undefined {
    return x ?? (this.#isSeeded && isAhead(t, this.#nowMs()) ? 'ahead' : undefined);
  }

  #isMisdated(update: CompactFeed): boolean {
    return this.#misdatingOf(update) !== undefined;
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
      const { liveFromS, fresh, misdated } = feed;
      const latest = feed.latest ?? misdated?.last;
      if (fresh.length > 0) feed.points = withPoints(feed.points, fresh, this.mostPoints);
      feed.fresh = [];
      const status = feed.isMissing ? 'missing' : latest === undefined ? 'waiting' : 'known';
      feed.view = { status, latest, liveFromS, misdated };
    }
    this.#dirty.clear();
    const { link } = this.#stream;
    const next = { link, skewMs: this.#skewMs, host: this.#host, gaps: this.#gaps };
    // Compared by content, so that a page is not drawn again for the same news.
    if (JSON.stringify(next) !== JSON.stringify(this.#view)) this.#view = next;
  }
}
