import 'server-only';
import { type Outcome, ok } from '@/lib/core/outcome';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '@/lib/core/time';
import { isSameCell } from '@/lib/requests/filters';
import type { ColumnValues, FacetValue, Histogram, Summary } from '@/lib/requests/requests-response';
import { type BucketCounts, histogramState, noCounts } from '@/lib/requests/requests-response';
import type { RequestsView } from '@/lib/requests/view';
import type { StuckRowsAt } from '@/lib/store/queries/insights';
import {
  type BucketCount,
  type CubeCell,
  countsOfView,
  valuesOfColumn,
} from '@/lib/store/queries/view-counts';
import type { IndexStore } from '@/lib/store/store';
import { type NamedNetwork, type ResolvedView, resolveView } from './listing';

type Buckets = Omit<Histogram, 'buckets' | 'gone'> & { buckets: number };

const WEEK_MS = 7 * DAY_MS;

/** Shortest first, whole seconds. */
const BUCKET_LENGTHS = [
  ...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND_MS),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE_MS),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR_MS),
  ...[1, 2].map((n) => n * DAY_MS),
  ...[1, 4, 13, 52].map((n) => n * WEEK_MS),
];

/** Monday, 1970-01-05, so that buckets of weeks begin on Mondays. Shorter buckets divide a day evenly. */
const ORIGIN_MS = 4 * DAY_MS;

function floorTo(ms: number, bucketMs: number): number {
  return ORIGIN_MS + Math.floor((ms - ORIGIN_MS) / bucketMs) * bucketMs;
}

function countFor(startMs: number, endMs: number, bucketMs: number): number {
  return (floorTo(endMs, bucketMs) - floorTo(startMs, bucketMs)) / bucketMs + 1;
}

/** The shortest round buckets from `startMs` to `endMs`, both inclusive. */
export function bucketsFor(startMs: number, endMs: number, max: number): Buckets {
  let bucketMs = BUCKET_LENGTHS.find((length) => countFor(startMs, endMs, length) <= max) ?? 52 * WEEK_MS;
  while (countFor(startMs, endMs, bucketMs) > max) bucketMs *= 2;
  const fromMs = floorTo(startMs, bucketMs);
  const buckets = endMs < startMs ? 0 : countFor(startMs, endMs, bucketMs);
  return { fromMs, toMs: fromMs + buckets * bucketMs, startMs, endMs, bucketMs, buckets };
}

export async function summarizeView(
  store: IndexStore,
  view: RequestsView,
  networks: readonly NamedNetwork[],
  max: number,
  stuckRowsAt: StuckRowsAt,
): Promise<Outcome<Omit<Summary, 'revision' | 'total'> & Partial<Pick<Summary, 'total'>>>> {
  const resolved = resolveView(view, store, networks);
  if (!resolved.ok) return resolved;
  const { query, asof, isCounting } = resolved.value;
  const fits = fittingOf(resolved.value, store);
  const bucketsIn = (cells: readonly CubeCell[]) => {
    const matches = cells.filter((cell) => fits(cell));
    return histogramBuckets(resolved.value, matches, max);
  };
  const counts = await countsOfView(
    store.engine,
    query,
    stuckRowsAt(resolved.value.moments.latestMs),
    (cells) => {
      const { fromMs, bucketMs } = bucketsIn(cells);
      return { fromUs: fromMs * 1000, bucketUs: bucketMs * 1000 };
    },
  );
  const matches = counts.cells.filter((cell) => fits(cell));
  const total = matches.reduce((sum, { count }) => sum + count, 0);
  const facet = (dimension: Dimension) => {
    const cells = counts.cells.filter((cell) => fits(cell, dimension));
    return valuesOf(cells, dimension, store);
  };
  return ok({
    ...(isCounting && total === 0 ? { counting: true } : { total }),
    asof,
    facets: { network: facet('network'), state: facet('state'), keeper: facet('keeper') },
    histogram: histogramOf(bucketsIn(counts.cells), counts.buckets),
    figures: counts.figures,
  });
}

const DIMENSIONS = ['network', 'state', 'keeper'] as const;
type Dimension = (typeof DIMENSIONS)[number];

/** Conditions of a view, without its filter on `ignored`. */
function fittingOf({ query, keepers }: ResolvedView, store: IndexStore) {
  const { networks: network, states: state, not } = query.view;
  const chosen: Record<Dimension, readonly string[]> = { network, state, keeper: keepers };
  const fitsFilter = (cell: CubeCell, column: Dimension) => {
    const value = cellValue(cell, column, store);
    const isChosen = chosen[column].length === 0 || chosen[column].includes(value);
    return isChosen && !not.some((excluded) => isSameCell(excluded, { column, value }));
  };
  return (cell: CubeCell, ignored?: Dimension) =>
    DIMENSIONS.every((dimension) => dimension === ignored || fitsFilter(cell, dimension));
}

function cellValue(cell: CubeCell, dimension: Dimension, store: IndexStore): string {
  return dimension === 'keeper' ? store.keeperName(cell.keeperId) : cell[dimension];
}

function valuesOf(cells: readonly CubeCell[], dimension: Dimension, store: IndexStore): FacetValue[] {
  const counts = new Map<string, Pick<CubeCell, 'count' | 'gone'>>();
  for (const cell of cells) {
    const value = cellValue(cell, dimension, store);
    const { count, gone } = counts.get(value) ?? { count: 0, gone: 0 };
    counts.set(value, { count: count + cell.count, gone: gone + cell.gone });
  }
  return [...counts]
    .map(([value, { count, gone }]) => ({ value, count, ...(dimension === 'state' && gone > 0 && { gone }) }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
}

/** Buckets from the start of the view (or its oldest row) to its end (or now, or the newest row). */
function histogramBuckets(
  { query, moments }: ResolvedView,
  cells: readonly CubeCell[],
  max: number,
): Buckets {
  const newestMs = Math.max(moments.untilMs, ...cells.map(({ lastUs }) => Math.floor(lastUs / 1000)));
  const endMs = query.toUs === undefined ? newestMs : Math.floor(query.toUs / 1000);
  const oldestMs = Math.min(endMs + 1, ...cells.map(({ firstUs }) => Math.floor(firstUs / 1000)));
  const startMs = query.fromUs === undefined ? oldestMs : Math.floor(query.fromUs / 1000);
  return bucketsFor(startMs, endMs, max);
}

function histogramOf({ buckets: count, ...span }: Buckets, counted: readonly BucketCount[]): Histogram {
  const buckets: BucketCounts[] = Array.from({ length: count }, noCounts);
  const gone = buckets.map(() => 0);
  for (const { bucket, state, count, gone: unserved } of counted) {
    const counts = buckets[bucket];
    if (counts === undefined) continue;
    counts[histogramState(state)] += count;
    gone[bucket] = (gone[bucket] ?? 0) + unserved;
  }
  return { ...span, buckets, gone };
}

const MAX_VALUES = 50;

/**
 * Values of a column that are not chosen yet.
 * @param find text within the value
 */
export async function columnValues(
  store: IndexStore,
  view: RequestsView,
  networks: readonly NamedNetwork[],
  { column, find }: { column: ColumnValues['column']; find: string },
): Promise<Outcome<ColumnValues>> {
  const resolved = resolveView(view, store, networks);
  if (!resolved.ok) return resolved;
  const wanted = { find, limit: MAX_VALUES };
  const { values, distinct } = await valuesOfColumn(store.engine, resolved.value.query, column, wanted);
  return ok({ column, values, more: distinct - values.length });
}
