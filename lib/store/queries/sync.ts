import 'server-only';
import type { Engine, Session } from '@/lib/store/engine';

/** A span of moments, unix microseconds, both ends included; in the coverage of a keeper every row of it was read. */
export type Interval = { fromUs: number; toUs: number };

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

const OF_KEEPER = 'from requests where keeper_id = $1 and gone_us is null';

/** What is known of the newest rows of a keeper, created up to `ceilingUs`; undefined without any. */
export async function headOf(engine: Engine, keeperId: number, ceilingUs: number): Promise<Head | undefined> {
  const [top] = await engine.all<{ newest: number | null; highest: number | null }>(
    `select (select max(created_us) ${OF_KEEPER} and created_us <= $2) as newest,
       (select max(created_us) ${OF_KEEPER}) as highest`,
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
    engine.dialect.counts?.ofKeeper ??
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

/** A row as the sync looks after it. */
export type HeldRow = { id: string; createdUs: number };

/** Rows of a state that the service had when it was last asked, created in a span. */
export function rowsOfState(
  engine: Engine,
  keeperId: number,
  state: string,
  fromUs: number,
  beforeUs: number,
): Promise<HeldRow[]> {
  return engine.all<HeldRow>(
    `select cast(id as text) as id, created_us as "createdUs" from requests
     where keeper_id = $1 and state = $2 and gone_us is null and created_us >= $3 and created_us < $4
     order by created_us desc`,
    [keeperId, state, fromUs, beforeUs],
  );
}

/** What a count is of: all rows, or those in one of the states that the service knows to count. */
export const COUNTED = ['all', 'pending', 'failed', 'completed', 'callback-failed'] as const;
export type Counted = (typeof COUNTED)[number];
export type Counts = Record<Counted, number>;

/** How many rows the service should have in a span, both ends included, in all and by state. */
export async function countsIn(engine: Engine, keeperId: number, span: Interval): Promise<Counts> {
  const [, ...states] = COUNTED;
  const byState = states.map((state) => `count(*) filter (where state = '${state}') as "${state}"`);
  const [counts] = await engine.all<Counts>(
    `select count(*) as "all", ${byState.join(', ')} from requests
     where keeper_id = $1 and gone_us is null and created_us between $2 and $3`,
    [keeperId, span.fromUs, span.toUs],
  );
  return counts ?? { all: 0, pending: 0, failed: 0, completed: 0, 'callback-failed': 0 };
}

/** Creation of the row that stands at a share of a span, by count, 0.5 for its middle; null where it has none. */
export async function momentAt(
  engine: Engine,
  keeperId: number,
  span: Interval,
  share: number,
): Promise<number | null> {
  const [row] = await engine.all<{ moment: number | null }>(
    `select percentile_disc(${Number(share)}) within group (order by created_us) as moment from requests
     where keeper_id = $1 and gone_us is null and created_us between $2 and $3`,
    [keeperId, span.fromUs, span.toUs],
  );
  return row?.moment ?? null;
}

/** Whether some row was created at a fraction of a millisecond. */
export async function hasMicroseconds(engine: Engine, keeperId: number): Promise<boolean> {
  const [row] = await engine.all<{ found: boolean }>(
    'select exists (select 1 from requests where keeper_id = $1 and created_us % 1000 <> 0) as found',
    [keeperId],
  );
  return row?.found === true;
}

/** Rows of a span that the service should have. */
export async function idsIn(engine: Engine, keeperId: number, span: Interval): Promise<string[]> {
  const rows = await engine.all<{ id: string }>(
    `select cast(id as text) as id from requests
     where keeper_id = $1 and gone_us is null and created_us between $2 and $3`,
    [keeperId, span.fromUs, span.toUs],
  );
  return rows.map(({ id }) => id);
}

/** So many ids go into one statement. */
const IDS_AT_ONCE = 500;

/** The service no longer has these rows. */
export async function markGone(
  session: Session,
  ids: readonly string[],
  nowUs: number,
  revision: number,
): Promise<void> {
  for (let start = 0; start < ids.length; start += IDS_AT_ONCE) {
    const some = ids.slice(start, start + IDS_AT_ONCE);
    await session.run(
      `update requests set gone_us = $1, rev = $2
       where gone_us is null and id in (${some.map((_, at) => `cast($${at + 3} as uuid)`).join(', ')})`,
      [nowUs, revision, ...some],
    );
  }
}

/** The service no longer has any row of this span. */
export async function markSpanGone(
  session: Session,
  keeperId: number,
  span: Interval,
  nowUs: number,
  revision: number,
): Promise<void> {
  await session.run(
    `update requests set gone_us = $1, rev = $2
     where keeper_id = $3 and gone_us is null and created_us between $4 and $5`,
    [nowUs, revision, keeperId, span.fromUs, span.toUs],
  );
}

/** The service no longer sends what could not be read. */
export async function markUnreadableGone(
  session: Session,
  keeperId: number,
  nowUs: number,
  revision: number,
): Promise<void> {
  await session.run('update unreadable set gone_us = $1, rev = $2 where keeper_id = $3 and gone_us is null', [
    nowUs,
    revision,
    keeperId,
  ]);
}

/** In this span the service counts other than it delivers, and reading it again changes nothing. */
export type Discrepancy = Interval & { state: Counted; theirs: number; ours: number };

export async function readDiscrepancies(engine: Engine, keeperId: number): Promise<Discrepancy[]> {
  return engine.all<Discrepancy>(
    `select state, from_us as "fromUs", to_us as "toUs", theirs, ours from discrepancies
     where keeper_id = $1 order by from_us`,
    [keeperId],
  );
}

/** What is known of a span takes the place of what was known before. */
export async function writeDiscrepancies(
  session: Session,
  keeperId: number,
  all: readonly Discrepancy[],
  nowUs: number,
): Promise<void> {
  await session.run('delete from discrepancies where keeper_id = $1', [keeperId]);
  for (const { state, fromUs, toUs, theirs, ours } of all) {
    await session.run('insert into discrepancies values ($1, $2, $3, $4, $5, $6, $7)', [
      keeperId,
      state,
      fromUs,
      toUs,
      theirs,
      ours,
      nowUs,
    ]);
  }
}

/**
 * Deletes rows created before a moment, and unreadable ones last seen before it, unix microseconds.
 * @param most at most so many of each
 * @returns how many of those there are most of
 */
export async function deleteUpTo(
  session: Session,
  keeperId: number,
  beforeUs: number,
  most: number,
): Promise<number> {
  const deleted = async (table: string, moment: string) => {
    const ids = await session.all(
      `delete from ${table} where id in
         (select id from ${table} where keeper_id = $1 and ${moment} < $2 limit ${most})
       returning id`,
      [keeperId, beforeUs],
    );
    return ids.length;
  };
  return Math.max(await deleted('requests', 'created_us'), await deleted('unreadable', 'last_seen_us'));
}
