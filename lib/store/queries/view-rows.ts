import 'server-only';
import { type Engine, oneRow, type Reader, type SqlRow } from '@/lib/store/engine';
import { BEGINNING_US } from '@/lib/store/schema';
import { raw, type Sql, sql, sqlList } from '@/lib/store/sql';
import { type RowQuery, unreadableCondition, viewCondition } from './view-filter';
import {
  cursorOf,
  keyColumns,
  keysetCondition,
  type OrderNames,
  orderBy,
  orderKeys,
  type RowCursor,
} from './view-order';

/** `finishedUs`: first seen finished at this time, if the keeper has since given the row a later date. */
export type IndexedRow = { keeperId: number; wire: string; gone: boolean; finishedUs: number | null };

/** Differences below 1 ms are the same time with fewer digits. */
export const FIRST_FINISH = sql`case when updated_us is null or abs(duration_us - greatest(updated_us - created_us, 0)) >= 1000
  then created_us + duration_us end as "finishedUs"`;

export type PageStart = { kind: 'offset'; offset: number } | { kind: 'after' | 'before'; place: RowCursor };

type RowPage = {
  rows: IndexedRow[];
  total: number;
  /** Number of matches before the first row. */
  offset: number;
  /** Cursors of the first and the last row; absent if there are no rows. */
  first?: RowCursor;
  last?: RowCursor;
  /** Unreadable rows of the view, newest first. */
  unreadable: IndexedRow[];
};

type RecordPage = Omit<RowPage, 'unreadable'>;

/** Rows of a page from one snapshot, so that rows which arrive together appear together. */
export function pageOfView(
  engine: Engine,
  query: RowQuery,
  names: OrderNames,
  start: PageStart,
  maxUnreadable = 0,
): Promise<RowPage> {
  return engine.snapshot(async (from) => ({
    ...(await recordsOfView(from, query, names, start)),
    unreadable: maxUnreadable === 0 ? [] : await unreadableRows(from, query, maxUnreadable),
  }));
}

async function recordsOfView(
  from: Reader,
  query: RowQuery,
  names: OrderNames,
  start: PageStart,
): Promise<RecordPage> {
  const counts = await countsOf(from, query, names, start);
  if (start.kind === 'offset') return pageAt(from, query, names, start.offset, counts);
  const reading = start.kind === 'after' ? 'forward' : 'backward';
  const slice: PageSlice = { limit: query.view.size, skipped: 0, reading, start };
  const page = await rowsOf(from, query, names, slice, counts);
  const { total, offset } = counts;
  return { ...page, total, offset: start.kind === 'after' ? offset : offset - page.rows.length };
}

/** `offset` counts the matches before the cursor, or up to and including it. */
type Counts = { total: number; offset: number; firstUs: number | null; lastUs: number | null };

function countsOf(from: Reader, query: RowQuery, names: OrderNames, start: PageStart): Promise<Counts> {
  let rowsBefore = raw('0');
  if (start.kind !== 'offset') {
    const isBeyondCursor = keysetCondition(orderKeys(query.view.sort, names), start.place, start.kind);
    const isBefore = start.kind === 'after' ? sql`not coalesce(${isBeyondCursor}, false)` : isBeyondCursor;
    rowsBefore = sql`count(*) filter (where ${isBefore})`;
  }
  return oneRow(
    from,
    sql`select count(*) as total, ${rowsBefore} as "offset", min(created_us) as "firstUs", max(created_us) as "lastUs"
     from requests where ${viewCondition(query)}`,
  );
}

/** Reads from the nearer end of the list. */
async function pageAt(
  from: Reader,
  query: RowQuery,
  names: OrderNames,
  offset: number,
  counts: Counts,
): Promise<RecordPage> {
  const { total } = counts;
  const limit = Math.max(0, Math.min(query.view.size, total - offset));
  if (limit === 0) return { rows: [], total, offset };
  const isNearEnd = offset + limit > total / 2;
  const skipped = isNearEnd ? total - offset - limit : offset;
  const slice: PageSlice = { limit, skipped, reading: isNearEnd ? 'backward' : 'forward' };
  const page = await rowsOf(from, query, names, slice, counts);
  return { ...page, total, offset };
}

