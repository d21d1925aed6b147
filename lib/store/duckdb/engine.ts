import 'server-only';
import { rename, rm } from 'node:fs/promises';
import {
  type CountedRows,
  type Dialect,
  type Engine,
  type EngineEvent,
  IndexNotWritableError,
  oneRow,
  type Reader,
  type Session,
  type SqlRow,
} from '@/lib/store/engine';
import { raw, type Statement, sql } from '@/lib/store/sql';
import type { Cursor } from './cursor';
import type { Database } from './database';
import { faultOf } from './faults';
import { type DuckDbOptions, RecoveringDatabase } from './recovery';

/** A file that wastes less, or has fewer bytes, is not written anew. */
const WASTED = 1 / 3;
const SMALL_BYTES = 8_000_000;

const DIALECT: Dialect = {
  split: (text, code) => sql`string_split(${text}, chr(${raw(code)}))`,
  stage: 'create or replace temp table stage',
  // By way of hugeint: a text becomes a wide decimal six times as fast.
  decimal: (text) => `cast(cast(${text} as hugeint) as decimal(38,0))`,
};

/** The database behind the index. Queries that meet its recovery are asked once more. */
export class DuckDbEngine implements Engine {
  readonly kind = 'duckdb';
  readonly dialect = DIALECT;
  #compacting: Promise<void> | undefined;

  private constructor(private readonly file: RecoveringDatabase) {}

  /**
   * Opens the database and brings its schema up to date.
   * @param readOnly its disk takes nothing: until writing works
   * @throws NewerSchemaError, Error of DuckDB: the file is locked, is no database, or can't be made
   */
  static async open(options: DuckDbOptions, readOnly = false): Promise<DuckDbEngine> {
    return new DuckDbEngine(await RecoveringDatabase.open(options, readOnly));
  }

  get isWritable(): boolean {
    return this.file.isWritable;
  }

  onEvent(listener: (event: EngineEvent) => void): void {
    this.file.onEvent(listener);
  }

  all<Row extends SqlRow>(statement: Statement): Promise<Row[]> {
    return this.#read((database) => database.all<Row>(statement));
  }

  snapshot<T>(work: (from: Reader) => Promise<T>): Promise<T> {
    return this.#read((database) => database.snapshot(work));
  }

  async counted<Row extends SqlRow>(statement: Statement): Promise<CountedRows<Row>> {
    const { database, cursor, total, first } = await this.#read((database) =>
      firstOf<Row>(database, statement),
    );
    const recovered = (error: unknown) => this.file.isRecovered(database, error);
    async function* pieces(): AsyncGenerator<Row[], void> {
      try {
        for (let rows = first; rows !== undefined; rows = await cursor.next<Row>()) yield rows;
      } catch (error) {
        await recovered(error);
        throw error;
      }
    }
    return { total, pieces: pieces(), end: () => database.end(cursor) };
  }

  async write<T>(work: (session: Session) => Promise<T>): Promise<T> {
    await this.#compacting;
    const database = await this.file.current();
    if (this.#compacting !== undefined) return this.write(work);
    if (database.options.readOnly === true) throw new IndexNotWritableError();
    try {
      return await database.write(work);
    } catch (error) {
      await this.file.isRecovered(database, error);
      throw faultOf(error) === 'unwritable' ? new IndexNotWritableError({ cause: error }) : error;
    }
  }

  /** Writes the file anew where a third of it or more is room of deleted rows. Reads go on, and writes wait. */
  async compact(): Promise<void> {
    this.#compacting ??= this.#compact().finally(() => {
      this.#compacting = undefined;
    });
    await this.#compacting;
  }

  async #compact(): Promise<void> {
    const database = await this.file.current();
    const { path } = database.options;
    if (path === undefined || !this.isWritable) return;
    if ((await wastedOf(database)) < WASTED || database.isStreaming) return;
    const copy = `${path}.new`;
    await rm(copy, { force: true });
    try {
      await database.copyTo(copy);
    } catch {
      // No room for both: the file stays as it is.
      return rm(copy, { force: true });
    }
    // An export that began meanwhile would be cut off.
    if (database.isStreaming) return rm(copy, { force: true });
    // While the old file is still ours: whoever waits for its lock finds the new one.
    await this.file.replaceBy(() => rename(copy, path));
  }

  async close(): Promise<void> {
    await this.file.close(this.#compacting?.catch(() => undefined));
  }

  async #read<T>(work: (database: Database) => Promise<T>): Promise<T> {
    const database = await this.file.current();
    try {
      return await work(database);
    } catch (error) {
      if (!(await this.file.isRecovered(database, error))) throw error;
      return work(await this.file.current());
    }
  }
}

/** How much of the file of an index is taken by what was deleted, from 0 to 1. A small file has nothing to give back. */
async function wastedOf(database: Database): Promise<number> {
  await database.checkpoint();
  const row = await oneRow<{ bytes: number; used: number; rows: number; entered: number }>(
    database,
    `select total_blocks * block_size as bytes, used_blocks / total_blocks as used,
       (select count(*) from requests) as rows,
       (select estimated_size from duckdb_tables() where table_name = 'requests') as entered
     from pragma_database_size()`,
  );
  if (row.bytes < SMALL_BYTES) return 0;
  return 1 - row.used * (row.rows / Math.max(1, row.rows, row.entered));
}

/** The first rows tell whether a query works at all; after them there is no asking once more. */
async function firstOf<Row extends SqlRow>(
  database: Database,
  statement: Statement,
): Promise<{ database: Database; cursor: Cursor; total: number; first: Row[] | undefined }> {
  const cursor = database.cursor(statement);
  try {
    const total = await cursor.left();
    return { database, cursor, total, first: await cursor.next<Row>() };
  } catch (error) {
    await database.end(cursor);
    throw error;
  }
}
