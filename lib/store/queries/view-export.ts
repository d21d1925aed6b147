import 'server-only';
import { COLUMN_IDS, type ColumnId } from '@/lib/requests/columns';
import { copyRows } from '@/lib/store/bulk-rows';
import { DuckDbEngine } from '@/lib/store/duckdb/engine';
import type { CountedRows, Engine } from '@/lib/store/engine';
import { conditionOf, Parameters, type RowQuery } from './view-filter';

/** A row as it is written to a file. `problem`: why it can't be read, where it can't. */
export type ExportedRow = {
  keeperId: number;
  networkId: string | null;
  wire: string;
  problem: string | null;
};

const ORDER = 'order by created_us desc, id';

/** All rows of a view, newest first, as of one moment. */
export function exportRows(engine: Engine, query: RowQuery): Promise<CountedRows<ExportedRow>> {
  const parameters = new Parameters();
  return engine.counted<ExportedRow>(
    `select keeper_id as "keeperId", network_id as "networkId", wire, cast(null as text) as problem
     from requests where ${conditionOf(query, parameters)} ${ORDER}`,
    parameters.values,
  );
}

/** Rows of the view's keepers that can't be read. */
export function exportUnreadable(engine: Engine, query: RowQuery): Promise<CountedRows<ExportedRow>> {
  const parameters = new Parameters();
  return engine.counted<ExportedRow>(
    `select keeper_id as "keeperId", cast(null as text) as "networkId", wire, problem from unreadable
     where ${unreadableOf(query, parameters)} order by first_seen_us desc, id`,
    parameters.values,
  );
}

function unreadableOf({ keeperIds, visibleUs }: RowQuery, parameters: Parameters): string {
  const seen = visibleUs === undefined ? '' : ` and first_seen_us <= ${parameters.add(visibleUs)}`;
  return `keeper_id in ${parameters.list(keeperIds)}${seen}`;
}

/** Typed columns of a Parquet file, named like those of the CSV. `named`: the network's name. */
const TYPED: Record<ColumnId, (named: () => string) => Record<string, string>> = {
  keeper: () => ({}),
  network: (named) => ({ network: named(), network_id: 'network_id', chain_id: 'chain_name' }),
  sequence: () => ({ sequence: 'sequence' }),
  created: () => ({ created_at: 'make_timestamp(created_us)' }),
  updated: () => ({ last_updated_at: 'make_timestamp(updated_us)' }),
  duration: () => ({ duration_ms: 'duration_us / 1000.0' }),
  state: () => ({ state: 'state' }),
  sender: () => ({ sender: 'sender' }),
  provider: () => ({ provider: 'provider' }),
  'request-tx': () => ({ request_tx_hash: 'request_tx' }),
  'reveal-tx': () => ({ reveal_tx_hash: 'reveal_tx', reveal_block_number: 'reveal_block' }),
  block: () => ({ request_block_number: 'request_block' }),
  'gas-limit': () => ({ gas_limit: 'gas_limit' }),
  'gas-used': () => ({ gas_used: 'gas_used', callback_gas_used: 'callback_gas_used' }),
  'gas-share': () => ({
    gas_share_percent:
      'cast(gas_used as double precision) * 100 / nullif(cast(gas_limit as double precision), 0)',
  }),
  failure: () => ({
    failure: 'failure_text',
    failure_raw: `case state when 'failed' then json_extract_string(wire, '$.state.reason')
      when 'callback-failed' then callback_return end`,
  }),
  'user-random': () => ({ user_random_number: 'user_random' }),
  'provider-random': () => ({ provider_random_number: 'provider_random' }),
  'random-number': () => ({ combined_random_number: 'combined_random' }),
};

export type ParquetFile = {
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
    const parameters = new Parameters();
    const where = conditionOf(query, parameters);
    await copyRows(engine, copy, 'requests', { where, parameters: parameters.values });
    if (file.withUnreadable) await copyRows(engine, copy, 'unreadable');
    return await parquetOf(copy, query, file);
  } finally {
    await copy.close();
  }
}

async function parquetOf(engine: Engine, query: RowQuery, file: ParquetFile): Promise<number> {
  const parameters = new Parameters();
  // Each place of a statement is used, so what is not wanted adds none.
  const named = () =>
    caseOf(
      'network_id',
      file.networks.map(({ networkId, name }) => [networkId, name]),
      parameters,
    );
  const keeper = caseOf(
    'keeper_id',
    file.keepers.map(({ keeperId, name }) => [keeperId, name]),
    parameters,
  );
  const columns: Record<string, string> = Object.assign(
    {},
    ...(file.columns ?? COLUMN_IDS).map((id) => TYPED[id](named)),
  );
  const names = Object.keys(columns);
  const rows = [
    `${keeper} as keeper`,
    ...names.map((name) => `${columns[name]} as ${name}`),
    ...['cast(null as text) as problem', 'cast(null as text) as raw'],
    ...['created_us as ordered', 'cast(id as text) as id'],
  ];
  const unreadable = [
    `${keeper} as keeper`,
    ...names.map((name) => `null as ${name}`),
    ...['problem', 'wire as raw', 'null as ordered', 'cast(id as text) as id'],
  ];
  const parts = [`select ${rows.join(', ')} from requests where ${conditionOf(query, parameters)}`];
  if (file.withUnreadable) {
    parts.push(`select ${unreadable.join(', ')} from unreadable where ${unreadableOf(query, parameters)}`);
  }
  const [written] = await engine.all<{ Count: number }>(
    `copy (
       select ${['keeper', ...names, 'problem', 'raw'].join(', ')} from (${parts.join(' union all ')}) order by ordered desc nulls last, id
     ) to ${literal(file.path)} (format parquet, compression zstd, kv_metadata {${says(file.says)}})`,
    parameters.values,
  );
  return written?.Count ?? 0;
}

function caseOf(
  column: string,
  names: readonly (readonly [string | number, string])[],
  parameters: Parameters,
): string {
  if (names.length === 0) return `cast(${column} as text)`;
  const cases = names.map(([value, name]) => `when ${parameters.add(value)} then ${parameters.add(name)}`);
  return `case ${column} ${cases.join(' ')} else cast(${column} as text) end`;
}

function says(texts: Record<string, string>): string {
  return Object.entries(texts)
    .map(([name, text]) => `"${name}": ${literal(text)}`)
    .join(', ');
}

/** Where a statement takes no parameter. */
function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
