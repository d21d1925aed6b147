import {
  type CompactFeed,
  FEED_STREAM_EVENTS,
  type FeedConnection,
  type FeedRefusal,
  type FeedSnapshot,
  type FeedStreamEvent,
  readFeedStreamEvent,
} from '@/lib/contract/codec/feed-stream';
import { assertNever } from '@/lib/domain/assert-never';
import { FeedEntry, type FeedView, WAITING_FEED } from './feed-entry';
import { clockSkewMs } from './feed-freshness';
import { FeedHistory } from './feed-history';
import { type FeedLink, feedLinkOf, type Refusal, sameLink, type ToldConnection } from './feed-link';
import { FeedSource, type SourceEdges, type SourceLink } from './feed-source';

export type FeedStoreEdges = SourceEdges & {
  /** `requestAnimationFrame`: listeners hear of news at most once per frame. */
  readonly requestFrame: (run: () => void) => void;
};

/** What concerns all feeds of the page. */
export type StreamView = {
  readonly link: FeedLink;
  /** How far publish times are behind this browser's clock, ms; 0 while the difference is ordinary. */
  readonly skewMs: number;
};

/** What the server already knew of a feed when it wrote the page. */
export type FeedSeed = { readonly update: CompactFeed; readonly rhythmMs?: number };

/** Nobody reads numbers that change faster; of what comes in between the latest wins. */
export const UPDATES_PER_S = 5;

/** Only feeds that moved this recently tell something about the clocks. */
const SKEW_MEMORY_MS = 60_000;

const REFUSED_RETRY_MS = 30_000;

/** Timers take no longer waits than this, and run at once when they are given one. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const NO_HISTORY = new FeedHistory();

/**
 * The feeds of one page behind one stream: takes events, keeps the latest update and the recent history of each feed,
 * and tells listeners once per animation frame. Nothing connects before `watch`.
 */
export class FeedStore {
  readonly #edges: FeedStoreEdges;
  readonly #source: FeedSource;
  readonly #entries = new Map<string, FeedEntry>();
  readonly #listeners = new Set<() => void>();
  readonly #dirty = new Set<string>();
  #stream: StreamView = { link: { kind: 'connecting' }, skewMs: 0 };
  #sourceLink: SourceLink = { kind: 'closed' };
  #told: ToldConnection | undefined;
  #refusal: Refusal | undefined;
  #retryTimer: unknown;
  #paused = false;
  #framePending = false;
  #watched: readonly string[] = [];

