import 'server-only';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { SerialQueue } from '@/lib/core/serial-queue';
import {
  answerTimeout,
  BACKGROUND_TIMEOUT_MS,
  type CountedRows,
  IndexClosedError,
  oneRow,
  QUERY_TIMEOUT_MS,
  type Reader,
  type Session,
  type SnapshotReader,
  type SqlRow,
  transact,
} from '@/lib/store/engine';
import { migrate, type Schema } from '@/lib/store/schema';
import { asSql, type Statement } from '@/lib/store/sql';
import { Cursor, interrupt } from './cursor';
import { engineFault } from './faults';
import { duckdbSession } from './values';

type DatabaseOptions = {
  /** Undefined for a database in memory. */
  path?: string;
  memoryMb: number;
  readOnly: boolean;
  timeoutMs?: number | undefined;
};

export type DuckDbOptions = Omit<DatabaseOptions, 'readOnly'> & {
  /** Schema of the database, by default that of the index. */
  schema?: Schema | undefined;
  /** Copies the file before its schema changes. */
  backUp?: boolean | undefined;
  moveAside?: () => void;
  /** Moves aside a file that has replaced the open one. */
  moveOtherAside?: (() => void) | undefined;
  retryMs?: number | undefined;
  /** Aborts a change of the schema, which is rolled back. */
  signal?: AbortSignal | undefined;
};

const MIN_WASTED_SHARE = 1 / 3;
const MIN_COMPACTED_BYTES = 8_000_000;
/** The current write may finish; after this time it is rolled back. */
const CLOSE_GRACE_MS = 2000;
/** Connections for reading; further queries wait for one. */
const READERS = 4;
/** More threads make no view faster, and each needs its own memory. In memory are only the few rows of a sandbox. */
const MAX_THREADS = { inFile: 4, inMemory: 1 };
/** Disk space for work that does not fit in memory. */
const MAX_SPILL = '4GB';

/**
 * An open database. No other code may open the file: closing it again would release its lock, which belongs to the
 * process.
 */
export class Database {
  readonly #idle: DuckDBConnection[];
  readonly #waiting = new Set<(connection: DuckDBConnection) => void>();
  readonly #reading = new Map<DuckDBConnection, Promise<unknown>>();
  readonly #cursors = new Set<Cursor>();
  readonly #holds = new Set<() => Promise<void>>();
  readonly #writes = new SerialQueue();
  #copying: Promise<unknown> | undefined;
  #mayCopy = true;
  #isClosed = false;
  #closing: Promise<void> | undefined;

  private constructor(
    readonly options: DatabaseOptions,
    private readonly instance: DuckDBInstance,
    private readonly writer: DuckDBConnection,
    private readonly readers: readonly DuckDBConnection[],
  ) {
    this.#idle = [...readers];
  }

  /** @throws Error of DuckDB: the file is locked, is not a database, or cannot be created */
  static async open(options: DatabaseOptions): Promise<Database> {
    const instance = await DuckDBInstance.create(options.path ?? ':memory:', {
      memory_limit: `${options.memoryMb}MB`,
      threads: String(
        Math.min(availableParallelism(), MAX_THREADS[options.path === undefined ? 'inMemory' : 'inFile']),
      ),
      ...(options.readOnly ? { access_mode: 'READ_ONLY' } : {}),
      temp_directory:
        options.path === undefined
          ? join(tmpdir(), `keeperscope-index-${randomUUID()}`)
          : `${options.path}.tmp`,
      max_temp_directory_size: MAX_SPILL,
      // Otherwise DuckDB would download extensions.
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
      preserve_insertion_order: 'false',
      // Returns memory to the system after the history has been read.
      allocator_background_threads: 'true',
      allocator_flush_threshold: '32MB',
      // DuckDB's own late materialization scans all rows of wide columns; `firstRows` replaces it.
      late_materialization_max_rows: '0',
    });
    const readers = await Promise.all(Array.from({ length: READERS }, () => instance.connect()));
    return new Database(options, instance, await instance.connect(), readers);
  }

  all<Row extends SqlRow>(statement: Statement, timeoutMs?: number): Promise<Row[]> {
    return this.#onReader((connection) => duckdbSession(connection).all<Row>(statement), timeoutMs);
  }

  readonly background: Reader = { all: (statement) => this.all(statement, BACKGROUND_TIMEOUT_MS) };

