import 'server-only';
import type { Engine, Session } from '@/lib/store/engine';
import { type StuckBefore, type ViewFigures, viewFigures } from './insights';
import { conditionOf, likePattern, type OwnFilter, Parameters, type RowQuery } from './view-filter';

/** Rows that have this network, this state and this keeper. */
export type CubeCell = {
  network: string;
  state: string;
  keeperId: number;
  count: number;
  /** When the oldest and the newest of them was created, unix microseconds. */
  firstUs: number;
  lastUs: number;
};

/** Rows of a state that were created in a bucket. */
export type BucketCount = { bucket: number; state: string; count: number };

/** Buckets of equal length, unix microseconds. */
export type BucketSpan = { fromUs: number; bucketUs: number };

export type ViewCounts = { cells: CubeCell[]; buckets: BucketCount[]; figures: ViewFigures };

/**
 * All rows of a view whatever its networks, states and keepers, by these three, and those of the view itself by time and
 * in figures, of one moment.
 * @param span chooses the buckets from what there is; undefined for none
 */
export function countsOfView(
  engine: Engine,
  query: RowQuery,
  stuck: StuckBefore,
  span: (cells: readonly CubeCell[]) => BucketSpan | undefined,
): Promise<ViewCounts> {
  return engine.snapshot(async (all) => {
    const cells = await cube(all, query);
    const chosen = span(cells);
    const buckets = chosen === undefined ? [] : await bucketsOf(all, query, chosen);
    return { cells, buckets, figures: await viewFigures(all, query, stuck) };
  });
}

type All = Session['all'];

function cube(all: All, query: RowQuery): Promise<CubeCell[]> {
  const parameters = new Parameters();
  const condition = conditionOf(query, parameters, ['network', 'state', 'keeper']);
  return all<CubeCell>(
    `select network_id as network, state, keeper_id as "keeperId", count(*) as count,
       min(created_us) as "firstUs", max(created_us) as "lastUs"
     from requests where ${condition} group by network_id, state, keeper_id`,
    parameters.values,
  );
}

function bucketsOf(all: All, query: RowQuery, { fromUs, bucketUs }: BucketSpan): Promise<BucketCount[]> {
  const parameters = new Parameters();
  const bucket = `cast(floor((created_us - ${parameters.add(fromUs)}) / ${parameters.add(bucketUs)}) as integer)`;
  return all<BucketCount>(
    `select ${bucket} as bucket, state, count(*) as count
     from requests where ${conditionOf(query, parameters)} group by 1, 2`,
    parameters.values,
  );
}

/** Columns whose values are offered by their counts. */
export type ValueColumn = Extract<OwnFilter, 'sender' | 'provider' | 'failure'>;

export type ColumnValue = { value: string; count: number };

/**
 * The most frequent values of a column among the rows of the view without its filter on that column.
 * @param find text that the values hold, in any case
 */
export async function valuesOfColumn(
  engine: Engine,
  query: RowQuery,
  column: ValueColumn,
  { find = '', limit }: { find?: string | undefined; limit: number },
): Promise<{ values: ColumnValue[]; distinct: number }> {
  const parameters = new Parameters();
  const condition = conditionOf(query, parameters, [column]);
  const holds =
    find === ''
      ? ''
      : ` and lower(${column}) like ${parameters.add(`%${likePattern(find.toLowerCase())}%`)} escape '\\'`;
  const found = await engine.all<ColumnValue & { distinct: number }>(
    `select ${column} as value, count(*) as count, count(*) over () as "distinct"
     from requests where ${condition} and ${column} is not null${holds}
     group by ${column} order by count desc, value limit ${limit}`,
    parameters.values,
  );
  return {
    values: found.map(({ value, count }) => ({ value, count })),
    distinct: found[0]?.distinct ?? 0,
  };
}
