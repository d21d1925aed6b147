import type { LineBreak } from '@/lib/domain/feed-gaps';
import type { FeedPoint } from './feed-history';

/** One vertex of the drawing. `price` and `band` are null where the line is broken. */
export type ChartPoint = {
  readonly atMs: number;
  readonly price: number | null;
  /** Price minus and plus confidence. */
  readonly band: readonly [number, number] | null;
  /** Absent where it is not known, and where the line is broken. */
  readonly ema?: number;
};

export type DecimationFrame = {
  readonly fromMs: number;
  readonly toMs: number;
  /** Pixel columns between `fromMs` and `toMs`. */
  readonly columns: number;
  /** A pause longer than this breaks the line: what was not seen is not drawn. */
  readonly gapMs: number;
  /** Where the line is broken besides, however short the pause. */
  readonly breaks?: readonly LineBreak[];
};

type Column = {
  index: number;
  last: FeedPoint;
  low: FeedPoint;
  high: FeedPoint;
  bandLow: number;
  bandHigh: number;
  /** It moves slowly: the last one of a column stands for all. */
  ema: number | undefined;
};

/**
 * Points reduced to what the pixels can show: the lowest and the highest price of every pixel column, in time order,
 * and always the last point. Never an average, which would hide a spike. The
 * band of a column covers the bands of all its points. Columns are counted from the epoch, not from the left edge, so a
 * sliding window does not make old vertices jump.
 *
 * The last point before the window is kept, so that the line enters from the left edge.
 */
export function decimate(points: readonly FeedPoint[], frame: DecimationFrame): ChartPoint[] {
  const columnMs = Math.max(1, (frame.toMs - frame.fromMs) / Math.max(1, frame.columns));
  const isBroken = brokenBetween(frame);
  const out: ChartPoint[] = [];
  let column: Column | undefined;
  for (const point of visiblePoints(points, frame)) {
    const index = Math.floor(point.atMs / columnMs);
    const paused = column !== undefined && isBroken(column.last, point);
    if (column !== undefined && (paused || index !== column.index)) {
      writeColumn(out, column);
      if (paused) {
        out.push({ atMs: (column.last.atMs + point.atMs) / 2, price: null, band: null });
      }
      column = undefined;
    }
    column = column === undefined ? columnOf(point, index) : widen(column, point);
  }
  if (column !== undefined) {
    writeColumn(out, column);
    writeLast(out, points, column, frame);
  }
  return out;
}

/** Asked in time order, so each break is looked at once. */
function brokenBetween({ gapMs, breaks = [] }: DecimationFrame): (a: FeedPoint, b: FeedPoint) => boolean {
  let next = 0;
  return (a, b) => {
    const [fromS, untilS] = [secondOf(a), secondOf(b)];
    while ((breaks[next]?.fromS ?? Infinity) < fromS) next += 1;
    const first = breaks[next];
    const isMarked = first !== undefined && first.untilS <= untilS && untilS > fromS;
    return isMarked || b.atMs - a.atMs > gapMs;
  };
}

function secondOf({ update, atMs }: FeedPoint): number {
  return update?.t ?? Math.floor(atMs / 1000);
}

function visiblePoints(points: readonly FeedPoint[], frame: DecimationFrame): readonly FeedPoint[] {
  const first = points.findIndex((point) => point.atMs >= frame.fromMs);
  const from = first === -1 ? points.length - 1 : first - 1;
  return points.slice(Math.max(0, from)).filter((point) => point.atMs <= frame.toMs);
}

function columnOf(point: FeedPoint, index: number): Column {
  return {
    index,
    last: point,
    low: point,
    high: point,
    bandLow: point.price - point.conf,
    bandHigh: point.price + point.conf,
    ema: point.ema,
  };
}

function widen(column: Column, point: FeedPoint): Column {
  column.low = point.price < column.low.price ? point : column.low;
  column.high = point.price > column.high.price ? point : column.high;
  column.bandLow = Math.min(column.bandLow, point.price - point.conf);
  column.bandHigh = Math.max(column.bandHigh, point.price + point.conf);
  column.ema = point.ema ?? column.ema;
  column.last = point;
  return column;
}

function writeColumn(out: ChartPoint[], column: Column): void {
  const band = [column.bandLow, column.bandHigh] as const;
  const { ema, low, high } = column;
  const extremes = low.atMs <= high.atMs ? [low, high] : [high, low];
  for (const { atMs, price } of new Set(extremes)) out.push({ atMs, price, band, ema });
}

/** The live edge shows the latest price even when it is neither the lowest nor the highest of its column. */
function writeLast(
  out: ChartPoint[],
  points: readonly FeedPoint[],
  column: Column,
  frame: DecimationFrame,
): void {
  const last = points.findLast((point) => point.atMs <= frame.toMs);
  if (last !== undefined && last !== column.low && last !== column.high) {
    out.push({ atMs: last.atMs, price: last.price, band: [column.bandLow, column.bandHigh], ema: last.ema });
  }
}