  /** @throws IndexUnavailableError if the wait for a connection and the query together take too long */
  async #onReader<T>(
    work: (connection: DuckDBConnection) => Promise<T>,
    timeoutMs = this.options.timeoutMs ?? QUERY_TIMEOUT_MS,
  ): Promise<T> {
    const untilMs = performance.now() + timeoutMs;
    const connection = this.#idle.pop() ?? (await this.#nextIdle(timeoutMs));
    let isTimedOut = false;
    let alarm: NodeJS.Timeout | undefined;
    try {
      if (this.#isClosed) throw new IndexClosedError();
      const result = work(connection);
      this.#reading.set(connection, result);
      alarm = setTimeout(() => {
        isTimedOut = true;
        void interrupt(connection, result);
      }, untilMs - performance.now());
      return await result;
    } catch (error) {
      throw isTimedOut ? answerTimeout(locationOf(this.options.path), timeoutMs, { cause: error }) : error;
    } finally {
      clearTimeout(alarm);
      // The interrupt may have hit the rollback too. Without an open transaction, this one fails harmlessly.
      if (isTimedOut) await connection.run('rollback').catch(() => undefined);
      this.#reading.delete(connection);
      const [next] = this.#waiting;
      if (next === undefined) this.#idle.push(connection);
      else {
        this.#waiting.delete(next);
        next(connection);
      }
    }
  }

  #nextIdle(timeoutMs: number): Promise<DuckDBConnection> {
    return new Promise((resolve, reject) => {
      const onIdle = (connection: DuckDBConnection) => {
        clearTimeout(alarm);
        resolve(connection);
      };
      const alarm = setTimeout(() => {
        this.#waiting.delete(onIdle);
        reject(answerTimeout(locationOf(this.options.path), timeoutMs));
      }, timeoutMs);
      this.#waiting.add(onIdle);
    });
  }

  snapshot<T>(work: (from: Reader) => Promise<T>): Promise<T> {
    return this.#onReader((connection) => transact(duckdbSession(connection), work));
  }

  async openSnapshot(): Promise<SnapshotReader> {
    if (this.#isClosed) throw new IndexClosedError();
    const connection = await this.instance.connect();
    const session = duckdbSession(connection);
    // Registered before the first query, so that `close` ends it even if the query fails.
    let reading: Promise<unknown> = connection.run('begin transaction');
    let ended: Promise<void> | undefined;
    const end = () => {
      ended ??= interrupt(connection, reading).then(() => {
        connection.closeSync();
        this.#holds.delete(end);
      });
      return ended;
    };
    this.#holds.add(end);
    try {
      await reading;
      if (this.#isClosed) throw new IndexClosedError();
    } catch (error) {
      await end();
      throw error;
    }
    const all = <Row extends SqlRow>(statement: Statement): Promise<Row[]> => {
      if (ended !== undefined) return Promise.reject(new IndexClosedError());
      const rows = session.all<Row>(statement);
      reading = rows;
      return rows;
    };
    return { all, end };
  }

  /** The first rows are read before this method returns, so that a failing query fails here. */
  async counted<Row extends SqlRow>(statement: Statement): Promise<CountedRows<Row>> {
    if (this.#isClosed) throw new IndexClosedError();
    const cursor = new Cursor(this.instance.connect(), asSql(statement));
    this.#cursors.add(cursor);
    const end = async () => {
      await cursor.end();
      this.#cursors.delete(cursor);
    };
    try {
      const rest = cursor.pieces<Row>();
      const first = await rest.next();
      async function* pieces(): AsyncGenerator<Row[], void> {
        if (!first.done) yield first.value;
        yield* rest;
      }
      return { total: (await cursor.started).total, pieces: pieces(), end };
    } catch (error) {
      await end();
      throw error;
    }
  }

  get isStreaming(): boolean {
    return this.#cursors.size + this.#holds.size > 0;
  }

  write<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#writes.run(() => {
      if (this.#isClosed) throw new IndexClosedError();
      return transact(duckdbSession(this.writer), work);
    });
  }

  /** @returns whether a copy was written */
  async compactTo(copy: string): Promise<boolean> {
    // The measurement needs a checkpoint, which an open read transaction can prevent.
    if (this.isStreaming || (await this.#wasted()) < MIN_WASTED_SHARE || this.isStreaming) return false;
    await rm(copy, { force: true });
    // Without space for both files, the file stays. An export that began meanwhile must not be cut off.
    const isDone = await this.copyTo(copy).then(
      () => !this.isStreaming,
      () => false,
    );
    if (!isDone) await rm(copy, { force: true });
    return isDone;
  }

  /** The share of deleted rows, from 0 to 1; 0 for a small file. */
  async #wasted(): Promise<number> {
    await this.checkpoint();
    const row = await oneRow<{ bytes: number; used: number; rows: number; entered: number }>(
      this.background,
      `select total_blocks * block_size as bytes, used_blocks / total_blocks as used,
         (select count(*) from requests) as rows,
         (select estimated_size from duckdb_tables() where table_name = 'requests') as entered
       from pragma_database_size()`,
    );
    if (row.bytes < MIN_COMPACTED_BYTES) return 0;
    return 1 - row.used * (row.rows / Math.max(1, row.rows, row.entered));
  }

  /** An existing file is already a copy of the same version, and stays. */
  async copyTo(path: string): Promise<void> {
    if (existsSync(path)) return;
    const part = `${path}.part`;
    await rm(part, { force: true });
    const copying = this.#copyTo(part);
    this.#copying = copying.catch(() => undefined);
    try {
      await copying;
      await rename(part, path);
    } finally {
      this.#copying = undefined;
      for (const left of [part, `${part}.wal`]) await rm(left, { force: true });
    }
  }

  async #copyTo(path: string): Promise<void> {
    const { name } = await oneRow<{ name: string }>(this.background, 'select current_database() as name');
    await this.writer.run(`attach '${path.replaceAll("'", "''")}' as copy`);
    try {
      if (!this.#mayCopy) throw new IndexClosedError();
      await this.writer.run(`copy from database "${name}" to copy`);
    } finally {
      await this.writer.run('detach copy');
    }
  }

  /** Writes the log into the file. After this, a `.wal` that appears at the path belongs to another database. */
  async checkpoint(): Promise<void> {
    await this.#writes.idle;
    await this.writer.run('checkpoint');
  }

  async stopCopy(): Promise<void> {
    this.#mayCopy = false;
    // The writer also writes rows, and an interrupt would roll back the current write.
    if (this.#copying !== undefined) await interrupt(this.writer, this.#copying);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#isClosed = true;
    await this.stopCopy();
    // Reads end first. While they occupy the processor, the write might not finish in time.
    await Promise.all([...this.#reading].map(([connection, work]) => interrupt(connection, work)));
    await Promise.all([...this.#cursors].map((cursor) => cursor.end()));
    await Promise.all([...this.#holds].map((end) => end()));
    const grace = setTimeout(() => void interrupt(this.writer, this.#writes.idle), CLOSE_GRACE_MS);
    await this.#writes.idle;
    clearTimeout(grace);
    // Closing would write a checkpoint too, but on our own thread.
    if (!this.options.readOnly) await this.writer.run('checkpoint').catch(() => undefined);
    for (const connection of [...this.readers, this.writer]) connection.closeSync();
    this.instance.closeSync();
  }
}

/** @throws NewerSchemaError, Error of DuckDB */
export async function openWithSchema(options: DuckDbOptions, readOnly: boolean): Promise<Database> {
  const { path, schema, backUp, signal } = options;
  const database = await Database.open({ ...options, readOnly });
  const stop = () => void database.close();
  signal?.addEventListener('abort', stop);
  try {
    const copy = (version: number) => database.copyTo(`${path}.v${version}`);
    const session = { all: database.background.all, write: database.write.bind(database) };
    await migrate(session, schema, { backUp: backUp === true && path !== undefined ? copy : undefined });
    return database;
  } catch (error) {
    await database.close();
    throw error;
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

/** The file must not be open in this process. */
export async function isInUse(path: string, memoryMb: number): Promise<boolean> {
  try {
    await (await Database.open({ path, memoryMb, readOnly: true })).close();
    return false;
  } catch (error) {
    return engineFault(error) === 'locked';
  }
}

export const locationOf = (path: string | undefined) => (path === undefined ? 'in memory' : `file ${path}`);

/** `new`: a new file, after the broken one is moved aside. */
export type ReopenMode = 'write' | 'read' | 'new';

/** `isDataLost`: a broken file was moved aside, or the file is missing. `database`: undefined if nothing works now. */
export async function reopen(
  options: DuckDbOptions,
  as: ReopenMode,
): Promise<{ database: Database | undefined; isDataLost: boolean }> {
  let isDataLost = false;
  try {
    if (as === 'new') {
      if (options.path !== undefined) options.moveAside?.();
      isDataLost = true;
    }
    isDataLost ||= options.path !== undefined && !existsSync(options.path);
    return { database: await openWithSchema(options, as === 'read'), isDataLost };
  } catch (error) {
    if (as !== 'new' && engineFault(error) === 'broken') return reopen(options, 'new');
    return as === 'write' ? reopen(options, 'read') : { database: undefined, isDataLost };
  }
}
