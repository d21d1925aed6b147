import 'server-only';
import { type Engine, oneRow } from './engine';
import { sql } from './sql';

/** A moment that means "from the beginning". Moments are unix microseconds and may be negative. */
export const BEGINNING_US = -9_000_000_000_000_000;

/** Each version is a migration from the previous one, in SQL of both engines. A released migration never changes. */
export type Schema = readonly (readonly string[])[];

/** Failure texts that were reworded up to version 3. */
const REWORDED = [
  ['No return data: often out of gas', 'No return data: likely out of gas'],
  [
    'The callback failed; the service does not say what it returned',
    'Callback reverted, no return value logged',
  ],
  ['The service gives no reason', 'No reason logged'],
] as const;

/** Old and new text for a callback without return data, whose cause is not always "out of gas". */
const NO_CAUSE = ['No return data: likely out of gas', 'Reverted without data'] as const;

/** The index is both a cache of the services and an archive of their rows. */
export const INDEX_SCHEMA: Schema = [
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
  // The selector names the group of an unknown error.
  [
    `update requests set failure = lower(substring(failure_text, 1, 10))
     where failure = '0x…' and length(failure_text) >= 10`,
  ],
  REWORDED.flatMap(([old, now]) =>
    ['failure', 'failure_text'].map(
      (column) => `update requests set ${column} = '${now}' where ${column} = '${old}'`,
    ),
  ),
  // Wide decimals are read a hundred times slower than 64-bit integers.
  [
    'alter table requests add column if not exists sequence64 bigint',
    'alter table requests add column if not exists gas_share double precision',
    `update requests set sequence64 = cast(mod(sequence, 4611686018427387904) as bigint),
       gas_share = cast(gas_used as double precision) / nullif(cast(gas_limit as double precision), 0)`,
  ],
  // Shortened hashes, and bytes written as decimals, put each failure into its own group.
  [
    ...['failure', 'failure_text'].map(
      (column) => `update requests set ${column} = '${NO_CAUSE[1]}' where ${column} = '${NO_CAUSE[0]}'`,
    ),
    `update requests set failure = regexp_replace(failure, '0x…(…|[.][.][.])[0-9a-f#]*', '0x…', 'g')
     where failure like '%0x……%' or failure like '%0x…...%'`,
    `update requests set failure = regexp_replace(failure, '\\[#(, #)*(, (…|[.][.][.]))?(\\]|$)', '[…]', 'g')
     where failure like '%[#%'`,
  ],
];

/** No service could supply these notes and this history again, so they have a separate file. */
export const INCIDENT_SCHEMA: Schema = [
  [
    `create table acknowledgements (
      kind text not null,
      id text not null,
      at_ms bigint not null,
      until_ms bigint,
      note text not null,
      by_name text,
      size bigint not null,
      cause text,
      primary key (kind, id)
    )`,
    `create table incidents (
      key text primary key,
      id text not null,
      keeper text not null,
      network_id text not null,
      rules text not null,
      headline text not null,
      severity text not null,
      since_ms bigint not null,
      opened_ms bigint not null,
      closed_ms bigint,
      peak bigint not null,
      told bigint not null
    )`,
    `create table incident_events (
      incident text not null,
      at_ms bigint not null,
      kind text not null,
      size bigint not null,
      rule text,
      headline text,
      note text,
      by_name text,
      until_ms bigint
    )`,
  ],
  [
    `create table notices (
      id text primary key,
      subject text not null,
      kind text not null,
      title text not null,
      facts text not null,
      since_ms bigint,
      at_ms bigint not null,
      ended_ms bigint,
      state text not null,
      attempts bigint not null,
      next_ms bigint not null,
      sent_ms bigint,
      error text
    )`,
  ],
  REWORDED.map(
    ([old, now]) => `update acknowledgements set id = '${now}' where kind = 'failure' and id = '${old}'`,
  ),
  [`update acknowledgements set id = '${NO_CAUSE[1]}' where kind = 'failure' and id = '${NO_CAUSE[0]}'`],
];

export class NewerSchemaError extends Error {
  constructor(
    readonly storedVersion: number,
    readonly supported: number,
  ) {
    super(`the file has schema ${storedVersion}, this version knows ${supported}`);
  }
}

type MigrateOptions = {
  /** Table that holds the version. */
  table?: string;
  /** Called before a migration, with the current version of the file. */
  backUp?: ((version: number) => Promise<void>) | undefined;
};

/** Each step is a transaction. @throws NewerSchemaError */
export async function migrate(
  database: Pick<Engine, 'all' | 'write'>,
  schema: Schema = INDEX_SCHEMA,
  { table = 'schema_version', backUp }: MigrateOptions = {},
): Promise<void> {
  const storedVersion = await versionOf(database, table);
  if (storedVersion > schema.length) throw new NewerSchemaError(storedVersion, schema.length);
  if (storedVersion > 0 && storedVersion < schema.length) await backUp?.(storedVersion);
  for (const [version, steps] of schema.entries()) {
    if (version < storedVersion) continue;
    await database.write(async ({ run }) => {
      if (version === 0) await run(`create table ${table} (version integer not null)`);
      for (const step of steps) await run(step);
      await run(`delete from ${table}`);
      await run(`insert into ${table} values (${version + 1})`);
    });
  }
}

/** 0 for a new database. */
async function versionOf(database: Pick<Engine, 'all'>, table: string): Promise<number> {
  const tables = await database.all(
    sql`select 1 from information_schema.tables
      where table_schema = current_schema() and table_name = ${table}`,
  );
  if (tables.length === 0) return 0;
  return (await oneRow<{ version: number }>(database, `select max(version) as version from ${table}`))
    .version;
}
