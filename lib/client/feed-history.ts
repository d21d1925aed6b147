import type { CompactFeed } from '@/lib/contract/codec/feed-stream';

/** What this browser has seen of one feed, for drawing. Numbers here are for pixels; exact digits ride along as text. */
export type FeedPoint = {
  /** Where the point stands on the time axis, unix milliseconds. Never before the point in front of it. */
  readonly atMs: number;
  readonly price: number;
  readonly conf: number;
  /** Absent where the service sends none. */
  readonly ema?: number;
  /** The price as it came: integer text and power-of-ten exponent. */
  readonly exact: { readonly p: string; readonly e: number };
  /** The whole update as it came: publish times, slot, when our server received it. Absent in drawings without a service. */
  readonly update?: CompactFeed;
  /** When this browser received it live, unix milliseconds of its own clock; absent for what was fetched. */
  readonly heardMs?: number;
};

/** How much is kept of a feed. At either bound the oldest points go. */
export type HistoryBounds = {
  readonly windowMs: number;
  readonly maxPoints: number;
  /** What our server remembers is asked for thinned out to so many points per feed; absent: all of it. */
  readonly fillPoints?: number;
  /** Of what is older than `afterMs` the lowest and the highest of every `bucketMs` stay; absent: all points stay whole. */
  readonly thin?: { readonly afterMs: number; readonly bucketMs: number };
};

/** How far back the chart of a tile looks. */
export const HISTORY_WINDOW_MS = 5 * 60_000;

/** Upper bound of a tile's feed, whatever the rate: 5 minutes at 10 updates a second. */
export const HISTORY_MAX_POINTS = 3_000;

/** A tile of the board, of which there may be sixty: so many points fill its pixels, and sixty of them are 2 MB. */
export const TILE_HISTORY: HistoryBounds = {
  windowMs: HISTORY_WINDOW_MS,
  maxPoints: HISTORY_MAX_POINTS,
  fillPoints: 200,
};

/**
 * A tile of a board: the last 5 minutes whole, and of the 25 before them the extremes of every 10 s, so that sixty tiles
 * look back half an hour at the cost of five minutes.
 */
export const BOARD_HISTORY: HistoryBounds = {
  ...TILE_HISTORY,
  windowMs: 30 * 60_000,
  thin: { afterMs: HISTORY_WINDOW_MS, bucketMs: 10_000 },
};

/** The page of one feed with up to four compared: 30 minutes, as much as our server remembers, at 10 updates a second. */
export const PAGE_HISTORY: HistoryBounds = { windowMs: 30 * 60_000, maxPoints: 18_000 };

/** How long after its publish second an update is still drawn at the time it was received. */
const RECEIVE_LEEWAY_MS = 2_000;

/**
 * The place of an update on the time axis, unix milliseconds.
 *
 * Publish times are whole seconds and several updates share one, so the time of receipt spreads them out; but an
 * update that was fetched long after it was published (a silent feed) must not look as if it had just happened.
 */
export function pointTimeMs(publishTimeS: number, receivedAtMs: number, skewMs: number): number {
  const publishedMs = publishTimeS * 1000;
  const receivedMs = receivedAtMs - skewMs;
  return Math.min(Math.max(receivedMs, publishedMs), publishedMs + RECEIVE_LEEWAY_MS);
}

/** Two updates with the same text are the same update, whichever way they came and whenever they were received. */
export function updateKey({ t, s, p, e, c, ep, ec }: CompactFeed): string {
  return `${t}|${s ?? ''}|${p}|${e}|${c}|${ep ?? ''}|${ec ?? ''}`;
}

/** A bounded list of points in time order. */
export class FeedHistory {
  #points: FeedPoint[] = [];
  #version = 0;
  /** Up to then points are thinned out. */
  #thinnedToMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly bounds: HistoryBounds = TILE_HISTORY) {}

  /** Grows with every change: two readings with the same version hold the same points. */
  get version(): number {
    return this.#version;
  }

  /** Oldest first. The array is not changed afterwards, so it may be kept for as long as a drawing takes. */
  points(): readonly FeedPoint[] {
    return this.#points;
  }