type PageSlice = {
  limit: number;
  skipped: number;
  reading: 'forward' | 'backward';
  start?: Extract<PageStart, { place: RowCursor }>;
};

/** Keys come from narrow columns: in one statement, the engine would read the wide columns of all rows it passes. */
async function rowsOf(
  from: Reader,
  query: RowQuery,
  names: OrderNames,
  slice: PageSlice,
  counts: Counts,
): Promise<Pick<RecordPage, 'rows' | 'first' | 'last'>> {
  const { limit, skipped, reading, start } = slice;
  const keys = orderKeys(query.view.sort, names);
  const beyond = start === undefined ? raw('') : sql`and ${keysetCondition(keys, start.place, start.kind)}`;
  const keysSince = (sinceUs: number) =>
    from.all(
      sql`select cast(id as text) as id, ${keyColumns(keys)}
       from requests where ${viewCondition(query)} ${beyond} and created_us >= ${raw(sinceUs)}
       order by ${orderBy(keys, reading)} limit ${raw(limit)} offset ${raw(skipped)}`,
    );
  const isNewestFirst = query.view.sort === 'created.desc' && reading === 'forward' && start === undefined;
  const near = isNewestFirst ? await keysSince(recentEnough(counts, limit + skipped)) : [];
  const ordered = near.length === limit ? near : await keysSince(BEGINNING_US);
  if (reading === 'backward') ordered.reverse();
  const first = ordered[0];
  const last = ordered.at(-1);
  if (first === undefined || last === undefined) return { rows: [] };
  const ids = ordered.map(({ id }) => String(id));
  const rows = await rowsOfIds<IndexedRow>(from, ROW, ids);
  return { rows, first: cursorOf(keys, first), last: cursorOf(keys, last) };
}

/**
 * Time from which matches are recent enough: four times as many as needed should be newer. The engine then skips blocks
 * of older rows.
 */
function recentEnough({ total, firstUs, lastUs }: Counts, wanted: number): number {
  if (firstUs === null || lastUs === null) return BEGINNING_US;
  return lastUs - Math.ceil(((lastUs - firstUs) / total) * wanted * 4);
}

const SENT_COLUMNS = sql`keeper_id as "keeperId", wire, gone_us is not null as gone`;
const ROW = sql`${SENT_COLUMNS}, ${FIRST_FINISH}`;

function unreadableRows(from: Reader, query: RowQuery, limit: number): Promise<IndexedRow[]> {
  return from.all(
    sql`select ${SENT_COLUMNS}, cast(null as bigint) as "finishedUs" from unreadable where ${unreadableCondition(query)} order by first_seen_us desc, id limit ${raw(limit)}`,
  );
}

/**
 * Rows in the order of the ids.
 * @param columns SQL of the columns to return
 */
export async function rowsOfIds<Row extends SqlRow>(
  from: Reader,
  columns: Sql,
  ids: readonly string[],
): Promise<Row[]> {
  if (ids.length === 0) return [];
  // A list of values uses the index of ids. A subquery would be compared with every row.
  const places = sqlList(ids.map((id) => sql`cast(${id} as uuid)`));
  const rows = await from.all<Row & { rowId: string }>(
    sql`select cast(id as text) as "rowId", ${columns} from requests where id in ${places}`,
  );
  // The type system cannot express that the remaining members are a `Row`.
  const byId = new Map(rows.map(({ rowId, ...row }) => [rowId, row as unknown as Row]));
  return ids.map((id) => byId.get(id)).filter((row) => row !== undefined);
}

export type FirstRows = { where: Sql; order: Sql; limit: number };

/** Ids come from narrow columns: in one statement, the engine would read all columns of every match. */
export async function firstRows<Row extends SqlRow>(
  from: Reader,
  columns: Sql,
  { where, order, limit }: FirstRows,
): Promise<Row[]> {
  const ids = await from.all<{ id: string }>(
    sql`select cast(id as text) as id from requests where ${where} order by ${order} limit ${raw(limit)}`,
  );
  const rowIds = ids.map(({ id }) => id);
  return rowsOfIds<Row>(from, columns, rowIds);
}
