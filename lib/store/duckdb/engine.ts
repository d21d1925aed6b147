import 'server-only';
import { rename, rm } from 'node:fs/promises';
import {
  type CountedRows,
  type Dialect,
  type Engine,
  type EngineEvent,
  IndexClosedError,
  IndexNotWritableError,
  type Session,
  type SqlParameter,
  type SqlRow,
} from '@/lib/store/engine';
import { migrate, type Schema } from '@/lib/store/schema';
import type { Cursor } from './cursor';
import { Database, type DatabaseOptions } from './database';
import { hasRoom } from './disk';
import { type EngineFault, faultOf } from './faults';

export type DuckDbOptions = Omit<DatabaseOptions, 'readOnly'> & {
  /** What is in it; the index where nothing is said. */
  schema?: Schema;
  /** A copy is kept beside it before its schema changes. */
  backUp?: boolean;
  /** Puts a file that is found broken aside, so that a new one can be begun in its place. */
  moveAside?: () => void;
  /** How often writing is tried again where it doesn't work, in milliseconds. */
  retryMs?: number;
};

const RETRY_MS = 30_000;
/** A file that wastes less is not written anew. */
const WASTED = 1 / 3;

const DIALECT: Dialect = {
  split: (text, code) => `string_split(${text}, chr(${code}))`,
  stage: (query) => `create or replace temp table stage as ${query}`,
  // By way of hugeint: a text becomes a wide decimal six times as fast.
  decimal: (text) => `cast(cast(${text} as hugeint) as decimal(38,0))`,
};

/**
 * The database behind the index, through what happens to it. A disk that takes nothing more ends an instance of DuckDB,
 * reads included: then the file is opened again to be read only, until writing works. A broken file is put aside.
 * Queries that this meets are asked once more.
 */
export class DuckDbEngine implements Engine {
  readonly kind = 'duckdb';
  readonly dialect = DIALECT;
  readonly #options: DuckDbOptions;
  readonly #listeners = new Set<(event: EngineEvent) => void>();
  #database: Database | undefined;
  #swap: Promise<void> | undefined;
  #compacting: Promise<void> | undefined;
  #retry: NodeJS.Timeout | undefined;
  /** Rows are gone with a database that was put aside, and nobody has been told. */
  #isLost = false;
  #isClosed = false;

  private constructor(options: DuckDbOptions, database: Database) {
    this.#options = options;
    this.#database = database;
  }

  /**
   * Opens the database and brings its schema up to date.
   * @throws NewerSchemaError, Error of DuckDB: the file is locked, is no database, or can't be made
   */
  static async open(options: DuckDbOptions): Promise<DuckDbEngine> {
    return new DuckDbEngine(options, await openWithSchema(options));
  }

  /** Opens a file on a disk that takes nothing: it is read only until writing works. @throws as `open` */
  static async openReadOnly(options: DuckDbOptions): Promise<DuckDbEngine> {
    const engine = new DuckDbEngine(options, await openWithSchema({ ...options, readOnly: true }));
    engine.#tryAgainLater();
    return engine;
  }

  get isWritable(): boolean {
    return this.#database !== undefined && this.#database.options.readOnly !== true;
  }

  onEvent(listener: (event: EngineEvent) => void): void {
    this.#listeners.add(listener);
  }

  all<Row extends SqlRow>(sql: string, parameters: readonly SqlParameter[] = []): Promise<Row[]> {
    return this.#read((database) => database.all<Row>(sql, parameters));
  }

  snapshot<T>(work: (all: Session['all']) => Promise<T>): Promise<T> {
    return this.#read((database) => database.snapshot(work));
  }

