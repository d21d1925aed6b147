import 'server-only';
import * as z from 'zod';
import { tryParseJson } from '@/lib/core/text';
import { type Engine, oneRow, type Session } from '@/lib/store/engine';
import type { StoredRead } from '@/lib/store/keeper-reads';
import { raw, type Sql, sql, sqlList } from '@/lib/store/sql';

/** A time span, unix microseconds, both ends included. As coverage of a keeper: a span of which every row was read. */
export type Interval = { fromUs: number; toUs: number };

/** Age up to which a row may still get its outcome, counted from the newest row. */
const YOUNG_US = 120_000_000;
const MAX_READ_AGAIN = 700;

export type Head = {
  /** Creation of the newest row that is not above the ceiling. */
  newestUs: number;
  /** Null if every recent row has an outcome. */
  oldestOpenUs: number | null;
  readAgainUs: number | null;
  /** Creation of the newest row, without a ceiling. */
  highestUs: number;
};

const servedBy = (keeperId: number) => sql`from requests where keeper_id = ${keeperId} and gone_us is null`;

const servedIn = (keeperId: number, { fromUs, toUs }: Interval) =>
  sql`${servedBy(keeperId)} and created_us between ${fromUs} and ${toUs}`;

/** Undefined if no row was created up to `ceilingUs`. */
export async function readHead(
  engine: Engine,
  keeperId: number,
  ceilingUs: number,
): Promise<Head | undefined> {
  const all = servedBy(keeperId);
  const top = await oneRow<{ newestUs: number | null; highestUs: number | null }>(
    engine.background,
    sql`select (select max(created_us) ${all} and created_us <= ${ceilingUs}) as "newestUs",
       (select max(created_us) ${all}) as "highestUs"`,
  );
  const { newestUs, highestUs } = top;
  if (newestUs === null || highestUs === null) return undefined;
  const young = await oneRow<Pick<Head, 'oldestOpenUs' | 'readAgainUs'>>(
    engine.background,
    sql`with young as (select created_us, state ${servedIn(keeperId, { fromUs: newestUs - YOUNG_US, toUs: newestUs })})
     select (select min(created_us) from young where state = 'pending') as "oldestOpenUs",
       (select created_us from young order by created_us desc limit 1 offset ${raw(MAX_READ_AGAIN)}) as "readAgainUs"`,
  );
  return { newestUs, highestUs, ...young };
}

export type RowCounts = { rows: number; gone: number; unreadable: number; oldestUs: number | null };

export const countRows = (engine: Engine, keeperId: number) =>
  oneRow<RowCounts>(
    engine.background,
    engine.dialect.counts?.ofKeeper(keeperId) ??
      sql`select count(*) as rows, count(gone_us) as gone, min(created_us) as "oldestUs",
       (select count(*) from unreadable where keeper_id = ${keeperId} and gone_us is null) as unreadable
     from requests where keeper_id = ${keeperId}`,
  );

/** Rows that the service no longer has are included. */
export async function rowsWithin(
  engine: Engine,
  keeperId: number,
  { fromUs, toUs }: Interval,
): Promise<number> {
  const finding = sql`select count(*) as rows from requests
    where keeper_id = ${keeperId} and created_us between ${fromUs} and ${toUs}`;
  return (await oneRow<{ rows: number }>(engine.background, finding)).rows;
}

/** Rows created up to `toUs` that were marked as gone since `sinceUs`. */
export async function goneSince(
  engine: Engine,
  keeperId: number,
  { toUs, sinceUs }: { toUs: number; sinceUs: number },
): Promise<number> {
  const counting = sql`select count(*) as rows from requests
    where keeper_id = ${keeperId} and created_us <= ${toUs} and gone_us >= ${sinceUs}`;
  return (await oneRow<{ rows: number }>(engine.background, counting)).rows;
}

/** Span of the newest `rows` rows created before a moment that are marked as gone; null if there is none. */
export async function goneSpan(
  engine: Engine,
  keeperId: number,
  beforeUs: number,
  rows: number,
): Promise<Interval | null> {
  const newest = sql`select created_us from requests where keeper_id = ${keeperId} and gone_us is not null
    and created_us < ${beforeUs} order by created_us desc limit ${raw(rows)}`;
  const { fromUs, toUs } = await oneRow<{ fromUs: number | null; toUs: number | null }>(
    engine.background,
    sql`select min(created_us) as "fromUs", max(created_us) as "toUs" from (${newest}) as newest`,
  );
  return fromUs === null || toUs === null ? null : { fromUs, toUs };
}

