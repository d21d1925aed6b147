import type { FeedHistoryAnswer } from '@/lib/contract/codec/feed-history';
import type { FeedMark } from '@/lib/contract/codec/feed-marks';
import type { FeedConnection, FeedSnapshot, FeedStreamEvent } from '@/lib/contract/codec/feed-stream';
import { assertNever } from '@/lib/domain/assert-never';
import { FeedBook } from './feed-book';
import { directCarrier } from './feed-carrier';
import { type FeedView, WAITING_FEED } from './feed-entry';
import { FeedFill } from './feed-fill';
import { FeedHistory, type HistoryBounds, TILE_HISTORY } from './feed-history';
import {
  type FeedLink,
  feedLinkOf,
  linkShown,
  type Refusal,
  refusalOf,
  sameLink,
  type ToldConnection,
  toldAnew,
} from './feed-link';
import { FeedMarks } from './feed-mark-list';
import type { SourceLink } from './feed-source';
import {
  type FeedSeed,
  type FeedStoreEdges,
  type StreamView,
  UPDATES_PER_S,
  type WatchManner,
} from './feed-watching';
import type { FeedCarrier, FeedEars, WishEnd } from './feed-wish';

const NO_HISTORY = new FeedHistory();

/**
 * The feeds of one page behind one stream: takes events, keeps the latest update and the recent history of each feed,
 * and tells listeners once per animation frame. Nothing connects before `watch`.
 */
export class FeedStore {
  readonly #edges: FeedStoreEdges;
  readonly #bounds: HistoryBounds;
  readonly #carrier: FeedCarrier;
  readonly #fill: FeedFill;
  readonly #marks = new FeedMarks();
  readonly #book: FeedBook;
  readonly #listeners = new Set<() => void>();
  #stream: StreamView = { link: { kind: 'connecting' }, skewMs: 0 };
  #sourceLink: SourceLink = { kind: 'closed' };
  #told: ToldConnection | undefined;
  #lastUpdateMs: number | undefined;
  #refusal: Refusal | undefined;
  #paused = false;
  #framePending = false;
  #watched: readonly string[] = [];
  #manner: WatchManner = {};
  /** Charts that are open, by feed: how many. */
  readonly #charts = new Map<string, number>();

