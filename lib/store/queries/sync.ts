import 'server-only';
import type { Engine, Session } from '@/lib/store/engine';
import type { Interval } from '@/lib/store/sync/coverage';

/** Rows younger than this, by the newest one, may still get their outcome soon. */
const YOUNG_US = 120_000_000;
/** So many of the newest rows are read again at most. */
const MOST_READ_AGAIN = 700;

export type Head = {
  /** Creation of the newest row up to the ceiling. */
  newestUs: number;
  /** Creation of the oldest young row without an outcome. */
  oldestOpenUs: number | null;
  /** Creation of the last of the newest rows that are read again at most. */
  readAgainUs: number | null;
  /** Creation of the newest row of all. */
  highestUs: number;
};

/** What is known of the newest rows of a keeper, created up to `ceilingUs`; undefined without any. */
export async function headOf(engine: Engine, keeperId: number, ceilingUs: number): Promise<Head | undefined> {
  const [top] = await engine.all<{ newest: number | null; highest: number | null }>(
    `select max(created_us) filter (where created_us <= $2) as newest, max(created_us) as highest
     from requests where keeper_id = $1 and gone_us is null`,
    [keeperId, ceilingUs],
  );
  if (top === undefined || top.newest === null || top.highest === null) return undefined;
  const [young] = await engine.all<{ open: number | null; again: number | null }>(
    `with young as (
       select created_us, state from requests
       where keeper_id = $1 and gone_us is null and created_us between $2 and $3)
     select (select min(created_us) from young where state = 'pending') as open,
       (select created_us from young order by created_us desc limit 1 offset ${MOST_READ_AGAIN}) as again`,
    [keeperId, top.newest - YOUNG_US, top.newest],
  );
  return {
    newestUs: top.newest,
    oldestOpenUs: young?.open ?? null,
    readAgainUs: young?.again ?? null,
    highestUs: top.highest,
  };
}

/** `oldestUs`: creation of the oldest row; null without any. */
export type RowCounts = { rows: number; gone: number; unreadable: number; oldestUs: number | null };

/** What there is of a keeper. */
export async function countRows(engine: Engine, keeperId: number): Promise<RowCounts> {
  const [counts] = await engine.all<RowCounts>(
    `select count(*) as rows, count(gone_us) as gone, min(created_us) as "oldestUs",
       (select count(*) from unreadable where keeper_id = $1 and gone_us is null) as unreadable
     from requests where keeper_id = $1`,
    [keeperId],
  );
  return counts ?? { rows: 0, gone: 0, unreadable: 0, oldestUs: null };
}

/** The spans of which every row was read, newest first. */
export async function readCoverage(engine: Engine, keeperId: number): Promise<Interval[]> {
  const rows = await engine.all<{ from_us: number; to_us: number }>(
    'select from_us, to_us from coverage where keeper_id = $1 order by to_us desc',
    [keeperId],
  );
  return rows.map(({ from_us, to_us }) => ({ fromUs: from_us, toUs: to_us }));
}

export async function writeCoverage(
  session: Session,
  keeperId: number,
  intervals: readonly Interval[],
): Promise<void> {
  await session.run('delete from coverage where keeper_id = $1', [keeperId]);
  for (const { fromUs, toUs } of intervals) {
    await session.run('insert into coverage values ($1, $2, $3)', [keeperId, fromUs, toUs]);
  }
}
