import 'server-only';
import { rename, rm } from 'node:fs/promises';
import {
  type CountedRows,
  type Dialect,
  type Engine,
  type EngineEvent,
  IndexClosedError,
  IndexNotWritableError,
  oneRow,
  type Reader,
  type Session,
  type SqlRow,
} from '@/lib/store/engine';
import { migrate, type Schema } from '@/lib/store/schema';
import { raw, type Statement, sql } from '@/lib/store/sql';
import { Database, type DatabaseOptions } from './database';
import { hasRoom } from './disk';
import { type EngineFault, faultOf } from './faults';

export type DuckDbOptions = Omit<DatabaseOptions, 'readOnly'> & {
  /** What is in it; the index where nothing is said. */
  schema?: Schema | undefined;
  /** A copy is kept beside it before its schema changes. */
  backUp?: boolean | undefined;
  /** Puts a file that is found broken aside, so that a new one can be begun in its place. */
  moveAside?: () => void;
  /** How often writing is tried again where it doesn't work, in milliseconds. */
  retryMs?: number | undefined;
};

const RETRY_MS = 30_000;
/** A file that wastes less, or has fewer bytes, is not written anew. */
const WASTED = 1 / 3;
const SMALL_BYTES = 8_000_000;

const DIALECT: Dialect = {
  split: (text, code) => sql`string_split(${text}, chr(${raw(code)}))`,
  stage: 'create or replace temp table stage',
  // By way of hugeint: a text becomes a wide decimal six times as fast.
  decimal: (text) => `cast(cast(${text} as hugeint) as decimal(38,0))`,
};

/**
 * The database behind the index, through what happens to it. A disk that takes nothing more ends an instance of DuckDB,
 * reads included: then the file is opened again to be read only, until writing works. A broken file is put aside, and a new
 * one begun. Queries that meet this are asked once more.
 */
export class DuckDbEngine implements Engine {
  readonly kind = 'duckdb';
  readonly dialect = DIALECT;
  readonly #listeners = new Set<(event: EngineEvent) => void>();
  #swap: Promise<void> | undefined;
  #compacting: Promise<void> | undefined;
  #retry: NodeJS.Timeout | undefined;
  /** Rows are gone with a database that was put aside, and nobody has been told. */
  #isLost = false;
  #isClosed = false;

  private constructor(
    private readonly options: DuckDbOptions,
    private database: Database | undefined,
  ) {
    this.#tryAgainLater();
  }

  /**
   * Opens the database and brings its schema up to date.
   * @param readOnly its disk takes nothing: until writing works
   * @throws NewerSchemaError, Error of DuckDB: the file is locked, is no database, or can't be made
   */
  static async open(options: DuckDbOptions, readOnly = false): Promise<DuckDbEngine> {
    return new DuckDbEngine(options, await openWithSchema(options, readOnly));
  }

  get isWritable(): boolean {
    return this.database?.options.readOnly === false;
  }

  onEvent(listener: (event: EngineEvent) => void): void {
    this.#listeners.add(listener);
  }

  all<Row extends SqlRow>(statement: Statement): Promise<Row[]> {
    return this.#read((database) => database.all<Row>(statement));
  }

  snapshot<T>(work: (from: Reader) => Promise<T>): Promise<T> {
    return this.#read((database) => database.snapshot(work));
  }