/** Rows served at some time since a moment, as far as is known. */
export async function servedSince(
  engine: Engine,
  keeperId: number,
  { toUs, sinceUs }: { toUs: number; sinceUs: number },
): Promise<number> {
  const counting = sql`select count(*) as rows from requests
    where keeper_id = ${keeperId} and created_us <= ${toUs} and (gone_us is null or gone_us >= ${sinceUs})`;
  return (await oneRow<{ rows: number }>(engine.background, counting)).rows;
}

/** 0 if there is none. */
export async function newestRowUs(engine: Engine, keeperId: number): Promise<number> {
  const finding = sql`select coalesce(max(created_us), 0) as newest from requests where keeper_id = ${keeperId}`;
  return (await oneRow<{ newest: number }>(engine.background, finding)).newest;
}

/** Newest first. */
export const readCoverage = (engine: Engine, keeperId: number) =>
  engine.background.all<Interval>(
    sql`select from_us as "fromUs", to_us as "toUs" from coverage where keeper_id = ${keeperId} order by to_us desc`,
  );

export async function writeCoverage(session: Session, keeperId: number, intervals: readonly Interval[]) {
  await session.run(sql`delete from coverage where keeper_id = ${keeperId}`);
  for (const { fromUs, toUs } of intervals)
    await session.run(sql`insert into coverage values (${keeperId}, ${fromUs}, ${toUs})`);
}

export type TrackedRow = { id: string; createdUs: number };

export const rowsOfState = (
  engine: Engine,
  keeperId: number,
  state: string,
  fromUs: number,
  beforeUs: number,
) =>
  engine.background.all<TrackedRow>(
    sql`select cast(id as text) as id, created_us as "createdUs" ${servedBy(keeperId)}
     and state = ${state} and created_us >= ${fromUs} and created_us < ${beforeUs} order by created_us desc`,
  );

export const COUNTED_STATES = ['all', 'pending', 'failed', 'completed', 'callback-failed'] as const;
export type CountedState = (typeof COUNTED_STATES)[number];
export type Counts = Record<CountedState, number>;

/** Rows that the service should have. */
export function countsIn(engine: Engine, keeperId: number, span: Interval): Promise<Counts> {
  const [, ...states] = COUNTED_STATES;
  const byState = states.map((state) => `count(*) filter (where state = '${state}') as "${state}"`);
  return oneRow(
    engine.background,
    sql`select count(*) as "all", ${raw(byState.join(', '))} ${servedIn(keeperId, span)}`,
  );
}

/** Creation of the row at a fraction of a span's rows, 0.5 for the middle. */
export async function momentOfShare(engine: Engine, keeperId: number, span: Interval, share: number) {
  const disc = sql`percentile_disc(${raw(share)}) within group (order by created_us)`;
  const finding = sql`select ${disc} as moment ${servedIn(keeperId, span)}`;
  return (await oneRow<{ moment: number | null }>(engine.background, finding)).moment;
}

/** Creation of the row `rows` rows from an end of the span, or of the last one; null if there is none. */
export async function momentAtRowOffset(
  engine: Engine,
  keeperId: number,
  { fromUs, toUs }: Interval,
  side: 'after' | 'before',
  rows: number,
) {
  const isAfter = side === 'after';
  const within = isAfter
    ? sql`created_us > ${fromUs} and created_us <= ${toUs}`
    : sql`created_us < ${toUs} and created_us >= ${fromUs}`;
  const order = raw(isAfter ? 'asc' : 'desc');
  const edgeRows = sql`select created_us ${servedBy(keeperId)} and ${within} order by created_us ${order} limit ${raw(rows)}`;
  const edge = side === 'after' ? raw('max(created_us)') : raw('min(created_us)');
  return (
    await oneRow<{ moment: number | null }>(
      engine.background,
      sql`select ${edge} as moment from (${edgeRows}) as some_rows`,
    )
  ).moment;
}

export async function hasMicroseconds(engine: Engine, keeperId: number): Promise<boolean> {
  const rowsWithMicros = sql`select 1 from requests where keeper_id = ${keeperId} and created_us % 1000 <> 0`;
  return (
    await oneRow<{ exists: boolean }>(engine.background, sql`select exists (${rowsWithMicros}) as "exists"`)
  ).exists;
}

export async function idsIn(engine: Engine, keeperId: number, span: Interval): Promise<string[]> {
  const finding = sql`select cast(id as text) as id ${servedIn(keeperId, span)}`;
  return (await engine.background.all<{ id: string }>(finding)).map(({ id }) => id);
}

const IDS_PER_STATEMENT = 500;

