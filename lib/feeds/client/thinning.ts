import { CADENCE_UPDATES, silentAfterS, typicalPauseS } from '@/lib/feeds/feed-cadence';
import type { PriceUpdate } from '@/lib/feeds/price-update';

/** Received updates left out before a point, and the publish second of the point before them. No gap lies between. */
export type OmittedUpdates = { readonly count: number; readonly fromS: number };

type Point = { readonly price: number; readonly update: PriceUpdate; readonly leftOut?: OmittedUpdates };

/** Number of points of which the lowest and the highest price stay. */
const PART = 4;
/** Thinned share of the points, the oldest ones. */
const THINNED_SHARE = 2 / 3;
/** Publish times are whole seconds, so one missing second is below their resolution. */
const MAX_MISSED_S = 1;

/** Thins to `max` points: of older live updates the extremes of each part, samples, and both ends of each gap. */
export function thinnedPoints<P extends Point>(points: readonly P[], max: number): readonly P[] {
  if (points.length <= max) return points;
  const ticks = points.slice(-CADENCE_UPDATES).map(({ update }) => update);
  const silentS = silentAfterS(typicalPauseS(ticks), { lateS: 1, staleS: 1 });
  const older = points.slice(0, Math.floor(points.length * THINNED_SHARE));
  const kept = new Set(older.slice(0, 1));
  for (let index = 0; index < older.length; index += PART) {
    const byPrice = older.slice(index, index + PART).sort((a, b) => a.price - b.price);
    for (const point of [byPrice[0], byPrice.at(-1)]) if (point) kept.add(point);
  }
  for (const [at, point] of older.entries()) {
    const previous = older[at - 1];
    if (previous && !isContinuous(previous, point, silentS)) kept.add(previous).add(point);
  }
  const thinned: P[] = [];
  let count = 0;
  for (const [at, point] of points.entries()) {
    if (at < older.length && !kept.has(point)) {
      count += 1 + (point.leftOut?.count ?? 0);
      continue;
    }
    const fromS = thinned.at(-1)?.update.publishTimeS;
    const leftOut =
      count > 0 && fromS !== undefined
        ? { count: count + (point.leftOut?.count ?? 0), fromS }
        : point.leftOut;
    thinned.push(leftOut === point.leftOut ? point : { ...point, leftOut });
    count = 0;
  }
  return thinned;
}

/** Whether no gap lies between two points, so that either may be left out. */
function isContinuous(before: Point, { update, leftOut }: Point, silentS: number): boolean {
  const { publishTimeS: beforeS, isBackfilled } = before.update;
  if (leftOut !== undefined) return leftOut.fromS <= beforeS;
  if (isBackfilled || update.isBackfilled) return false;
  const missedS = (update.prevPublishTimeS ?? beforeS) - beforeS;
  return update.publishTimeS - beforeS <= silentS && missedS <= MAX_MISSED_S;
}

/** Received updates that the points stand for. */
export const updateCount = (points: readonly Point[]): number =>
  points.reduce((sum, { leftOut }) => sum + 1 + (leftOut?.count ?? 0), 0);
