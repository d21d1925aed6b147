import type { HistoryComplete } from '@/lib/contract/codec/feed-history';
import type { CompactFeed } from '@/lib/contract/codec/feed-stream';
import { scaledToNumber } from '@/lib/domain/scaled-number';
import { FeedRhythm } from './feed-freshness';
import { FeedHistory, type FeedPoint, type HistoryBounds, pointTimeMs, updateKey } from './feed-history';
import { isNewer } from './feed-picture';

/** One feed as the page shows it. The object is replaced when something about the feed changed, and only then. */
export type FeedView = {
  readonly standing: 'waiting' | 'known' | 'missing';
  /** The last update; a feed that the service no longer knows keeps it. */
  readonly latest?: CompactFeed;
  /** The usual pause between two publish times, ms; absent while unknown. */
  readonly rhythmMs?: number;
  /**
   * From this unix second on updates were received, by our server or by this browser; what is older was asked for one by one.
   * Absent before the first was received.
   */
  readonly receivedFromS?: number;
};

/** What is shown of a feed about which nothing was heard yet. */
export const WAITING_FEED: FeedView = { standing: 'waiting' };

/** While frames do not come (a hidden page) so many points are put by before they are worked in all the same. */
const MAX_WAITING_POINTS = 500;

/** Dates end 8.64e12 seconds from 1970. A publish time beyond is shown with its price and not drawn. */
const LAST_DRAWN_S = 8.64e12 - 60;

/** What the store holds of one feed. What it shows (`view`) changes only in `settle`. */
export class FeedEntry {
  readonly history: FeedHistory;
  readonly rhythm = new FeedRhythm();
  view: FeedView = WAITING_FEED;
  missing = false;
  /** Time of receipt minus publish time when the feed last moved on live, and when that was, ms. */
  lag: { readonly ms: number; readonly atMs: number } | undefined;
  #latest: CompactFeed | undefined;
  #receivedFromS = Number.POSITIVE_INFINITY;
  #waiting: FeedPoint[] = [];

  constructor(bounds?: HistoryBounds) {
    this.history = new FeedHistory(bounds);
  }

  /** An update that was fetched, not pushed: it may be old, so its time of receipt tells nothing about the clocks. */
  takeFetched(update: CompactFeed): void {
    this.#take(update, { atMs: pointTimeMs(update.t, update.r, 0) });
  }

  /** An update that was pushed just now. */
  takeLive(update: CompactFeed, nowMs: number, skewMs: number): void {
    const before = this.#latest?.t;
    if (before !== undefined && update.t > before) {
      this.rhythm.note((update.t - before) * 1000);
      this.lag = { ms: nowMs - update.t * 1000, atMs: nowMs };
    }
    this.missing = false;
    this.#receivedFromS = Math.min(this.#receivedFromS, update.t);
    this.#take(update, { atMs: pointTimeMs(update.t, nowMs, skewMs), heardMs: nowMs });
  }

  /** Pushed with `allow_unordered`, and older than what is shown: it belongs into the chart only. */
  takeUnordered(update: CompactFeed, nowMs: number, skewMs: number): void {
    if (Math.abs(update.t) > LAST_DRAWN_S) return;
    this.#workIn();
    this.history.merge([pointOf(update, { atMs: pointTimeMs(update.t, nowMs, skewMs), heardMs: nowMs })]);
  }

  /** What our server remembered, oldest first: it goes where it belongs in time, and what is known already only once. */
  takeHistory(updates: readonly CompactFeed[], complete: HistoryComplete): void {
    this.#workIn();
    const completeFromS = complete === 'yes' ? updates[0]?.t : Number(complete.slice('since '.length));
    this.#receivedFromS = Math.min(this.#receivedFromS, completeFromS ?? Number.POSITIVE_INFINITY);
    const drawn = updates.filter(({ t }) => Math.abs(t) <= LAST_DRAWN_S);
    this.history.merge(drawn.map((update) => pointOf(update, { atMs: historicTimeMs(update) })));
    const last = updates.findLast(({ f }) => f !== 1);
    if (last !== undefined && (this.#latest === undefined || last.t > this.#latest.t)) this.#latest = last;
  }

  /** When the last update that is known was published, unix milliseconds, where others may lie between it and this one. */
  gapBefore(update: CompactFeed): number | undefined {
    const last = this.#latest;
    if (last === undefined || updateKey(last) === updateKey(update)) return undefined;
    return last.t * 1000;
  }

  /** Whether it would be the latest. */
  isNews(update: CompactFeed): boolean {
    return isNewer(update, this.#latest);
  }

  /** Makes what was taken visible. */
  settle(): void {
    this.#workIn();
    const standing = this.missing ? 'missing' : this.#latest === undefined ? 'waiting' : 'known';
    const receivedFromS = Number.isFinite(this.#receivedFromS) ? this.#receivedFromS : undefined;
    this.view = { standing, latest: this.#latest, rhythmMs: this.rhythm.usualPauseMs(), receivedFromS };
  }

  /** The price never goes back: what was published, or within one second received, earlier is left out. */
  #take(update: CompactFeed, place: Place): void {
    const last = this.#latest;
    if (!isNewer(update, last)) {
      return;
    }
    this.#latest = update;
    if (last !== undefined && updateKey(update) === updateKey(last)) {
      return;
    }
    if (Math.abs(update.t) > LAST_DRAWN_S) {
      return;
    }
    this.#waiting.push(pointOf(update, place));
    if (this.#waiting.length >= MAX_WAITING_POINTS) {
      this.#workIn();
    }
  }

  #workIn(): void {
    this.history.add(this.#waiting);
    this.#waiting = [];
  }
}

type Place = Pick<FeedPoint, 'atMs' | 'heardMs'>;

/** What was filled in is the first update of its second, and was received long after. */
function historicTimeMs({ t, r, f }: CompactFeed): number {
  return f === 1 ? t * 1000 : pointTimeMs(t, r, 0);
}

function pointOf(update: CompactFeed, place: Place): FeedPoint {
  const number = (mantissa: string) => scaledToNumber({ mantissa: BigInt(mantissa), expo: update.e });
  const point = {
    ...place,
    price: number(update.p),
    conf: number(update.c),
    exact: { p: update.p, e: update.e },
    update,
  };
  if (update.ep === undefined) return point;
  const ema = { mantissa: BigInt(update.ep), expo: update.ee ?? update.e };
  return { ...point, ema: scaledToNumber(ema) };
}
