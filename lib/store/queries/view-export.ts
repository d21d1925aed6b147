import 'server-only';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { SerialQueue } from '@/lib/core/serial-queue';
import { COLUMN_SCHEMA } from '@/lib/requests/column-schema';
import { COLUMN_IDS, type ColumnId } from '@/lib/requests/columns';
import { BulkText, bulkLine, stageStatement } from '@/lib/store/bulk-rows';
import { DuckDbEngine } from '@/lib/store/duckdb/engine';
import { type Engine, oneRow, type Reader, type Session } from '@/lib/store/engine';
import { MAX_MOMENT_US, RECORD_COLUMNS } from '@/lib/store/record-row';
import { joinSql, raw, type Sql, type SqlParameter, sql } from '@/lib/store/sql';
import { ExportSnapshot, OrderedRanges, type RangeSource } from './export-ranges';
import { ParquetJoin } from './parquet-join';
import { type RowQuery, unreadableCondition, viewCondition } from './view-filter';
import { FIRST_FINISH } from './view-rows';

/** `problem` is the reason if the row is unreadable. */
export type ExportedRow = {
  keeperId: number;
  networkId: string | null;
  wire: string;
  /** See `IndexedRow`. */
  finishedUs: number | null;
  problem: string | null;
};

type Table = RangeSource['table'];

/** Limits of a read for text formats, whose rows exist in memory several times. */
const TEXT_BOUNDS = { maxRows: 2048, maxCharacters: 2_000_000 };
/** Limits of a Parquet row group. Only its packed bytes leave the engine. */
const PARQUET_BOUNDS = { maxRows: 8192, maxCharacters: 8_000_000 };

const TIMES = { requests: 'created_us', unreadable: 'first_seen_us' } as const;

const orderOf = (table: Table) => raw(`order by ${TIMES[table]} desc, id`);

/** All rows are from one snapshot, newest first. Unreadable ones come last. */
export class ExportedView {
  private constructor(
    private readonly engine: Engine,
    private readonly snapshot: ExportSnapshot,
    private readonly sources: readonly { table: Table; rows: OrderedRanges }[],
  ) {}

  /** The caller must call `end`. */
  static async open(
    engine: Engine,
    query: RowQuery,
    options: { queue: SerialQueue; withUnreadable: boolean; holdMs?: number | undefined },
  ): Promise<ExportedView> {
    const { queue, withUnreadable, holdMs } = options;
    const snapshot = await ExportSnapshot.open(engine, queue, holdMs);
    try {
      const open = async (table: Table, where: Sql) => ({
        table,
        rows: await OrderedRanges.open(snapshot, { table, time: TIMES[table], where }),
      });
      const sources = [await open('requests', viewCondition(query))];
      if (withUnreadable) sources.push(await open('unreadable', unreadableCondition(query)));
      return new ExportedView(engine, snapshot, sources);
    } catch (error) {
      snapshot.release();
      throw error;
    }
  }

  get total(): number {
    return this.sources.reduce((sum, { rows }) => sum + rows.total, 0);
  }

  end(): void {
    this.snapshot.release();
  }

  /** Rows that change or vanish after the end of the transaction are left out. */
  async *pieces(): AsyncGenerator<ExportedRow[], void> {
    for (const { table, rows } of this.sources) {
      const columns = TEXT_COLUMNS[table];
      for await (const where of rows.ranges(TEXT_BOUNDS)) {
        yield await this.snapshot.read((from) =>
          from.all<ExportedRow>(sql`select ${columns} from ${raw(table)} where ${where} ${orderOf(table)}`),
        );
      }
    }
  }

  /** One row group at a time, then the footer. @param file.metadataOf called once all rows are written */
  async *parquet(file: ParquetFile): AsyncGenerator<Buffer, void> {
    const whole = new ParquetJoin();
    const parts = await PartWriter.open(this.engine, this.snapshot, file);
    let written: Written = { rows: 0, unreadable: 0 };
    try {
      for (const { table, rows } of this.sources) {
        for await (const where of rows.ranges(PARQUET_BOUNDS)) {
          const part = await parts.write(table, where);
          const unreadable = table === 'unreadable' ? part.rows : 0;
          written = { rows: written.rows + part.rows, unreadable: written.unreadable + unreadable };
          yield whole.add(part.bytes);
        }
      }
      // Every part has the columns in its footer, even a part without rows.
      if (whole.isEmpty) yield whole.add((await parts.write('requests', raw('false'))).bytes);
      yield whole.end(file.metadataOf(written));
    } finally {
      await parts.close();
    }
  }
}

