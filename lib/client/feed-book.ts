import type { HistoryOfFeed } from '@/lib/contract/codec/feed-history';
import type { CompactFeed, FeedSnapshot } from '@/lib/contract/codec/feed-stream';
import { FeedEntry } from './feed-entry';
import { clockSkewMs } from './feed-freshness';
import type { HistoryBounds } from './feed-history';

/** Only feeds that moved this recently tell something about the clocks. */
const SKEW_MEMORY_MS = 60_000;

/** A feed of which something came between this moment (unix milliseconds) and what a snapshot tells. */
export type Gap = { readonly id: string; readonly fromMs: number };

/** The feeds of a page. What was taken shows after `settle`. */
export class FeedBook {
  readonly #entries = new Map<string, FeedEntry>();
  readonly #dirty = new Set<string>();

  constructor(private readonly bounds: HistoryBounds) {}

  get(id: string): FeedEntry | undefined {
    return this.#entries.get(id);
  }

  /** The feed, begun when it is not there yet. */
  open(id: string): FeedEntry {
    const entry = this.#entries.get(id) ?? new FeedEntry(this.bounds);
    this.#entries.set(id, entry);
    return entry;
  }

  /** These feeds from now on; others are forgotten. */
  keep(ids: readonly string[]): void {
    for (const id of [...this.#entries.keys()]) if (!ids.includes(id)) this.#entries.delete(id);
    for (const id of ids) this.open(id);
  }

  /** A snapshot has the latest of each feed only; gives the feeds of which something may be missing in between. */
  takeSnapshot({ feeds, missing }: FeedSnapshot): Gap[] {
    const gaps: Gap[] = [];
    for (const update of feeds) {
      const entry = this.#entries.get(update.id);
      const fromMs = entry?.gapBefore(update);
      if (fromMs !== undefined) gaps.push({ id: update.id, fromMs });
      entry?.takeFetched(update);
    }
    for (const [id, entry] of this.#entries) {
      entry.missing = missing.includes(id);
      this.#dirty.add(id);
    }
    return gaps;
  }

  /** @param order `any`: publish times may go back, as the stream was asked to allow */
  takeLive(feeds: readonly CompactFeed[], now: number, skewMs: number, order: 'any' | 'rising'): void {
    for (const update of feeds) {
      const entry = this.#entries.get(update.id);
      if (order === 'any' && entry?.isNews(update) === false) entry.takeUnordered(update, now, skewMs);
      else entry?.takeLive(update, now, skewMs);
      this.#dirty.add(update.id);
    }
  }

  takeHistory(feeds: readonly HistoryOfFeed[]): void {
    for (const { id, updates, complete } of feeds) {
      this.#entries.get(id)?.takeHistory(updates, complete);
      this.#dirty.add(id);
    }
  }

  settle(): void {
    for (const id of this.#dirty) this.#entries.get(id)?.settle();
    this.#dirty.clear();
  }

  /** Rounded to seconds, so that it does not change with every update; `before` is kept while no feed is heard live. */
  skewMs(now: number, before: number): number {
    const since = now - SKEW_MEMORY_MS;
    const lags = [...this.#entries.values()].flatMap(({ lag }) => (lag && lag.atMs >= since ? [lag.ms] : []));
    return lags.length === 0 ? before : Math.round(clockSkewMs(lags) / 1000) * 1000;
  }
}