  /** @param bounds how much is kept of each feed */
  constructor(edges: FeedStoreEdges, seeds: readonly FeedSeed[], bounds: HistoryBounds = TILE_HISTORY) {
    this.#edges = edges;
    this.#bounds = bounds;
    this.#book = new FeedBook(bounds);
    const ears: FeedEars = {
      onEvent: (event) => {
        this.#apply(event, this.#edges.now());
        this.#schedule();
      },
      onLink: (link) => {
        this.#sourceLink = link;
        this.#schedule();
      },
    };
    this.#carrier = edges.carrier?.(ears) ?? directCarrier(edges, ears);
    this.#fill = new FeedFill(edges, bounds.fillPoints, (answer) => this.#takeHistory(answer));
    for (const seed of seeds) {
      const entry = this.#book.open(seed.update.id);
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
    return this.#book.get(id)?.view ?? WAITING_FEED;
  }

  stream(): StreamView {
    return this.#stream;
  }

  /** The link at this moment (unix ms): prices that no longer come are not called live. */
  linkAt(nowMs: number): FeedLink {
    return linkShown(this.#stream.link, this.#lastUpdateMs, nowMs);
  }

  history(id: string): FeedHistory {
    return this.#book.get(id)?.history ?? NO_HISTORY;
  }

  /** What happened to the streams behind it in the last 30 minutes, oldest first. The same array until it changes. */
  marks(): readonly FeedMark[] {
    return this.#marks.list;
  }

  /**
   * The feeds to follow from now on, by canonical id; others are forgotten. The stream is opened, changed or closed to
   * fit.
   */
  watch(ids: readonly string[], manner: WatchManner = {}): void {
    const chosen = [...new Set(ids)].sort();
    this.#book.keep(chosen);
    this.#watched = chosen;
    this.#manner = manner;
    this.#follow();
  }

  /**
   * A chart of this feed is open: its history is filled with what our server remembers, now and after each gap. Gives a
   * function that ends this. `spanMs`: how far back it looks; absent: as far as points are kept.
   */
  openChart(id: string, spanMs = this.#bounds.windowMs): () => void {
    this.#charts.set(id, (this.#charts.get(id) ?? 0) + 1);
    if (this.#charts.get(id) === 1) this.#ask([id], this.#edges.now() - spanMs);
    let open = true;
    return () => {
      const left = (this.#charts.get(id) ?? 0) - (open ? 1 : 0);
      open = false;
      if (left > 0) this.#charts.set(id, left);
      else this.#charts.delete(id);
    };
  }

  /** Closes the stream and keeps what is shown, until `resume`. */
  pause(end?: WishEnd): void {
    this.#paused = true;
    this.#follow(end);
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
    } else {
      this.#carrier.wake();
    }
  }

  #follow(end?: WishEnd): void {
    this.#refusal = undefined;
    if (this.#paused || this.#watched.length === 0) {
      this.#told = undefined;
      this.#fill.stop();
      this.#carrier.follow(undefined, end);
    } else {
      const { rate = UPDATES_PER_S, options } = this.#manner;
      const maxPerS = rate === 'every' ? undefined : rate;
      this.#carrier.follow({ ids: this.#watched, maxPerS, options });
    }
    this.#schedule();
  }

  #ask(ids: readonly string[], fromMs: number): void {
    this.#fill.ask(ids, Math.floor(fromMs / 1000), this.#manner.options);
  }

  #apply(event: FeedStreamEvent, now: number): void {
    if (event.name !== 'refused') this.#refusal = undefined;
    if (event.name === 'snapshot' || event.name === 'update') this.#lastUpdateMs = now;
    switch (event.name) {
      case 'snapshot':
        this.#applySnapshot(event.value, now);
        this.#hear(event.value.connection, now);
        return;
      case 'update':
        this.#book.takeLive(event.value.feeds, now, this.#stream.skewMs, this.#order());
        return;
      case 'connection':
        this.#hear(event.value, now);
        return;
      case 'refused':
        this.#refusal = refusalOf(event.value, now);
        return;
      case 'marks':
        this.#marks.take(event.value.marks, now);
        return;
      default:
        assertNever(event);
    }
  }

  #order(): 'any' | 'rising' {
    return this.#manner.options?.unordered === 'allowed' ? 'any' : 'rising';
  }

  #hear(connection: FeedConnection, now: number): void {
    this.#told = toldAnew(this.#told, connection, now, this.#lastUpdateMs);
  }

  #applySnapshot(snapshot: FeedSnapshot, now: number): void {
    for (const { id, fromMs } of this.#book.takeSnapshot(snapshot)) {
      if (this.#charts.has(id)) this.#ask([id], Math.max(fromMs, now - this.#bounds.windowMs));
    }
    this.#marks.take(snapshot.marks ?? [], now);
  }

  #takeHistory({ feeds, marks }: FeedHistoryAnswer): void {
    this.#book.takeHistory(feeds);
    this.#marks.take(marks, this.#edges.now());
    this.#schedule();
  }

  #schedule(): void {
    if (!this.#framePending) {
      this.#framePending = true;
      this.#edges.requestFrame(() => this.#flush());
    }
  }

  #flush(): void {
    this.#framePending = false;
    this.#book.settle();
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
    const skewMs = this.#book.skewMs(this.#edges.now(), this.#stream.skewMs);
    const host = this.#told?.connection.host ?? this.#stream.host;
    const stream = this.#stream;
    if (skewMs !== stream.skewMs || host !== stream.host || !sameLink(link, stream.link)) {
      this.#stream = host === undefined ? { link, skewMs } : { link, skewMs, host };
    }
  }
}
