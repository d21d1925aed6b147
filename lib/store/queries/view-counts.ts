import 'server-only';
import type { VALUE_COLUMNS } from '@/lib/requests/columns';
import type { Engine, Reader } from '@/lib/store/engine';
import { raw, sql } from '@/lib/store/sql';
import { type RowFigures, type StuckRows, viewFigures } from './insights';
import { likePattern, type RowQuery, viewCondition } from './view-filter';

export type CubeCell = {
  network: string;
  state: string;
  keeperId: number;
  count: number;
  /** Pending rows that their keeper no longer serves. */
  gone: number;
  /** Creation of the oldest row; `lastUs` is that of the newest. */
  firstUs: number;
  lastUs: number;
};

export type BucketCount = { bucket: number } & Pick<CubeCell, 'state' | 'count' | 'gone'>;

type BucketSpan = { fromUs: number; bucketUs: number };

type ViewCounts = { cells: CubeCell[]; buckets: BucketCount[]; figures: RowFigures };

/** Counts from one snapshot. `cells` ignore the view's filters on network, state and keeper. */
export function countsOfView(
  engine: Engine,
  query: RowQuery,
  stuck: StuckRows,
  span: (cells: readonly CubeCell[]) => BucketSpan | undefined,
): Promise<ViewCounts> {
  return engine.snapshot(async (from) => {
    const cells = await cube(from, query);
    const chosen = span(cells);
    const buckets = chosen === undefined ? [] : await rowsByBucket(from, query, chosen);
    return { cells, buckets, figures: await viewFigures(from, query, stuck) };
  });
}

const GONE = sql`count(*) filter (where state = 'pending' and gone_us is not null) as gone`;

const cube = (from: Reader, query: RowQuery) =>
  from.all<CubeCell>(
    sql`select network_id as network, state, keeper_id as "keeperId", count(*) as count,
       ${GONE}, min(created_us) as "firstUs", max(created_us) as "lastUs"
     from requests where ${viewCondition(query, ['network', 'state', 'keeper'])} group by network_id, state, keeper_id`,
  );

const rowsByBucket = (from: Reader, query: RowQuery, { fromUs, bucketUs }: BucketSpan) =>
  from.all<BucketCount>(
    sql`select cast(floor((created_us - ${fromUs}) / ${bucketUs}) as integer) as bucket, state, count(*) as count, ${GONE}
     from requests where ${viewCondition(query)} group by 1, 2`,
  );

type ColumnValue = { value: string; count: number };

/**
 * Values of a column, most frequent first, without the view's filter on it. @param find text in the values, ignoring
 * case
 */
export async function valuesOfColumn(
  engine: Engine,
  query: RowQuery,
  column: (typeof VALUE_COLUMNS)[number],
  { find = '', limit }: { find?: string | undefined; limit: number },
): Promise<{ values: ColumnValue[]; distinct: number }> {
  const name = raw(column);
  const holds =
    find === ''
      ? raw('')
      : sql`and lower(${name}) like ${`%${likePattern(find.toLowerCase())}%`} escape '\\'`;
  const counted = await engine.all<ColumnValue & { distinct: number }>(
    sql`select ${name} as value, count(*) as count, count(*) over () as "distinct"
     from requests where ${viewCondition(query, [column])} and ${name} is not null ${holds}
     group by ${name} order by count desc, value limit ${raw(limit)}`,
  );
  const values = counted.map(({ value, count }) => ({ value, count }));
  return { values, distinct: counted[0]?.distinct ?? 0 };
}

/**
 * Rows that a pinned view leaves out although they were created well before its moment: the keeper served them late.
 * `graceUs` is the minimum time from creation to the moment, and from the moment until the row was seen.
 */
export async function countOfLateRows(engine: Engine, query: RowQuery, graceUs: number): Promise<number> {
  const { visibleUs, ...unpinned } = query;
  if (visibleUs === undefined) return 0;
  const [counted] = await engine.all<{ count: number }>(
    sql`select count(*) as count from requests where ${viewCondition(unpinned)}
       and created_us < ${visibleUs - graceUs} and visible_us > ${visibleUs + graceUs}`,
  );
  return counted?.count ?? 0;
}
