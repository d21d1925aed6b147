import 'server-only';
import type { Engine, Session, SqlRow } from '@/lib/store/engine';
import { BEGINNING_US } from '@/lib/store/schema';
import { rowsOfIds } from './first-rows';
import { conditionOf, Parameters, type RowQuery } from './view-filter';
import { beside, keyColumns, type OrderNames, orderBy, orderKeys, type Place, placeOf } from './view-order';

/** A row of the index: what the keeper sent, and whether it still serves it. */
export type IndexedRow = { keeperId: number; wire: string; gone: boolean };

/** Where a page begins: at so many rows, or beside the place of a row. */
export type PageStart = { kind: 'offset'; offset: number } | { kind: 'after' | 'before'; place: Place };

export type RowPage = {
  rows: IndexedRow[];
  /** All matches. */
  total: number;
  /** Matches before the first row. */
  offset: number;
  /** Of the first and of the last row, where there are rows. */
  first?: Place;
  last?: Place;
};

/** One page of a view, with its total, all of one moment. */
export function pageOfView(
  engine: Engine,
  query: RowQuery,
  names: OrderNames,
  start: PageStart,
): Promise<RowPage> {
  return engine.snapshot(async (all) => {
    const counts = await countsOf(all, query, names, start);
    if (start.kind === 'offset') return pageAt(all, query, names, start.offset, counts);
    const way = start.kind === 'after' ? 'onwards' : 'backwards';
    const reading: Reading = { limit: query.view.size, skipped: 0, way, from: start };
    const page = await rowsOf(all, query, names, reading, counts);
    const { total, offset } = counts;
    return { ...page, total, offset: start.kind === 'after' ? offset : offset - page.rows.length };
  });
}

type All = Session['all'];

/**
 * Of all matches. `offset`: those up to the place and with it, or before it. `firstUs`, `lastUs`: when the oldest and the
 * newest was created, unix microseconds; null without any.
 */
type Counts = { total: number; offset: number; firstUs: number | null; lastUs: number | null };

async function countsOf(all: All, query: RowQuery, names: OrderNames, start: PageStart): Promise<Counts> {
  const parameters = new Parameters();
  let before = '0';
  if (start.kind !== 'offset') {
    const keys = orderKeys(query.view.sort, names, parameters);
    const isBeyond = beside(keys, start.place, start.kind === 'after' ? 'after' : 'before', parameters);
    before =
      start.kind === 'after'
        ? `count(*) filter (where not coalesce(${isBeyond}, false))`
        : `count(*) filter (where ${isBeyond})`;
  }
  const [row] = await all<Counts>(
    `select count(*) as total, ${before} as "offset", min(created_us) as "firstUs", max(created_us) as "lastUs"
     from requests where ${conditionOf(query, parameters)}`,
    parameters.values,
  );
  return row ?? { total: 0, offset: 0, firstUs: null, lastUs: null };
}

/** Far into a list the shorter way is from its end; the rows themselves are read once their places are known. */
async function pageAt(
  all: All,
  query: RowQuery,
  names: OrderNames,
  offset: number,
  counts: Counts,
): Promise<RowPage> {
  const { total } = counts;
  const limit = Math.max(0, Math.min(query.view.size, total - offset));
  if (limit === 0) return { rows: [], total, offset };
  const isNearEnd = offset + limit > total / 2;
  const skipped = isNearEnd ? total - offset - limit : offset;
  const reading: Reading = { limit, skipped, way: isNearEnd ? 'backwards' : 'onwards' };
  const page = await rowsOf(all, query, names, reading, counts);
  return { ...page, total, offset };
}

type Reading = {
  limit: number;
  skipped: number;
  way: 'onwards' | 'backwards';
  from?: Extract<PageStart, { place: Place }>;
};

/**
 * The places first, by narrow columns, then the rows by their ids: with both in one statement the engine reads the wide
 * columns of whole stretches of rows (50 rows of a million: 27 ms instead of 15, 250 rows: 440 instead of 45).
 */
async function rowsOf(
  all: All,
  query: RowQuery,
  names: OrderNames,
  reading: Reading,
  counts: Counts,
): Promise<Pick<RowPage, 'rows' | 'first' | 'last'>> {
  const { limit, skipped, way, from } = reading;
  const parameters = new Parameters();
  const keys = orderKeys(query.view.sort, names, parameters);
  const condition = conditionOf(query, parameters);
  const beyond = from === undefined ? '' : ` and ${beside(keys, from.place, from.kind, parameters)}`;
  const placesSince = (sinceUs: number) =>
    all<SqlRow>(
      `select cast(id as text) as id, ${keyColumns(keys)}
       from requests where ${condition}${beyond} and created_us >= ${sinceUs}
       order by ${orderBy(keys, way)} limit ${limit} offset ${skipped}`,
      parameters.values,
    );
  const isNewestFirst = query.view.sort === 'created.desc' && way === 'onwards' && from === undefined;
  const near = isNewestFirst ? await placesSince(nearEnough(counts, limit + skipped)) : [];
  const ordered = near.length === limit ? near : await placesSince(BEGINNING_US);
  if (way === 'backwards') ordered.reverse();
  const [first, last] = [ordered[0], ordered.at(-1)];
  if (first === undefined || last === undefined) return { rows: [] };
  const ids = ordered.map(({ id }) => String(id));
  const found = await rowsOfIds(all, ROW, ids);
  return { rows: found.map(indexedRow), first: placeOf(keys, first), last: placeOf(keys, last) };
}

/**
 * Since when there should be four times as many matches as are wanted, unix microseconds: the engine leaves out stretches of
 * rows that are older as a whole (50 rows of a million: 4 ms instead of 11).
 */
function nearEnough({ total, firstUs, lastUs }: Counts, wanted: number): number {
  if (firstUs === null || lastUs === null) return BEGINNING_US;
  return lastUs - Math.ceil(((lastUs - firstUs) / total) * wanted * 4);
}

const ROW = 'keeper_id, wire, gone_us is not null as gone';

function indexedRow({ keeper_id, wire, gone }: SqlRow): IndexedRow {
  return { keeperId: Number(keeper_id), wire: String(wire), gone: gone === true };
}

/** Rows of these keepers that can't be read, as they came, the newest first. */
export async function unreadableRows(
  engine: Engine,
  { keeperIds, visibleUs }: Pick<RowQuery, 'keeperIds' | 'visibleUs'>,
  limit: number,
): Promise<IndexedRow[]> {
  const parameters = new Parameters();
  const keepers = `keeper_id in ${parameters.list(keeperIds)}`;
  const seen = visibleUs === undefined ? '' : ` and first_seen_us <= ${parameters.add(visibleUs)}`;
  const rows = await engine.all<SqlRow>(
    `select ${ROW} from unreadable where ${keepers}${seen} order by first_seen_us desc, id limit ${limit}`,
    parameters.values,
  );
  return rows.map(indexedRow);
}
