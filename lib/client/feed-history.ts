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
};

/** How far back a chart looks. Older points are dropped. */
export const HISTORY_WINDOW_MS = 5 * 60_000;

/** Upper bound per feed, whatever the rate: at the bound the oldest points go. 5 minutes at 10 updates a second. */
export const HISTORY_MAX_POINTS = 3_000;

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

/** A bounded list of points in time order. */
export class FeedHistory {
  #points: FeedPoint[] = [];
  #version = 0;

  /** Grows with every change: two readings with the same version hold the same points. */
  get version(): number {
    return this.#version;
  }

  /** Oldest first. The array is not changed afterwards, so it may be kept for as long as a drawing takes. */
  points(): readonly FeedPoint[] {
    return this.#points;
  }

  /** Adds points (oldest first) and drops what has become too old or too much. */
  add(fresh: readonly FeedPoint[]): void {
    if (fresh.length === 0) {
      return;
    }
    const next = this.#points.slice();
    for (const point of fresh) {
      const last = next.at(-1);
      next.push(last !== undefined && point.atMs < last.atMs ? { ...point, atMs: last.atMs } : point);
    }
    const newest = next[next.length - 1]?.atMs ?? 0;
    // One point from before the window stays, so that the line enters from the left edge.
    const firstInside = next.findIndex((point) => point.atMs >= newest - HISTORY_WINDOW_MS);
    const from = Math.max(0, firstInside - 1, next.length - HISTORY_MAX_POINTS);
    this.#points = from > 0 ? next.slice(from) : next;
    this.#version += 1;
  }
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
