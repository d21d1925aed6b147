import { lowerBound } from '@/lib/core/lower-bound';
import { formatScaled, roundScaled, type ScaledInteger, scaledToNumber } from '@/lib/core/numbers';
import type { PriceUpdate } from '@/lib/feeds/price-update';
import { type OmittedUpdates, thinnedPoints } from './thinning';

/** The numbers of a point are approximate, for comparing and drawing; `update` has every digit. */
export type FeedPoint = {
  /** Unix ms, never before the previous point. */
  readonly atMs: number;
  readonly price: number;
  readonly update: PriceUpdate;
  /** Receipt by this browser's clock, unix ms; absent for fetched updates. */
  readonly arrivedMs?: number;
  readonly leftOut?: OmittedUpdates;
};

export type TimeRange = { readonly fromMs: number; readonly toMs: number };

/** Updates received within this time after their publish second are drawn at the receipt. */
const RECEIVE_LEEWAY_MS = 2_000;
/** Last second of a `Date` (8.64e12 after 1970), minus a margin. Later updates are listed but not drawn. */
const LAST_DRAWN_S = 8.64e12 - 60;

/** The receipt spreads updates of the same second. @param arrival receipt in the browser and its clock offset, ms */
export function pointOf(update: PriceUpdate, arrival?: { nowMs: number; skewMs: number }): FeedPoint {
  const publishedMs = update.publishTimeS * 1000;
  const receivedMs = arrival === undefined ? update.receivedMs : arrival.nowMs - arrival.skewMs;
  const latestMs = publishedMs + (update.isBackfilled ? 0 : RECEIVE_LEEWAY_MS);
  const atMs = Math.min(Math.max(receivedMs, publishedMs), latestMs);
  return { atMs, price: scaledToNumber(update.price), update, arrivedMs: arrival?.nowMs };
}

/** Text with every digit: `85,384.71`. */
export const exactText = (value: ScaledInteger) => formatScaled(value, { groupSeparator: ',' });

/** Significant digits. A price of one unit or more has at least two decimals. */
const SHORT_DIGITS = 6;

/** `82,669.09`, `1.15452`, `0.0000123457` */
export function shortText(value: ScaledInteger, significant = SHORT_DIGITS): string {
  const digits = String(value.mantissa).replace('-', '').length;
  // Power of ten of the first digit.
  const power = value.mantissa === 0n ? 0 : digits - 1 + value.expo;
  const decimals = Math.max(power >= 0 ? 2 : 0, significant - 1 - power);
  return formatScaled(roundScaled(value, decimals), { groupSeparator: ',' });
}

/** The digits that a headline shows large: as many as `shortText` has, cut and not rounded. */
export function cutText(value: ScaledInteger): string {
  const [whole = '', decimals = ''] = exactText(value).split('.');
  const cut = decimals.slice(0, shortText(value).split('.')[1]?.length ?? 0);
  return cut === '' ? whole : `${whole}.${cut}`;
}

/** Independent of how and when an update was received. */
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

/** Points of a tile. A board has up to a hundred tiles. */
export const TILE_POINTS = 1_500;
/** Points of a feed on its page. */
export const PAGE_POINTS = 18_000;

/** Adds newer points. Beyond `max` the older ones are thinned. */
export function withPoints(points: readonly FeedPoint[], newer: readonly FeedPoint[], max: number) {
  let lastMs = Number.NEGATIVE_INFINITY;
  const all = thinnedPoints([...points, ...newer], max);
  return all.slice(-max).flatMap((point) => {
    if (Math.abs(point.update.publishTimeS) > LAST_DRAWN_S) return [];
    lastMs = Math.max(lastMs, point.atMs);
    return point.atMs === lastMs ? point : { ...point, atMs: lastMs };
  });
}

/** Merges late points. A sample is replaced by updates of its second. */
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
  // Late live points had been left out, and no longer are.
  const isLate = new Set(late);
  let returned = 0;
  const counted = sorted.map((point) => {
    const { leftOut } = point;
    if (isLate.has(point)) returned += point.update.isBackfilled ? 0 : 1;
    else {
      const count = Math.max(0, (leftOut?.count ?? 0) - returned);
      returned = 0;
      if (leftOut !== undefined && count < leftOut.count) return { ...point, leftOut: { ...leftOut, count } };
    }
    return point;
  });
  return withPoints([], counted, max);
}

export function findExtremes(points: readonly FeedPoint[]) {
  let [lowest, highest] = [points[0], points[0]];
  for (const point of points) {
    if (lowest === undefined || point.price < lowest.price) lowest = point;
    if (highest === undefined || point.price > highest.price) highest = point;
  }
  return lowest && highest && { lowest, highest };
}

/** Includes the last point before the window, from which the line enters it. */
export function pointsInView(points: readonly FeedPoint[], { fromMs, toMs }: TimeRange) {
  const first = firstAtOrAfter(points, fromMs);
  return points.slice(Math.max(0, first - 1), firstAtOrAfter(points, toMs + 1));
}

/** The length of the list if there is none. */
export function firstAtOrAfter(points: readonly FeedPoint[], ms: number): number {
  return lowerBound(points, ms, ({ atMs }) => atMs);
}

/**
 * The base of a window's change: the price certainly in force at its beginning, else the first one in it. A sample is
 * not certain, because nobody knows how long it was in force. Undefined without a price.
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

/**
 * The lowest and the highest price of a window, including the one in force at its beginning. Undefined without a price
 * in it. @param points up to its end
 */
export function windowExtremes(points: readonly FeedPoint[], fromMs: number) {
  const inside = points.slice(firstAtOrAfter(points, fromMs));
  return findExtremes([windowStart(points, fromMs) ?? [], inside].flat());
}

export function nearestPoint(points: readonly FeedPoint[], atMs: number, { fromMs, toMs }: TimeRange) {
  const next = firstAtOrAfter(points, atMs);
  const beside = points.slice(Math.max(0, next - 1), next + 1);
  const inside = beside.filter((point) => point.atMs >= fromMs && point.atMs <= toMs);
  return inside.sort((a, b) => Math.abs(a.atMs - atMs) - Math.abs(b.atMs - atMs))[0];
}
