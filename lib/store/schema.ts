import 'server-only';
import type { Database, Session } from './database';

/** Moments are unix microseconds, also below 1970. This one stands for "from the beginning". */
export const BEGINNING_US = -9_000_000_000_000_000;

/**
 * The versions of the schema, each a step from the one before; a released step never changes. SQL that PostgreSQL
 * understands too.
 */
const MIGRATIONS: readonly (readonly string[])[] = [
  [
    `create table keepers (
      keeper_id integer primary key,
      name text not null,
      base_url text not null
    )`,
    `create table requests (
      id uuid primary key,
      keeper_id integer not null,
      network_id text not null,
      chain_name text not null,
      sequence decimal(38,0),
      created_us bigint not null,
      updated_us bigint,
      duration_us bigint,
      state text not null,
      provider text,
      sender text,
      request_tx text,
      request_tx64 bigint,
      reveal_tx text,
      reveal_tx64 bigint,
      request_block decimal(38,0),
      reveal_block decimal(38,0),
      gas_limit decimal(38,0),
      gas_used decimal(38,0),
      callback_gas_used decimal(38,0),
      callback_return text,
      failure text,
      failure_text text,
      user_random text,
      provider_random text,
      combined_random text,
      wire text not null,
      first_seen_us bigint not null,
      last_seen_us bigint not null,
      visible_us bigint not null,
      gone_us bigint,
      rev bigint not null
    )`,
    `create table unreadable (
      id uuid primary key,
      keeper_id integer not null,
      problem text not null,
      wire text not null,
      first_seen_us bigint not null,
      last_seen_us bigint not null,
      gone_us bigint,
      rev bigint not null
    )`,
    'create table coverage (keeper_id integer not null, from_us bigint not null, to_us bigint not null)',
    `create table discrepancies (
      keeper_id integer not null,
      state text not null,
      from_us bigint not null,
      to_us bigint not null,
      theirs bigint not null,
      ours bigint not null,
      seen_us bigint not null
    )`,
    `create table keeper_facts (
      keeper_id integer not null,
      name text not null,
      value text not null,
      primary key (keeper_id, name)
    )`,
  ],
  // An error that nobody names is its selector: the errors of all strangers' contracts were one group.
  [
    `update requests set failure = lower(substring(failure_text, 1, 10))
     where failure = '0x…' and length(failure_text) >= 10`,
  ],
];

/** The version that this program writes. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** The file was written by a newer program: `found` is its version of the schema. */
export class NewerSchemaError extends Error {
  readonly known = SCHEMA_VERSION;

  constructor(readonly found: number) {
    super(`the index has schema ${found}, this version knows ${SCHEMA_VERSION}`);
  }
}

/** Brings the schema to the version of this program, each step a transaction. @throws NewerSchemaError */
export async function migrate(database: Database): Promise<void> {
  const found = await versionOf(database);
  if (found > SCHEMA_VERSION) throw new NewerSchemaError(found);
  for (let version = found; version < SCHEMA_VERSION; version += 1) {
    await database.write((session) => step(session, version));
  }
}

/** 0 for a new file. */
async function versionOf(database: Database): Promise<number> {
  const [table] = await database.all<{ n: number }>(
    "select count(*) as n from information_schema.tables where table_name = 'schema_version'",
  );
  if (table?.n === 0) return 0;
  const [row] = await database.all<{ version: number }>('select max(version) as version from schema_version');
  return row?.version ?? 0;
}

async function step(session: Session, version: number): Promise<void> {
  if (version === 0) await session.run('create table schema_version (version integer not null)');
  for (const sql of MIGRATIONS[version] ?? []) await session.run(sql);
  await session.run('delete from schema_version');
  await session.run('insert into schema_version values ($1)', [version + 1]);
}