/** Rows that the service no longer has. `unreadable`: all unreadable ones. */
export type GoneRows = { ids: readonly string[] } | { span: Interval } | 'unreadable';

export async function markGone(
  session: Session,
  keeperId: number,
  gone: GoneRows,
  nowUs: number,
  revision: number,
): Promise<void> {
  const mark = (table: string, which: Sql) =>
    session.run(
      sql`update ${raw(table)} set gone_us = ${nowUs}, rev = ${revision}
       where keeper_id = ${keeperId} and gone_us is null and ${which}`,
    );
  if (gone === 'unreadable') return mark('unreadable', raw('true'));
  if ('span' in gone) {
    return mark('requests', sql`created_us between ${gone.span.fromUs} and ${gone.span.toUs}`);
  }
  for (let start = 0; start < gone.ids.length; start += IDS_PER_STATEMENT) {
    const batch = gone.ids.slice(start, start + IDS_PER_STATEMENT).map((id) => sql`cast(${id} as uuid)`);
    await mark('requests', sql`id in ${sqlList(batch)}`);
  }
}

export async function readFact(engine: Engine, keeperId: number, name: string): Promise<string | undefined> {
  const finding = sql`select value from keeper_facts where keeper_id = ${keeperId} and name = ${name}`;
  return (await engine.background.all<{ value: string }>(finding))[0]?.value;
}

export const writeFact = (session: Session, keeperId: number, name: string, value: string) =>
  session.run(
    sql`insert into keeper_facts values (${keeperId}, ${name}, ${value})
     on conflict (keeper_id, name) do update set value = excluded.value`,
  );

const READ_FACT = 'read';
const storedReadForm = z.object({ upToMs: z.number(), clockAheadMs: z.number() });

export const writeRead = (session: Session, keeperId: number, read: StoredRead) =>
  writeFact(session, keeperId, READ_FACT, JSON.stringify(read));

/** An index of an older version has no read: rows became visible at the read before theirs. Undefined without rows. */
export async function readLastRead(engine: Engine, keeperId: number): Promise<StoredRead | undefined> {
  const text = await readFact(engine, keeperId, READ_FACT);
  const stored = storedReadForm.safeParse(tryParseJson(text ?? ''));
  if (stored.success) return stored.data;
  const finding = sql`select max(visible_us) as us from requests where keeper_id = ${keeperId}`;
  const { us } = await oneRow<{ us: number | null }>(engine.background, finding);
  return us === null ? undefined : { upToMs: Math.floor(us / 1000), clockAheadMs: 0 };
}

/** A span in which the service's count differs from what it delivers, even after reading it again. */
export type Discrepancy = Interval & { state: CountedState; theirs: number; ours: number };

export const readDiscrepancies = (engine: Engine, keeperId: number) =>
  engine.background.all<Discrepancy>(
    sql`select state, from_us as "fromUs", to_us as "toUs", theirs, ours from discrepancies
     where keeper_id = ${keeperId} order by from_us`,
  );

export async function writeDiscrepancies(
  session: Session,
  keeperId: number,
  all: readonly Discrepancy[],
  nowUs: number,
): Promise<void> {
  await session.run(sql`delete from discrepancies where keeper_id = ${keeperId}`);
  for (const { state, fromUs, toUs, theirs, ours } of all) {
    const values = sqlList([keeperId, state, fromUs, toUs, theirs, ours, nowUs]);
    await session.run(sql`insert into discrepancies values ${values}`);
  }
}

/**
 * Deletes `limit` rows of each table, and any others of the same microsecond. RETURNING is avoided, because the engine
 * would fetch each row separately. @returns whether there may be more
 */
export async function deleteOldest(
  session: Session,
  keeperId: number,
  beforeUs: number,
  limit: number,
): Promise<boolean> {
  const deleted = async (table: string, moment: string): Promise<boolean> => {
    const older = sql`from ${raw(table)} where keeper_id = ${keeperId} and ${raw(moment)} < ${beforeUs}`;
    const oldest = sql`select ${raw(moment)} as moment ${older} order by 1 limit ${raw(limit)}`;
    const { rows, toUs } = await oneRow<{ rows: number; toUs: number | null }>(
      session,
      sql`select count(*) as rows, max(moment) as "toUs" from (${oldest}) as oldest`,
    );
    if (toUs !== null) await session.run(sql`delete ${older} and ${raw(moment)} <= ${toUs}`);
    return rows === limit;
  };
  const moreRows = await deleted('requests', 'created_us');
  const moreUnreadable = await deleted('unreadable', 'last_seen_us');
  return moreRows || moreUnreadable;
}
