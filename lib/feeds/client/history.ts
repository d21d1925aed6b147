import { formatScaled, roundScaled, type ScaledInteger, scaledToNumber } from '@/lib/core/numbers';
import type { PriceUpdate } from '@/lib/feeds/price-update';

/** Update of a feed on the time axis. Its numbers are approximate, for comparison and drawing; `update` has every digit. */
export type FeedPoint = {
  /** Unix milliseconds, never before the previous point. */
  readonly atMs: number;
  readonly price: number;
  readonly update: PriceUpdate;
  /** Time of receipt by this browser's clock, unix milliseconds; absent for fetched updates. */
  readonly arrivedMs?: number;
};

export type TimeRange = { readonly fromMs: number; readonly toMs: number };

/** Updates received within this after their publish second are drawn at their time of receipt. */
const RECEIVE_LEEWAY_MS = 2_000;
/** Last second that a Date can hold (8.64e12 after 1970), less a margin. Updates beyond are listed and not drawn. */
const LAST_DRAWN_S = 8.64e12 - 60;

/** Point of an update; the time of receipt spreads updates of one second. @param arrival browser's time of receipt and clock offset, ms */
export function pointOf(update: PriceUpdate, arrival?: { nowMs: number; skewMs: number }): FeedPoint {
  const publishedMs = update.publishTimeS * 1000;
  const receivedMs = arrival === undefined ? update.receivedMs : arrival.nowMs - arrival.skewMs;
  const latestMs = publishedMs + (update.isBackfilled ? 0 : RECEIVE_LEEWAY_MS);
  const atMs = Math.min(Math.max(receivedMs, publishedMs), latestMs);
  return { atMs, price: scaledToNumber(update.price), update, arrivedMs: arrival?.nowMs };
}

/** Price with every digit: `85,384.71`. */
export const exactText = (value: ScaledInteger) => formatScaled(value, { groupSeparator: ',' });

/** Significant digits of a shortened price, which has two decimals at least if it is one unit or more. */
const SHORT_DIGITS = 6;

/** Shortened price: `82,669.09`, `1.15452`, `0.0000123457`. Every digit is in its title. */
export function shortText(value: ScaledInteger, significant = SHORT_DIGITS): string {
  const digits = String(value.mantissa).replace('-', '').length;
  // Power of ten of the first digit.
  const power = value.mantissa === 0n ? 0 : digits - 1 + value.expo;
  const decimals = Math.max(power >= 0 ? 2 : 0, significant - 1 - power);
  return formatScaled(roundScaled(value, decimals), { groupSeparator: ',' });
}

/** Identity of an update, independent of its route and time of receipt. */
export function updateKey({ publishTimeS, slot, price, conf, ema, emaConf }: PriceUpdate): string {
  return [
    publishTimeS,
    slot,
    price.mantissa,
    price.expo,
    conf.mantissa,
    ema?.mantissa,
    emaConf?.mantissa,
  ].join('|');
}

/** Maximum points of a tile; a board has up to a hundred. */
export const TILE_POINTS = 1_500;
/** Maximum points of the feed of a page. */
export const PAGE_POINTS = 18_000;

/** Appends newer points in order of time and keeps the last `max`. */
export function withPoints(points: readonly FeedPoint[], newer: readonly FeedPoint[], max: number) {
  let lastMs = Number.NEGATIVE_INFINITY;
  return [...points, ...newer].slice(-max).flatMap((point) => {
    if (Math.abs(point.update.publishTimeS) > LAST_DRAWN_S) return [];
    lastMs = Math.max(lastMs, point.atMs);
    return point.atMs === lastMs ? point : { ...point, atMs: lastMs };
  });
}

/** Merges late points by publish second and receipt. Updates of a second replace a sample of it. */
export function withLate(points: readonly FeedPoint[], late: readonly FeedPoint[], max: number) {
  const all = [...points, ...late];
  const liveSeconds = new Set(all.flatMap(({ update }) => (update.isBackfilled ? [] : update.publishTimeS)));
  const byKey = new Map<string, FeedPoint>();
  for (const point of all) {
    const key = updateKey(point.update);
    const isReplaced = point.update.isBackfilled && liveSeconds.has(point.update.publishTimeS);
    if (!isReplaced && !byKey.has(key)) byKey.set(key, point);
  }
  const sorted = [...byKey.values()].sort(
    (a, b) => a.update.publishTimeS - b.update.publishTimeS || a.update.receivedMs - b.update.receivedMs,
  );
  return withPoints([], sorted, max);
}

export function extremesOf(points: readonly FeedPoint[]) {
  let [lowest, highest] = [points[0], points[0]];
  for (const point of points) {
    if (lowest === undefined || point.price < lowest.price) lowest = point;
    if (highest === undefined || point.price > highest.price) highest = point;
  }
  return lowest && highest && { lowest, highest };
}

/** Points of a window, with the last one before it, from which the line enters. */
export function pointsInView(points: readonly FeedPoint[], { fromMs, toMs }: TimeRange) {
  const first = firstAtOrAfter(points, fromMs);
  return points.slice(Math.max(0, first - 1), firstAtOrAfter(points, toMs + 1));
}

/** Index of the first point at or after a moment, or the length of the list. */
export function firstAtOrAfter(points: readonly FeedPoint[], ms: number): number {
  let [low, high] = [0, points.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((points[middle]?.atMs ?? 0) < ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Start of a window's change: the price in force at its beginning where that is certain, else the first price in it, since
 * of a sample nobody knows how long it was in force. Undefined for a window without a price.
 */
export function windowStart(points: readonly FeedPoint[], fromMs: number): FeedPoint | undefined {
  const next = firstAtOrAfter(points, fromMs + 1);
  const [before, first] = [points[next - 1], points[next]];
  if (before === undefined || first === undefined) return first;
  const { prevPublishTimeS = Number.POSITIVE_INFINITY } = first.update;
  const isInForce =
    fromMs - before.atMs <= RECEIVE_LEEWAY_MS || prevPublishTimeS <= before.update.publishTimeS;
  return isInForce ? before : first;
}

export function nearestPoint(points: readonly FeedPoint[], atMs: number, { fromMs, toMs }: TimeRange) {
  const next = firstAtOrAfter(points, atMs);
  const beside = points.slice(Math.max(0, next - 1), next + 1);
  const inside = beside.filter((point) => point.atMs >= fromMs && point.atMs <= toMs);
  return inside.sort((a, b) => Math.abs(a.atMs - atMs) - Math.abs(b.atMs - atMs))[0];
}
