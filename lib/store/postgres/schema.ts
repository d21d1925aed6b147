import 'server-only';
import type { Session } from '@/lib/store/engine';
import { INCIDENT_SCHEMA, INDEX_SCHEMA, migrate, type Schema } from '@/lib/store/schema';

/** What only PostgreSQL has, a step after the other; a released step never changes. */
const OWN_SCHEMA: Schema = [
  [
    // A view counts and draws what it lists from this alone. A text of any length has no room in it: they are short (record-row.ts).
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
];

const OLDEST_VERSION = 150_000;

/**
 * Brings the tables of a database up to date, one instance at a time; the schema is made where it is missing.
 * @throws NewerSchemaError, Error of PostgreSQL
 */
export async function migratePostgres({ all, run }: Session, schema: string): Promise<void> {
  const [server] = await all<{ number: number; version: string }>(
    `select cast(current_setting('server_version_num') as integer) as number, current_setting('server_version') as version`,
  );
  if (server !== undefined && server.number < OLDEST_VERSION) {
    throw new Error(`PostgreSQL 15 or newer is needed, and this is ${server.version}`);
  }
  await run('begin');
  try {
    await run('select pg_advisory_xact_lock(hashtextextended($1, 1))', [schema]);
    const known = await all('select 1 as known from pg_namespace where nspname = $1', [schema]);
    if (known.length === 0) await run(`create schema "${schema.replaceAll('"', '""')}"`);
    const database = { all, write: <T>(work: (session: Session) => Promise<T>) => work({ all, run }) };
    await migrate(database, INDEX_SCHEMA);
    await migrate(database, INCIDENT_SCHEMA, { table: 'incident_schema_version' });
    await migrate(database, OWN_SCHEMA, { table: 'postgres_schema_version' });
    await run('commit');
  } catch (error) {
    await run('rollback').catch(() => undefined);
    throw error;
  }
}