  constructor(edges: FeedStoreEdges, seeds: readonly FeedSeed[]) {
    this.#edges = edges;
    this.#source = new FeedSource(edges, FEED_STREAM_EVENTS, {
      onEvent: (name, data) => this.#receive(name, data),
      onLink: (link) => {
        this.#sourceLink = link;
        this.#schedule();
      },
    });
    for (const seed of seeds) {
      const entry = this.#entry(seed.update.id);
      entry.rhythm.note(seed.rhythmMs ?? 0);
      entry.takeFetched(seed.update);
      entry.settle();
    }
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  feed(id: string): FeedView {
    return this.#entries.get(id)?.view ?? WAITING_FEED;
  }

  stream(): StreamView {
    return this.#stream;
  }

  history(id: string): FeedHistory {
    return this.#entries.get(id)?.history ?? NO_HISTORY;
  }

  /** The feeds to follow from now on, by canonical id; others are forgotten. The stream is opened, changed or closed to fit. */
  watch(ids: readonly string[]): void {
    const chosen = [...new Set(ids)].sort();
    for (const id of [...this.#entries.keys()].filter((known) => !chosen.includes(known))) {
      this.#entries.delete(id);
    }
    for (const id of chosen) {
      this.#entry(id);
    }
    this.#watched = chosen;
    this.#follow();
  }

  /** Closes the stream and keeps what is shown, until `resume`. */
  pause(): void {
    this.#paused = true;
    this.#follow();
  }

  /** Opens the stream again after `pause`; otherwise nothing. */
  resume(): void {
    if (this.#paused) {
      this.#paused = false;
      this.#follow();
    }
  }

  /** The stream may be dead without a word (after sleep, or offline): a new one is made at once. */
  wake(): void {
    if (this.#paused) {
      this.resume();
    } else if (this.#refusal === undefined) {
      this.#source.renew();
    }
  }

  #follow(): void {
    this.#edges.clearTimer(this.#retryTimer);
    this.#refusal = undefined;
    if (this.#paused || this.#watched.length === 0) {
      this.#told = undefined;
      this.#source.close();
    } else {
      this.#source.open(this.#address());
    }
    this.#schedule();
  }

  #address(): string {
    return `/api/feeds/stream?ids=${this.#watched.join(',')}&max_per_s=${UPDATES_PER_S}`;
  }

  #entry(id: string): FeedEntry {
    const known = this.#entries.get(id);
    if (known !== undefined) {
      return known;
    }
    const entry = new FeedEntry();
    this.#entries.set(id, entry);
    return entry;
  }

  #receive(name: string, data: string): void {
    const event = readFeedStreamEvent(name, data);
    if (event !== undefined) {
      this.#apply(event, this.#edges.now());
      this.#schedule();
    }
  }

  #apply(event: FeedStreamEvent, now: number): void {
    if (event.name !== 'refused') {
      this.#refusal = undefined;
    }
    switch (event.name) {
      case 'snapshot':
        this.#applySnapshot(event.value);
        this.#hear(event.value.connection, now);
        return;
      case 'update':
        this.#applyLive(event.value.feeds, now);
        return;
      case 'connection':
        this.#hear(event.value, now);
        return;
      case 'refused':
        this.#refuse(event.value, now);
        return;
      default:
        assertNever(event);
    }
  }

  /** A quiet that goes on is the same quiet, though a new stream tells it again. */
  #hear(connection: FeedConnection, now: number): void {
    const before = this.#told;
    const goesOn = connection.state === 'quiet' && before?.connection.sinceMs === connection.sinceMs;
    this.#told = { connection, heardAtMs: goesOn ? before.heardAtMs : now };
  }

  #applySnapshot({ feeds, missing }: FeedSnapshot): void {
    for (const update of feeds) {
      this.#entries.get(update.id)?.takeFetched(update);
    }
    for (const [id, entry] of this.#entries) {
      entry.missing = missing.includes(id);
      this.#dirty.add(id);
    }
  }

  #applyLive(feeds: readonly CompactFeed[], now: number): void {
    for (const update of feeds) {
      this.#entries.get(update.id)?.takeLive(update, now, this.#stream.skewMs);
      this.#dirty.add(update.id);
    }
  }

  /**
   * The server refuses: trying at once again would only be refused again, so the browser's own retry is stopped. What no
   * retry can mend (a wrong address, a service that is not configured) is still tried, but no countdown is promised.
   */
  #refuse({ kind, detail, retryAfterS }: FeedRefusal, now: number): void {
    const waitMs = retryAfterS === undefined ? REFUSED_RETRY_MS : retryAfterS * 1000;
    const hopeless = kind === 'bad-request' || kind === 'unconfigured';
    this.#source.close();
    this.#refusal = { trouble: { kind, detail }, retryAtMs: hopeless ? undefined : now + waitMs };
    this.#edges.clearTimer(this.#retryTimer);
    const timerMs = Math.min(waitMs, LONGEST_TIMER_MS);
    this.#retryTimer = this.#edges.setTimer(() => this.#source.open(this.#address()), timerMs);
  }

  #schedule(): void {
    if (!this.#framePending) {
      this.#framePending = true;
      this.#edges.requestFrame(() => this.#flush());
    }
  }

  #flush(): void {
    this.#framePending = false;
    for (const id of this.#dirty) {
      this.#entries.get(id)?.settle();
    }
    this.#dirty.clear();
    this.#settleStream();
    for (const listener of [...this.#listeners]) {
      listener();
    }
  }

  #settleStream(): void {
    const link = feedLinkOf({
      watching: this.#watched.length > 0,
      paused: this.#paused,
      source: this.#sourceLink,
      told: this.#told,
      refusal: this.#refusal,
    });
    const skewMs = this.#skewMs();
    if (skewMs !== this.#stream.skewMs || !sameLink(link, this.#stream.link)) {
      this.#stream = { link, skewMs };
    }
  }

  /** Rounded to seconds, so that it does not change with every update; kept while no feed is heard live. */
  #skewMs(): number {
    const since = this.#edges.now() - SKEW_MEMORY_MS;
    const lags = [...this.#entries.values()].flatMap(({ lag }) => (lag && lag.atMs >= since ? [lag.ms] : []));
    return lags.length === 0 ? this.#stream.skewMs : Math.round(clockSkewMs(lags) / 1000) * 1000;
  }
}