  async counted<Row extends SqlRow>(
    sql: string,
    parameters: readonly SqlParameter[] = [],
  ): Promise<CountedRows<Row>> {
    const { database, cursor, total, first } = await this.#read((database) =>
      firstOf<Row>(database, sql, parameters),
    );
    const recovered = (error: unknown) => this.#isRecovered(database, error);
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
    const database = await this.#current();
    if (this.#compacting !== undefined) return this.write(work);
    if (database.options.readOnly === true) throw new IndexNotWritableError();
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
    const { path } = database.options;
    if (path === undefined || !this.isWritable) return;
    await database.settled();
    if ((await database.wasted()) < WASTED || database.isStreaming) return;
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
    await this.#swapFor(async () => {
      // While the old file is still ours: whoever waits for its lock finds the new one.
      await rename(copy, path);
      this.#database = undefined;
      await database.close();
      await this.#reopen(['read-write', 'read-only']);
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    await this.#compacting?.catch(() => undefined);
    await this.#swap;
    await this.#database?.close();
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
    if (this.#database === undefined) throw new Error('The file of the index can’t be opened now.');
    return this.#database;
  }

  /** Whether another database stands in place of the one that failed. */
  async #isRecovered(failed: Database, error: unknown): Promise<boolean> {
    await this.#swap;
    if (this.#isClosed) return false;
    if (this.#database !== failed) return true;
    const fault = faultOf(error);
    if (fault === undefined || fault === 'locked' || fault === 'newer') return false;
    await this.#swapFor(() => this.#replace(failed, fault));
    return true;
  }

  /** Queries that come meanwhile wait for its end. */
  async #swapFor(work: () => Promise<void>): Promise<void> {
    const wasWritable = this.isWritable;
    this.#swap = work();
    await this.#swap;
    this.#swap = undefined;
    this.#tryAgainLater();
    const event = this.#isLost && this.isWritable ? 'replaced' : changeOf(wasWritable, this.isWritable);
    if (event === undefined) return;
    if (event === 'replaced') this.#isLost = false;
    for (const listener of this.#listeners) listener(event);
  }

  async #replace(failed: Database, fault: EngineFault): Promise<void> {
    this.#database = undefined;
    await failed.close();
    if (fault === 'broken' || failed.options.path === undefined) return this.#beginAnew();
    return this.#reopen(fault === 'unwritable' ? ['read-only'] : ['read-write', 'read-only']);
  }

  /** The first way that works; with none of them it is tried again later. */
  async #reopen(ways: readonly ('read-write' | 'read-only')[]): Promise<void> {
    for (const way of ways) {
      try {
        this.#database =
          way === 'read-only'
            ? await openWithSchema({ ...this.#options, readOnly: true })
            : await openWithSchema(this.#options);
        return;
      } catch (error) {
        if (faultOf(error) === 'broken') return this.#beginAnew();
      }
    }
  }

  async #beginAnew(): Promise<void> {
    try {
      if (this.#options.path !== undefined) this.#options.moveAside?.();
      this.#isLost = true;
      this.#database = await openWithSchema(this.#options);
    } catch {
      // It is tried again later.
    }
  }

  #tryAgainLater(): void {
    clearTimeout(this.#retry);
    if (this.isWritable || this.#isClosed) return;
    this.#retry = setTimeout(() => void this.#tryAgain(), this.#options.retryMs ?? RETRY_MS).unref();
  }

  /** Rows that are being read piece by piece are read to their end first. */
  async #tryAgain(): Promise<void> {
    const { path } = this.#options;
    const isFree = this.#swap === undefined && this.#database?.isStreaming !== true;
    const hasReason = isFree && (path === undefined || (await hasRoom(path)));
    if (!hasReason || this.#swap !== undefined || this.#isClosed) return this.#tryAgainLater();
    await this.#swapFor(async () => {
      const before = this.#database;
      this.#database = undefined;
      await before?.close();
      await this.#reopen(['read-write', 'read-only']);
    });
  }
}

function changeOf(wasWritable: boolean, isWritable: boolean): EngineEvent | undefined {
  if (wasWritable === isWritable) return undefined;
  return isWritable ? 'writable' : 'read-only';
}

async function openWithSchema(options: DuckDbOptions & { readOnly?: boolean }): Promise<Database> {
  const { path, schema, backUp } = options;
  const database = await Database.open(options);
  try {
    const copy = (version: number) => database.copyTo(`${path}.v${version}`);
    await migrate(database, schema, { backUp: backUp === true && path !== undefined ? copy : undefined });
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** The first rows tell whether a query works at all; after them there is no asking once more. */
async function firstOf<Row extends SqlRow>(
  database: Database,
  sql: string,
  parameters: readonly SqlParameter[],
): Promise<{ database: Database; cursor: Cursor; total: number; first: Row[] | undefined }> {
  const cursor = database.cursor(sql, parameters);
  try {
    const total = await cursor.left();
    return { database, cursor, total, first: await cursor.next<Row>() };
  } catch (error) {
    await database.end(cursor);
    throw error;
  }
}
