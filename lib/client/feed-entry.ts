import type { CompactFeed } from '@/lib/contract/codec/feed-stream';
import { scaledToNumber } from '@/lib/domain/scaled-number';
import { FeedRhythm } from './feed-freshness';
import { FeedHistory, type FeedPoint, pointTimeMs } from './feed-history';

/** One feed as the page shows it. The object is replaced when something about the feed changed, and only then. */
export type FeedView = {
  readonly standing: 'waiting' | 'known' | 'missing';
  /** The last update; a feed that the service no longer knows keeps it. */
  readonly latest?: CompactFeed;
  /** The usual pause between two publish times, ms; absent while unknown. */
  readonly rhythmMs?: number;
};

/** What is shown of a feed about which nothing was heard yet. */
export const WAITING_FEED: FeedView = { standing: 'waiting' };

/** While frames do not come (a hidden page) so many points are put by before they are worked in all the same. */
const MAX_WAITING_POINTS = 500;

/** Dates end 8.64e12 seconds from 1970. A publish time beyond is shown with its price and not drawn. */
const LAST_DRAWN_S = 8.64e12 - 60;

/** What the store holds of one feed. What it shows (`view`) changes only in `settle`. */
export class FeedEntry {
  readonly history = new FeedHistory();
  readonly rhythm = new FeedRhythm();
  view: FeedView = WAITING_FEED;
  missing = false;
  /** Time of receipt minus publish time when the feed last moved on live, and when that was, ms. */
  lag: { readonly ms: number; readonly atMs: number } | undefined;
  #latest: CompactFeed | undefined;
  #waiting: FeedPoint[] = [];

  /** An update that was fetched, not pushed: it may be old, so its time of receipt tells nothing about the clocks. */
  takeFetched(update: CompactFeed): void {
    this.#take(update, pointTimeMs(update.t, update.r, 0));
  }

  /** An update that was pushed just now. */
  takeLive(update: CompactFeed, nowMs: number, skewMs: number): void {
    const before = this.#latest?.t;
    if (before !== undefined && update.t > before) {
      this.rhythm.note((update.t - before) * 1000);
      this.lag = { ms: nowMs - update.t * 1000, atMs: nowMs };
    }
    this.missing = false;
    this.#take(update, pointTimeMs(update.t, nowMs, skewMs));
  }

  /** Makes what was taken visible. */
  settle(): void {
    this.#workIn();
    const standing = this.missing ? 'missing' : this.#latest === undefined ? 'waiting' : 'known';
    this.view = { standing, latest: this.#latest, rhythmMs: this.rhythm.usualPauseMs() };
  }

  /** The price never goes back: what was published, or within one second received, earlier is left out. */
  #take(update: CompactFeed, atMs: number): void {
    const last = this.#latest;
    if (last !== undefined && (update.t < last.t || (update.t === last.t && update.r < last.r))) {
      return;
    }
    this.#latest = update;
    if (last !== undefined && update.t === last.t && update.p === last.p && update.c === last.c) {
      return;
    }
    if (Math.abs(update.t) > LAST_DRAWN_S) {
      return;
    }
    this.#waiting.push(pointOf(update, atMs));
    if (this.#waiting.length >= MAX_WAITING_POINTS) {
      this.#workIn();
    }
  }

  #workIn(): void {
    this.history.add(this.#waiting);
    this.#waiting = [];
  }
}

function pointOf(update: CompactFeed, atMs: number): FeedPoint {
  const number = (mantissa: string) => scaledToNumber({ mantissa: BigInt(mantissa), expo: update.e });
  const point = {
    atMs,
    price: number(update.p),
    conf: number(update.c),
    exact: { p: update.p, e: update.e },
  };
  if (update.ep === undefined) return point;
  const ema = { mantissa: BigInt(update.ep), expo: update.ee ?? update.e };
  return { ...point, ema: scaledToNumber(ema) };
}
