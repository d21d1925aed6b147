import 'server-only';
import { COLUMN_IDS, type ColumnId } from '@/lib/requests/columns';
import { copyRows } from '@/lib/store/bulk-rows';
import { DuckDbEngine } from '@/lib/store/duckdb/engine';
import { type Engine, oneRow } from '@/lib/store/engine';
import { joined, raw, type Sql, type SqlParameter, sql } from '@/lib/store/sql';
import { conditionOf, type RowQuery, unreadableOf } from './view-filter';
import { FIRST_FINISH } from './view-rows';

/** A row as it is written to a file. `problem`: why it can't be read, where it can't. */
export type ExportedRow = {
  keeperId: number;
  networkId: string | null;
  wire: string;
  /** As in `IndexedRow`. */
  finishedUs: number | null;
  problem: string | null;
};

/** All rows of a view, newest first, as of one moment. */
export const exportRows = (engine: Engine, query: RowQuery) =>
  engine.counted<ExportedRow>(
    sql`select keeper_id as "keeperId", network_id as "networkId", wire, ${FIRST_FINISH},
       cast(null as text) as problem from requests where ${conditionOf(query)} order by created_us desc, id`,
  );

export const exportUnreadable = (engine: Engine, query: RowQuery) =>
  engine.counted<ExportedRow>(
    sql`select keeper_id as "keeperId", cast(null as text) as "networkId", wire, problem,
       cast(null as bigint) as "finishedUs" from unreadable
     where ${unreadableOf(query)} order by first_seen_us desc, id`,
  );

/** Typed columns of a Parquet file, named like those of the CSV; that of the network's name is its own. */
const TYPED: Record<ColumnId, Record<string, string>> = {
  keeper: {},
  network: { network: 'network', network_id: 'network_id', chain_id: 'chain_name' },
  sequence: { sequence: 'sequence' },
  created: { created_at: 'make_timestamp(created_us)' },
  updated: { last_updated_at: 'make_timestamp(updated_us)' },
  duration: { duration_ms: 'duration_us / 1000.0' },
  state: { state: 'state' },
  sender: { sender: 'sender' },
  provider: { provider: 'provider' },
  'request-tx': { request_tx_hash: 'request_tx' },
  'reveal-tx': { reveal_tx_hash: 'reveal_tx', reveal_block_number: 'reveal_block' },
  block: { request_block_number: 'request_block' },
  'gas-limit': { gas_limit: 'gas_limit' },
  'gas-used': { gas_used: 'gas_used', callback_gas_used: 'callback_gas_used' },
  'gas-share': {
    gas_share_percent:
      'cast(gas_used as double precision) * 100 / nullif(cast(gas_limit as double precision), 0)',
  },
  failure: {
    failure: 'failure_text',
    failure_raw: `case state when 'failed' then json_extract_string(wire, '$.state.reason')
      when 'callback-failed' then callback_return end`,
  },
  'user-random': { user_random_number: 'user_random' },
  'provider-random': { provider_random_number: 'provider_random' },
  'random-number': { combined_random_number: 'combined_random' },
};

type ParquetFile = {
  /** Of a file that does not exist yet. */
  path: string;
  /** All where none is named. */
  columns?: readonly ColumnId[];
  keepers: readonly { keeperId: number; name: string }[];
  networks: readonly { networkId: string; name: string }[];
  withUnreadable: boolean;
  /** What the file says of itself, as key-value metadata. */
  says: Record<string, string>;
};

/** What a copy of the rows may take of memory; the rest goes to the disk, in megabytes. */
const COPY_MB = 128;

/**
 * Writes all rows of a view, newest first, into a Parquet file; those that can't be read come last, with their JSON.
 * Only DuckDB can: another engine's rows are copied into one for it. @returns how many rows the file has
 */
export async function writeParquet(engine: Engine, query: RowQuery, file: ParquetFile): Promise<number> {
  if (engine.kind === 'duckdb') return parquetOf(engine, query, file);
  const copy = await DuckDbEngine.open({ memoryMb: COPY_MB });
  try {
    await copyRows(engine, copy, 'requests', conditionOf(query));
    if (file.withUnreadable) await copyRows(engine, copy, 'unreadable');
    return await parquetOf(copy, query, file);
  } finally {
    await copy.close();
  }
}

async function parquetOf(engine: Engine, query: RowQuery, file: ParquetFile): Promise<number> {
  const network = named('network_id', new Map(file.networks.map(({ networkId, name }) => [networkId, name])));
  const keeper = named('keeper_id', new Map(file.keepers.map(({ keeperId, name }) => [keeperId, name])));
  const columns = (file.columns ?? COLUMN_IDS).flatMap((id) => Object.entries(TYPED[id]));
  const rows = columns.map(
    ([name, text]) => sql`${name === 'network' ? network : raw(text)} as ${raw(name)}`,
  );
  const parts = [
    sql`select ${joined([sql`${keeper} as keeper`, ...rows])}, cast(null as text) as problem, cast(null as text) as raw,
       created_us as ordered, cast(id as text) as id
     from requests where ${conditionOf(query)}`,
  ];
  if (file.withUnreadable) {
    const none = columns.map(([name]) => raw(`null as ${name}`));
    parts.push(
      sql`select ${joined([sql`${keeper} as keeper`, ...none])}, problem, wire as raw, null as ordered, cast(id as text) as id
       from unreadable where ${unreadableOf(query)}`,
    );
  }
  const names = ['keeper', ...columns.map(([name]) => name), 'problem', 'raw'];
  const says = Object.entries(file.says).map(([name, text]) => `"${name}": ${literal(text)}`);
  const { Count: count } = await oneRow<{ Count: number }>(
    engine,
    sql`copy (
       select ${raw(names.join(', '))} from (${joined(parts, ' union all ')}) order by ordered desc nulls last, id
     ) to ${raw(literal(file.path))} (format parquet, compression zstd, kv_metadata {${raw(says.join(', '))}})`,
  );
  return count;
}

function named(column: string, names: ReadonlyMap<SqlParameter, string>): Sql {
  if (names.size === 0) return raw(`cast(${column} as text)`);
  const cases = [...names].map(([value, name]) => sql`when ${value} then ${name}`);
  return sql`case ${raw(column)} ${joined(cases, ' ')} else cast(${raw(column)} as text) end`;
}

/** Where a statement takes no parameter. */
const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;