  async counted<Row extends SqlRow>(statement: Statement): Promise<CountedRows<Row>> {
    const [database, rows] = await this.#read(
      async (database) => [database, await database.counted<Row>(statement)] as const,
    );
    const recovered = (error: unknown) => this.#isRecovered(database, error);
    async function* pieces(): AsyncGenerator<Row[], void> {
      try {
        yield* rows.pieces;
      } catch (error) {
        await recovered(error);
        throw error;
      }
    }
    return { ...rows, pieces: pieces() };
  }

  async write<T>(work: (session: Session) => Promise<T>): Promise<T> {
    await this.#compacting;
    const database = await this.#current();
    if (this.#compacting !== undefined) return this.write(work);
    if (database.options.readOnly) throw new IndexNotWritableError();
    try {
      return await database.write(work);
    } catch (error) {
      await this.#isRecovered(database, error);
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
    const database = await this.#current();
    const { path } = this.options;
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
    await this.#replaceBy(() => rename(copy, path));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    await this.#compacting?.catch(() => undefined);
    await this.#swap;
    await this.database?.close();
  }

  async #read<T>(work: (database: Database) => Promise<T>): Promise<T> {
    const database = await this.#current();
    try {
      return await work(database);
    } catch (error) {
      if (!(await this.#isRecovered(database, error))) throw error;
      return work(await this.#current());
    }
  }

  async #current(): Promise<Database> {
    await this.#swap;
    if (this.#isClosed) throw new IndexClosedError();
    if (this.database === undefined) throw new Error('The file of the index can’t be opened now.');
    return this.database;
  }

  /** Whether another database stands in place of the one that failed. */
  async #isRecovered(failed: Database, error: unknown): Promise<boolean> {
    await this.#swap;
    if (this.#isClosed) return false;
    if (this.database !== failed) return true;
    const fault = faultOf(error);
    if (fault === undefined || fault === 'locked' || fault === 'newer') return false;
    await this.#swapFor(() => this.#replace(failed, fault));
    return true;
  }

  async #replace(failed: Database, fault: EngineFault): Promise<void> {
    this.database = undefined;
    await failed.close();
    if (fault === 'broken' || this.options.path === undefined) return this.#beginAnew();
    return this.#reopen(fault !== 'unwritable');
  }

  /** Takes the place of the database by what `work` leaves at its path, once it is closed. */
  #replaceBy(work: () => Promise<void>): Promise<void> {
    return this.#swapFor(async () => {
      const before = this.database;
      await work();
      this.database = undefined;
      await before?.close();
      await this.#reopen(true);
    });
  }

  /** Queries that come meanwhile wait for its end. */
  async #swapFor(work: () => Promise<void>): Promise<void> {
    const wasWritable = this.isWritable;
    this.#swap = work();
    await this.#swap;
    this.#swap = undefined;
    this.#tryAgainLater();
    const { isWritable } = this;
    const isReplaced = this.#isLost && isWritable;
    if (!isReplaced && wasWritable === isWritable) return;
    if (isReplaced) this.#isLost = false;
    const event = isReplaced ? 'replaced' : isWritable ? 'writable' : 'read-only';
    for (const listener of this.#listeners) listener(event);
  }

  /** To be written where that works, else to be read; where neither does, it is tried again later. */
  async #reopen(toWrite: boolean): Promise<void> {
    for (const readOnly of toWrite ? [false, true] : [true]) {
      try {
        this.database = await openWithSchema(this.options, readOnly);
        return;
      } catch (error) {
        if (faultOf(error) === 'broken') return this.#beginAnew();
      }
    }
  }

  async #beginAnew(): Promise<void> {
    try {
      if (this.options.path !== undefined) this.options.moveAside?.();
      this.#isLost = true;
      this.database = await openWithSchema(this.options, false);
    } catch {
      // It is tried again later.
    }
  }

  #tryAgainLater(): void {
    clearTimeout(this.#retry);
    if (this.isWritable || this.#isClosed) return;
    this.#retry = setTimeout(() => void this.#tryAgain(), this.options.retryMs ?? RETRY_MS).unref();
  }

  /** Rows that are being read piece by piece are read to their end first. */
  async #tryAgain(): Promise<void> {
    const { path } = this.options;
    const isFree = this.#swap === undefined && this.database?.isStreaming !== true;
    const hasReason = isFree && (path === undefined || (await hasRoom(path)));
    if (!hasReason || this.#swap !== undefined || this.#isClosed) return this.#tryAgainLater();
    await this.#replaceBy(async () => undefined);
  }
}

async function openWithSchema(options: DuckDbOptions, readOnly: boolean): Promise<Database> {
  const { path, schema, backUp } = options;
  const database = await Database.open({ ...options, readOnly });
  try {
    const copy = (version: number) => database.copyTo(`${path}.v${version}`);
    await migrate(database, schema, { backUp: backUp === true && path !== undefined ? copy : undefined });
    return database;
  } catch (error) {
    await database.close();
    throw error;
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
