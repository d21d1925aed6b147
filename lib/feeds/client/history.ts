import { type ScaledInteger, scaledToNumber } from '@/lib/core/numbers';
import type { CompactFeed } from '@/lib/feeds/stream-events';

/** One update of a feed on the time axis. The numbers are for comparing and for pixels; every digit is in `update`. */
export type FeedPoint = {
  /** Unix milliseconds; never before the point in front of it. */
  readonly atMs: number;
  readonly price: number;
  readonly update: CompactFeed;
  /** When this browser received it live, unix milliseconds of its own clock; absent for what was fetched. */
  readonly heardMs?: number;
};

/** How long after its publish second an update is still drawn at the time it was received. */
const RECEIVE_LEEWAY_MS = 2_000;

/**
 * An update as a point. Publish times are whole seconds and several updates share one, so the time of receipt spreads them
 * out; but one that was received long after it was published (a silent feed, a seed) must not look as if it had just
 * happened. @param heard when it was pushed to this browser, and how far the publishing clock is behind, ms
 */
export function pointOf(
  update: CompactFeed,
  heard?: { readonly nowMs: number; readonly skewMs: number },
): FeedPoint {
  const publishedMs = update.t * 1000;
  const receivedMs = heard === undefined ? update.r : heard.nowMs - heard.skewMs;
  const atMs =
    update.f === 1
      ? publishedMs
      : Math.min(Math.max(receivedMs, publishedMs), publishedMs + RECEIVE_LEEWAY_MS);
  return { atMs, price: scaledToNumber(exactPrice(update)), update, heardMs: heard?.nowMs };
}

/** The price with every digit. */
export function exactPrice({ p, e }: CompactFeed): ScaledInteger {
  return { mantissa: BigInt(p), expo: e };
}

export function exactConf({ c, e }: CompactFeed): ScaledInteger {
  return { mantissa: BigInt(c), expo: e };
}

/** Undefined where the service sends none. */
export function exactEma({ ep, e, ee = e }: CompactFeed): ScaledInteger | undefined {
  return ep === undefined ? undefined : { mantissa: BigInt(ep), expo: ee };
}

/** Two updates with the same text are the same update, whichever way they came and whenever they were received. */
export function updateKey({ t, s, p, e, c, ep, ec }: CompactFeed): string {
  return `${t}|${s ?? ''}|${p}|${e}|${c}|${ep ?? ''}|${ec ?? ''}`;
}

/** Points kept of a tile of a board, of which there may be a hundred, and of a feed on its own page. */
export const TILE_POINTS = 1_500;
export const PAGE_POINTS = 18_000;

/** A bounded list of points in time order; at the bound the oldest go. */
export class FeedHistory {
  #points: readonly FeedPoint[] = [];

  constructor(private readonly mostPoints: number) {}

  /** Oldest first. The array is not changed afterwards, so it may be kept for as long as a drawing takes. */
  get points(): readonly FeedPoint[] {
    return this.#points;
  }

  /** Adds what is newer than all that is there, oldest first. */
  add(fresh: readonly FeedPoint[]): void {
    if (fresh.length > 0) this.#keep([...this.#points, ...fresh]);
  }

  /**
   * Puts in what came late, or from somewhere else: by publish second, and within one by when our server received it. What is
   * there already is not put in twice, and a seed of a second gives way to the updates of that second.
   */
  merge(late: readonly FeedPoint[]): void {
    if (late.length === 0) return;
    const live = [...this.#points, ...late].filter(({ update }) => update.f !== 1);
    const liveSeconds = new Set(live.map(({ update }) => update.t));
    const known = new Map<string, FeedPoint>();
    for (const point of [...this.#points, ...late]) {
      const { update } = point;
      if (update.f === 1 && liveSeconds.has(update.t)) continue;
      const key = updateKey(update);
      if (!known.has(key)) known.set(key, point);
    }
    this.#keep([...known.values()].sort((a, b) => a.update.t - b.update.t || a.update.r - b.update.r));
  }

  #keep(points: readonly FeedPoint[]): void {
    let lastMs = Number.NEGATIVE_INFINITY;
    this.#points = points.slice(-this.mostPoints).map((point) => {
      lastMs = Math.max(lastMs, point.atMs);
      return point.atMs === lastMs ? point : { ...point, atMs: lastMs };
    });
  }
}

/** The lowest and highest of some points; undefined when there are none. */
export function extremesOf(
  points: readonly FeedPoint[],
): { readonly lowest: FeedPoint; readonly highest: FeedPoint } | undefined {
  const [first] = points;
  if (first === undefined) return undefined;
  let [lowest, highest] = [first, first];
  for (const point of points) {
    if (point.price < lowest.price) lowest = point;
    if (point.price > highest.price) highest = point;
  }
  return { lowest, highest };
}

/** The points that a window shows, and the last one before it, from which the line enters. */
export function pointsInView(
  points: readonly FeedPoint[],
  { fromMs, toMs = Number.POSITIVE_INFINITY }: { readonly fromMs: number; readonly toMs?: number },
): readonly FeedPoint[] {
  const first = firstAtOrAfter(points, fromMs);
  return points.slice(Math.max(0, first - 1)).filter(({ atMs }) => atMs <= toMs);
}

/** Where the first point at or after a moment stands; the length of the list where there is none. */
export function firstAtOrAfter(points: readonly FeedPoint[], ms: number): number {
  let [low, high] = [0, points.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((points[middle]?.atMs ?? 0) < ms) low = middle + 1;
    else high = middle;
  }
  return low;
}
