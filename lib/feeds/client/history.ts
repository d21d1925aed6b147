import { formatScaled, roundScaled, type ScaledInteger, scaledToNumber } from '@/lib/core/numbers';
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

export type TimeRange = { readonly fromMs: number; readonly toMs: number };

/** How long after its publish second an update is still drawn at the time it was received. */
const RECEIVE_LEEWAY_MS = 2_000;
/** Dates end 8.64e12 seconds from 1970. A publish time beyond is shown with its price and not drawn. */
const LAST_DRAWN_S = 8.64e12 - 60;

/** The time of receipt spreads those of one second. @param heard when it was pushed here, by a clock so far ahead, ms */
export function pointOf(update: CompactFeed, heard?: { nowMs: number; skewMs: number }): FeedPoint {
  const publishedMs = update.t * 1000;
  const receivedMs = heard === undefined ? update.r : heard.nowMs - heard.skewMs;
  const latestMs = publishedMs + (update.f === 1 ? 0 : RECEIVE_LEEWAY_MS);
  const atMs = Math.min(Math.max(receivedMs, publishedMs), latestMs);
  return { atMs, price: scaledToNumber(exactPrice(update)), update, heardMs: heard?.nowMs };
}

export function exactPrice({ p, e }: CompactFeed): ScaledInteger {
  return { mantissa: BigInt(p), expo: e };
}

export function exactConf({ c, e }: CompactFeed): ScaledInteger {
  return { mantissa: BigInt(c), expo: e };
}

/** Every digit: `85,384.71`. */
export const exactText = (value: ScaledInteger) => formatScaled(value, { groupSeparator: ',' });

/** At least so many digits are shown first, and where a price has whole units two decimals of them. */
const SHORT_DIGITS = 6;

/** A price in the digits that one reads first: `82,669.09`, `1.15452`, `0.0000123457`. For the eye only, every digit is elsewhere. */
export function shortText(value: ScaledInteger): string {
  const digits = String(value.mantissa).replace('-', '').length;
  // The power of ten of its first digit.
  const power = value.mantissa === 0n ? 0 : digits - 1 + value.expo;
  const decimals = Math.max(power >= 0 ? 2 : 0, SHORT_DIGITS - 1 - power);
  return formatScaled(roundScaled(value, decimals), { groupSeparator: ',' });
}

export function exactEma({ ep, e, ee = e }: CompactFeed): ScaledInteger | undefined {
  return ep === undefined ? undefined : { mantissa: BigInt(ep), expo: ee };
}

/** Two updates with the same text are the same update, whichever way they came and whenever they were received. */
export function updateKey({ t, s, p, e, c, ep, ec }: CompactFeed): string {
  return [t, s, p, e, c, ep, ec].join('|');
}

/** Points kept of a tile of a board, of which there may be a hundred, and of a feed on its own page. */
export const TILE_POINTS = 1_500;
export const PAGE_POINTS = 18_000;

/** Points in time order with newer ones behind them: the last `most` of them. */
export function withPoints(points: readonly FeedPoint[], newer: readonly FeedPoint[], most: number) {
  let lastMs = Number.NEGATIVE_INFINITY;
  return [...points, ...newer].slice(-most).flatMap((point) => {
    if (Math.abs(point.update.t) > LAST_DRAWN_S) return [];
    lastMs = Math.max(lastMs, point.atMs);
    return point.atMs === lastMs ? point : { ...point, atMs: lastMs };
  });
}

/** Points with what came late, by publish second and receipt. A sample of a second gives way to the updates of it. */
export function withLate(points: readonly FeedPoint[], late: readonly FeedPoint[], most: number) {
  const all = [...points, ...late];
  const liveSeconds = new Set(all.flatMap(({ update }) => (update.f === 1 ? [] : update.t)));
  const known = new Map<string, FeedPoint>();
  for (const point of all) {
    const key = updateKey(point.update);
    const isReplaced = point.update.f === 1 && liveSeconds.has(point.update.t);
    if (!isReplaced && !known.has(key)) known.set(key, point);
  }
  const sorted = [...known.values()].sort((a, b) => a.update.t - b.update.t || a.update.r - b.update.r);
  return withPoints([], sorted, most);
}

export function extremesOf(points: readonly FeedPoint[]) {
  let [lowest, highest] = [points[0], points[0]];
  for (const point of points) {
    if (lowest === undefined || point.price < lowest.price) lowest = point;
    if (highest === undefined || point.price > highest.price) highest = point;
  }
  return lowest && highest && { lowest, highest };
}

/** The points that a window shows, and the last one before it, from which the line enters. */
export function pointsInView(points: readonly FeedPoint[], { fromMs, toMs }: TimeRange) {
  const first = firstAtOrAfter(points, fromMs);
  return points.slice(Math.max(0, first - 1), firstAtOrAfter(points, toMs + 1));
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

/** The point that a change over a window is counted from: the price in force when it began, or the first one known. */
export function windowStart(points: readonly FeedPoint[], fromMs: number): FeedPoint | undefined {
  return points[Math.max(0, firstAtOrAfter(points, fromMs + 1) - 1)];
}

export function nearestPoint(points: readonly FeedPoint[], atMs: number, { fromMs, toMs }: TimeRange) {
  const next = firstAtOrAfter(points, atMs);
  const beside = points.slice(Math.max(0, next - 1), next + 1);
  const inside = beside.filter((one) => one.atMs >= fromMs && one.atMs <= toMs);
  return inside.sort((a, b) => Math.abs(a.atMs - atMs) - Math.abs(b.atMs - atMs))[0];
}