const TEXT_COLUMNS: Record<Table, Sql> = {
  requests: sql`keeper_id as "keeperId", network_id as "networkId", wire, ${FIRST_FINISH}, cast(null as text) as problem`,
  unreadable: raw(
    'keeper_id as "keeperId", cast(null as text) as "networkId", wire, cast(null as bigint) as "finishedUs", problem',
  ),
};

/** SQL for a moment. Moments outside the index's range are stored as its ends, so the file leaves them empty. */
const momentOf = (column: string) =>
  `case when abs(${column}) < ${MAX_MOMENT_US} then make_timestamp(${column}) end`;

/** `network` is computed separately, from the names of networks. */
const COMPUTED: Readonly<Record<string, string>> = {
  duration_ms: 'duration_us / 1000.0',
  gas_share_percent:
    'cast(gas_used as double precision) * 100 / nullif(cast(gas_limit as double precision), 0)',
  failure_raw: `case state when 'failed' then try(json_extract_string(wire, '$.state.reason'))
    when 'callback-failed' then callback_return end`,
};

/** Headers are those of the CSV. */
function typedColumnsOf(id: ColumnId): { header: string; expression: string }[] {
  const { kind, indexColumn: defaultColumn, exports } = COLUMN_SCHEMA[id];
  return Object.entries(exports).map(([header, { indexColumn = defaultColumn }]) => {
    const plain = kind === 'time' ? momentOf(indexColumn) : indexColumn;
    return { header, expression: COMPUTED[header] ?? plain };
  });
}

const DECIMAL_COLUMNS = new Set(
  RECORD_COLUMNS.flatMap(({ name, type = '' }) => (type.startsWith('decimal') ? name : [])),
);
/** JSON members that become 38-digit decimals in the file. Exports use the service's names. */
const DECIMALS = COLUMN_IDS.flatMap(typedColumnsOf)
  .flatMap(({ header, expression }) => (DECIMAL_COLUMNS.has(expression) ? header : []))
  .join('|');
/** Escapes that a cell cannot hold: lone surrogates, and the separators of the bulk text. */
const UNSUPPORTED_ESCAPES = String.raw`(^|[^\\])(\\\\)*\\u(d[89ab]|dc|dd|de|df|0000|001[def])`;
const MAX_NAME_LENGTH = 200;

/** Null for nearly all rows. A row with a reason has its JSON in `raw`. */
const INEXACT = `nullif(concat_ws(' ',
  case when regexp_matches(wire, '"(${DECIMALS})":"?0*[1-9][0-9]{38}') then 'A figure has more than 38 digits.' end,
  case when abs(created_us) >= ${MAX_MOMENT_US} or abs(updated_us) >= ${MAX_MOMENT_US}
    then 'A moment is outside the years 1684 to 2255.' end,
  case when regexp_matches(wire, '"(created_at|last_updated_at)":"[^"]*[.][0-9]{6}0*[1-9]')
    then 'A moment has more than six decimals.' end,
  case when regexp_matches(wire, '${UNSUPPORTED_ESCAPES}') then 'A text has characters that a cell can’t hold.' end,
  case when length(network_id) >= ${MAX_NAME_LENGTH} or length(state) >= ${MAX_NAME_LENGTH}
    then 'A name has more than ${MAX_NAME_LENGTH} characters.' end
), '')`;

type Written = { rows: number; unreadable: number };

type ParquetFile = {
  /** Folder for one part at a time. Each part is deleted after it has been read. */
  folder: string;
  /** All columns by default. */
  columns?: readonly ColumnId[] | undefined;
  keepers: readonly { keeperId: number; name: string }[];
  networks: readonly { networkId: string; name: string }[];
  metadataOf: (written: Written) => Record<string, string>;
};

/** Memory for converting rows of PostgreSQL to a part. */
const COPY_MB = 64;

/** Writes a part. Only DuckDB can write Parquet, so rows of PostgreSQL are copied to a separate DuckDB. */
class PartWriter {
  private constructor(
    private readonly snapshot: ExportSnapshot,
    private readonly file: ParquetFile,
    private readonly folder: string,
    /** Undefined if the index itself is DuckDB. */
    private readonly copyEngine: DuckDbEngine | undefined,
  ) {}