  /** Adds points (oldest first) behind what is there, and drops what has become too old or too much. */
  add(fresh: readonly FeedPoint[]): void {
    if (fresh.length === 0) {
      return;
    }
    const next = this.#points.slice();
    for (const point of fresh) {
      next.push(notBefore(point, next.at(-1)));
    }
    this.#keep(next);
  }

  /**
   * Puts points that came late, or from somewhere else, where they belong in time: by publish second, and within one by
   * when our server received them. An update that is there already is not put in twice.
   */
  merge(late: readonly FeedPoint[]): void {
    const known = new Set(this.#points.map(keyOf));
    const fresh = late.filter((point) => {
      const key = keyOf(point);
      return !known.has(key) && known.add(key);
    });
    if (fresh.length === 0) {
      return;
    }
    const next: FeedPoint[] = [];
    for (const point of [...this.#points, ...fresh].sort(byTime)) {
      next.push(notBefore(point, next.at(-1)));
    }
    this.#thinnedToMs = Number.NEGATIVE_INFINITY;
    this.#keep(next);
  }

  #keep(grown: FeedPoint[]): void {
    const newest = grown.at(-1)?.atMs ?? 0;
    const next = this.#thinned(grown, newest);
    // One point from before the window stays, so that the line enters from the left edge.
    const firstInside = next.findIndex((point) => point.atMs >= newest - this.bounds.windowMs);
    const from = Math.max(0, firstInside - 1, next.length - this.bounds.maxPoints);
    this.#points = from > 0 ? next.slice(from) : next;
    this.#version += 1;
  }

  /** Some buckets at a time: going through all points costs more than a few of them. */
  #thinned(points: FeedPoint[], newestMs: number): FeedPoint[] {
    const { thin } = this.bounds;
    if (thin === undefined) return points;
    const cutMs = Math.floor((newestMs - thin.afterMs) / thin.bucketMs) * thin.bucketMs;
    if (cutMs - this.#thinnedToMs < THIN_BUCKETS * thin.bucketMs) return points;
    this.#thinnedToMs = cutMs;
    const first = points.findIndex(({ atMs }) => atMs >= cutMs);
    return [...extremesPerBucket(points.slice(0, first), thin.bucketMs), ...points.slice(first)];
  }
}

const THIN_BUCKETS = 6;

/** The lowest and the highest of every bucket, in time order. */
function extremesPerBucket(points: readonly FeedPoint[], bucketMs: number): FeedPoint[] {
  const kept: FeedPoint[] = [];
  for (let from = 0, to = 0; from < points.length; from = to) {
    const bucket = bucketOf(points[from], bucketMs);
    while (to < points.length && bucketOf(points[to], bucketMs) === bucket) to += 1;
    const within = points.slice(from, to);
    const extremes = extremesOf(within);
    kept.push(...within.filter((point) => point === extremes?.lowest || point === extremes?.highest));
  }
  return kept;
}

function bucketOf(point: FeedPoint | undefined, bucketMs: number): number {
  return Math.floor((point?.atMs ?? 0) / bucketMs);
}

function notBefore(point: FeedPoint, last: FeedPoint | undefined): FeedPoint {
  return last !== undefined && point.atMs < last.atMs ? { ...point, atMs: last.atMs } : point;
}

function keyOf({ atMs, exact, update }: FeedPoint): string {
  return update === undefined ? `${atMs}|${exact.p}|${exact.e}` : updateKey(update);
}

function byTime(a: FeedPoint, b: FeedPoint): number {
  if (a.update === undefined || b.update === undefined) return a.atMs - b.atMs;
  return a.update.t - b.update.t || a.update.r - b.update.r || a.atMs - b.atMs;
}

/** The lowest and highest of some points; undefined when there are none. */
export function extremesOf(
  points: readonly FeedPoint[],
): { lowest: FeedPoint; highest: FeedPoint } | undefined {
  const first = points[0];
  if (first === undefined) {
    return undefined;
  }
  let lowest = first;
  let highest = first;
  for (const point of points) {
    if (point.price < lowest.price) {
      lowest = point;
    }
    if (point.price > highest.price) {
      highest = point;
    }
  }
  return { lowest, highest };
}
