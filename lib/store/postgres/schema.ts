import 'server-only';
import { type Dialect, oneRow, type Session, transact } from '@/lib/store/engine';
import { INCIDENT_SCHEMA, INDEX_SCHEMA, migrate, type Schema } from '@/lib/store/schema';
import { raw, sql } from '@/lib/store/sql';

/** A released migration never changes. */
const POSTGRES_STEPS: Schema = [
  [
    // Views are counted and drawn from this index alone. record-row.ts limits the length of its texts.
    `create index requests_by_time on requests (created_us desc, id)
       include (keeper_id, network_id, state, visible_us, gone_us, duration_us, failure, rev)`,
    `create index requests_by_state on requests (keeper_id, state, created_us desc)
       where state in ('pending', 'failed')`,
    'create index requests_by_sequence on requests (sequence)',
    'create index requests_by_request_tx on requests using hash (request_tx)',
    'create index requests_by_reveal_tx on requests using hash (reveal_tx)',
    'create index requests_by_sender on requests using hash (sender)',
    `create table shared_state (
      id integer primary key,
      term bigint not null,
      revision bigint not null,
      epoch bigint not null,
      seen_ms bigint not null
    )`,
    'insert into shared_state values (1, 0, 1, 0, 0)',
    `create table leader (
      id integer primary key,
      term bigint not null,
      pid integer,
      beat timestamptz not null,
      watched timestamptz not null,
      status text not null
    )`,
    `insert into leader values (1, 0, null, '2000-01-01', '2000-01-01', '{}')`,
    'create table ended_sessions (id text primary key, until_s bigint not null)',
  ],
  // Triggers keep these counts up to date. They replace full scans.
  [
    `create table state_counts (
      keeper_id integer not null,
      network_id text not null,
      state text not null,
      rows bigint not null,
      gone bigint not null,
      rev bigint not null,
      primary key (keeper_id, network_id, state)
    )`,
    `create function count_requests() returns trigger language plpgsql set search_path from current as $$
    begin
      if tg_op <> 'INSERT' then
        insert into state_counts as c
          select keeper_id, network_id, state, -count(*), -count(gone_us), 0 from rows_before group by 1, 2, 3
          on conflict (keeper_id, network_id, state) do update
            set rows = c.rows + excluded.rows, gone = c.gone + excluded.gone;
      end if;
      if tg_op <> 'DELETE' then
        insert into state_counts as c
          select keeper_id, network_id, state, count(*), count(gone_us), max(rev) from rows_after group by 1, 2, 3
          on conflict (keeper_id, network_id, state) do update
            set rows = c.rows + excluded.rows, gone = c.gone + excluded.gone, rev = greatest(c.rev, excluded.rev);
      end if;
      return null;
    end $$`,
    ...Object.entries({
      insert: 'new table as rows_after',
      update: 'old table as rows_before new table as rows_after',
      delete: 'old table as rows_before',
    }).map(
      ([change, tables]) => `create trigger count_${change} after ${change} on requests
        referencing ${tables} for each statement execute function count_requests()`,
    ),
    `insert into state_counts
       select keeper_id, network_id, state, count(*), count(gone_us), max(rev) from requests group by 1, 2, 3`,
    'create index requests_by_group on requests (keeper_id, network_id, state, created_us) include (gone_us)',
  ],
];

const OF_GROUP = raw(
  'from requests r where (r.keeper_id, r.network_id, r.state) = (c.keeper_id, c.network_id, c.state)',
);

export const COUNTS: NonNullable<Dialect['counts']> = {
  ofStates: (
    keeperId,
    daySinceUs,
  ) => sql`select c.network_id as "networkId", c.state, c.rows, c.rows - c.gone as live, coalesce(day.rows, 0) as "lastDay",
      (select max(created_us) ${OF_GROUP}) as "newestUs",
      case when c.rows > c.gone then (select min(created_us) ${OF_GROUP} and gone_us is null) end as "oldestLiveUs", c.rev
    from state_counts c left join (
      select network_id, state, count(*) as rows from requests
      where keeper_id = ${keeperId} and created_us >= ${daySinceUs} group by 1, 2
    ) as day using (network_id, state)
    where c.keeper_id = ${keeperId} and c.rows > 0 order by c.network_id, c.state`,
  ofKeeper: (
    keeperId,
  ) => sql`select cast(coalesce(sum(c.rows), 0) as bigint) as rows, cast(coalesce(sum(c.gone), 0) as bigint) as gone,
      min((select min(created_us) ${OF_GROUP})) as "oldestUs",
      (select count(*) from unreadable where keeper_id = ${keeperId} and gone_us is null) as unreadable
    from state_counts c where c.keeper_id = ${keeperId}`,
};

const MIN_VERSION = 150_000;

/** One instance migrates at a time. @throws NewerSchemaError, Error of PostgreSQL */
export async function migratePostgres(session: Session, schema: string): Promise<void> {
  const server = await oneRow<{ number: number; version: string }>(
    session,
    `select cast(current_setting('server_version_num') as integer) as number, current_setting('server_version') as version`,
  );
  if (server.number < MIN_VERSION) {
    throw new Error(`PostgreSQL 15 or newer is needed, and this is ${server.version}`);
  }
  await transact(session, async ({ all, run }) => {
    await run(sql`select pg_advisory_xact_lock(hashtextextended(${schema}, 1))`);
    const rows = await all(sql`select 1 as known from pg_namespace where nspname = ${schema}`);
    if (rows.length === 0) await run(`create schema "${schema.replaceAll('"', '""')}"`);
    const database = { all, write: <T>(work: (session: Session) => Promise<T>) => work(session) };
    await migrate(database, INDEX_SCHEMA);
    await migrate(database, INCIDENT_SCHEMA, { table: 'incident_schema_version' });
    await migrate(database, POSTGRES_STEPS, { table: 'postgres_schema_version' });
  });
}
