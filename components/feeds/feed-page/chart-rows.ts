import type { ChartPoint } from '@/lib/client/feed-decimation';
import type { PageSeries } from './page-frame';

/** A row of the chart library's table: heights by the place of the feed (`y0` … `y3`), band and EMA of the first one. */
export type ChartRow = {
  readonly atMs: number;
  readonly band?: readonly [number, number] | null;
  readonly ema?: number | null;
} & { readonly [series: `y${number}`]: number | null };

/**
 * One table for all lines, as the library wants it. Where another feed has a vertex and this one has none, it gets the
 * height that its straight line has there, so that no line changes its course; within its gaps it has none.
 */
export function chartRows(series: readonly PageSeries[]): ChartRow[] {
  const [first] = series;
  if (first === undefined) return [];
  if (series.length === 1) return first.points.map((point) => rowOf(point, first.tone));
  const times = [...new Set(series.flatMap(({ points }) => points.map(({ atMs }) => atMs)))].sort(
    (a, b) => a - b,
  );
  const columns = series.map(({ tone, points }) => ({ tone, heights: heightsAt(points, times) }));
  return times.map((atMs, at) =>
    Object.assign({ atMs }, ...columns.map(({ tone, heights }) => ({ [`y${tone}`]: heights[at] ?? null }))),
  );
}

function rowOf({ atMs, price, band, ema }: ChartPoint, tone: number): ChartRow {
  return Object.assign({ atMs, band, ema: ema ?? null }, { [`y${tone}` as const]: price });
}

/** The height of a line at each of some times, in one pass over both. */
function heightsAt(points: readonly ChartPoint[], times: readonly number[]): (number | null)[] {
  let next = 0;
  return times.map((atMs) => {
    while (next < points.length && (points[next]?.atMs ?? 0) < atMs) next += 1;
    const after = points[next];
    const before = points[next - 1];
    if (after === undefined) return null;
    if (after.atMs === atMs) return after.price;
    if (before === undefined || before.price === null || after.price === null) return null;
    return before.price + ((after.price - before.price) * (atMs - before.atMs)) / (after.atMs - before.atMs);
  });
}