  static async open(engine: Engine, snapshot: ExportSnapshot, file: ParquetFile): Promise<PartWriter> {
    // Creates only this folder. If the data folder is gone, it must stay gone.
    await mkdir(file.folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    const folder = await mkdtemp(join(file.folder, 'keeperscope-export-'));
    try {
      const copyEngine =
        engine.kind === 'duckdb' ? undefined : await DuckDbEngine.open({ memoryMb: COPY_MB });
      return new PartWriter(snapshot, file, folder, copyEngine);
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  async close(): Promise<void> {
    try {
      await rm(this.folder, { recursive: true, force: true });
    } finally {
      await this.copyEngine?.close();
    }
  }

  async write(table: Table, where: Sql): Promise<{ bytes: Buffer; rows: number }> {
    const path = join(this.folder, 'part.parquet');
    try {
      const rows = await (this.copyEngine === undefined
        ? this.#writeDirectly(table, where, path)
        : this.#writeCopied(this.copyEngine, table, where, path));
      return { rows, bytes: await readFile(path) };
    } finally {
      await rm(path, { force: true });
    }
  }

  /** The read returns its error, because a lack of disk space for the part is not a fault of the index. */
  async #writeDirectly(table: Table, where: Sql, path: string): Promise<number> {
    const copied = await this.snapshot.read((from) =>
      copyTo(from, this.file, { table, where, path }).catch((error: Error) => error),
    );
    if (copied instanceof Error) throw copied;
    return copied;
  }

  async #writeCopied(copyEngine: DuckDbEngine, table: Table, where: Sql, path: string): Promise<number> {
    const columns = COLUMNS[table];
    const names = columns.map(({ name }) => name);
    const texts = names.map((name) => `cast(${name} as text) as ${name}`);
    const text = new BulkText();
    await this.snapshot.read(async (from) => {
      const rows = await from.all(sql`select ${raw(texts.join(', '))} from ${raw(table)} where ${where}`);
      text.add(rows.map((row) => bulkLine(names.map((name) => row[name]))));
    });
    return copyEngine.write(async (session: Session) => {
      await session.run(stageStatement(copyEngine.dialect, columns, text));
      const isEmpty = text.bytes.length === 0;
      const staged = { table, from: 'stage', where: raw(isEmpty ? 'false' : 'true'), path };
      return copyTo(session, this.file, staged);
    });
  }
}

const COLUMNS: Record<Table, { name: string; type?: string | undefined }[]> = {
  requests: RECORD_COLUMNS,
  unreadable: [
    { name: 'id', type: 'uuid' },
    { name: 'keeper_id', type: 'integer' },
    { name: 'problem' },
    { name: 'wire' },
    { name: 'first_seen_us', type: 'bigint' },
  ],
};

/** @param part.from table of the rows, if it is not `part.table` @returns the number of rows */
async function copyTo(
  reader: Reader,
  { columns, keepers, networks }: ParquetFile,
  part: { table: Table; from?: string; where: Sql; path: string },
): Promise<number> {
  const network = named('network_id', new Map(networks.map(({ networkId, name }) => [networkId, name])));
  const keeper = named('keeper_id', new Map(keepers.map(({ keeperId, name }) => [keeperId, name])));
  const cells = (columns ?? COLUMN_IDS).flatMap(typedColumnsOf);
  const { table, from = table, where, path } = part;
  const sourceOf = (name: Table) =>
    name === table ? sql`${raw(from)} where ${where}` : sql`${raw(name)} where false`;
  const typed = cells.map(
    ({ header, expression }) => sql`${header === 'network' ? network : raw(expression)} as ${raw(header)}`,
  );
  const none = cells.map(({ header }) => raw(`null as ${header}`));
  const names = ['keeper', ...cells.map(({ header }) => header), 'problem', 'raw'];
  // Each part reads both tables, so that its columns have the types of the whole file.
  const { Count: count } = await oneRow<{ Count: number }>(
    reader,
    sql`copy (
       select ${raw(names.join(', '))} from (
         select *, case when problem is not null then wire end as raw from (
           select ${joinSql([sql`${keeper} as keeper`, ...typed])}, ${raw(INEXACT)} as problem, wire,
             ${raw(TIMES.requests)} as ordered, id from ${sourceOf('requests')}
         ) union all
         select ${joinSql([sql`${keeper} as keeper`, ...none])}, problem, wire,
           ${raw(TIMES.unreadable)} as ordered, id, wire as raw from ${sourceOf('unreadable')}
       ) order by ordered desc, id
     ) to ${raw(literal(path))} (format parquet, compression zstd)`,
  );
  return count;
}

function named(column: string, names: ReadonlyMap<SqlParameter, string>): Sql {
  if (names.size === 0) return raw(`cast(${column} as text)`);
  const cases = [...names].map(([value, name]) => sql`when ${value} then ${name}`);
  return sql`case ${raw(column)} ${joinSql(cases, ' ')} else cast(${raw(column)} as text) end`;
}

/** A literal in statements that take no parameters. */
const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;
