import 'server-only';
import { statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import type { IndexState } from '@/lib/core/health';
import {
  type CountedRows,
  type Engine,
  type EngineEvent,
  IndexClosedError,
  IndexNotWritableError,
  IndexOutOfMemoryError,
  IndexUnavailableError,
  type MemoryFailures,
  type Reader,
  type Session,
  type SnapshotReader,
  type SqlRow,
} from '@/lib/store/engine';
import type { Statement } from '@/lib/store/sql';
import {
  type Database,
  type DuckDbOptions,
  isInUse,
  locationOf,
  openWithSchema,
  type ReopenMode,
  reopen,
} from './database';
import { hasFreeSpace, RETRY_MS } from './disk';
import { type EngineFault, engineFault, isOutOfMemory } from './faults';
import { DIALECT } from './values';

/**
 * A full disk ends an instance of DuckDB, so the file is reopened, read-only until writing works. A broken file is
 * moved aside and replaced by a new one. Queries that fail meanwhile are repeated once.
 */
export class DuckDbEngine implements Engine {
  readonly kind = 'duckdb';
  readonly dialect = DIALECT;
  readonly memoryFailures: MemoryFailures = { count: 0, lastMs: undefined };
  readonly #listeners = new Set<(event: EngineEvent) => void>();
  #swap: Promise<void> | undefined;
  #compacting: Promise<void> | undefined;
  #retry: NodeJS.Timeout | undefined;
  /** Undefined for a database in memory. */
  #inode: number | undefined;
  /** The file was deleted or moved while open. It can still be read, but new rows would be lost. */
  #isFileMoved = false;
  /** Rows were lost, and no listener has been notified yet. */
  #isDataLost = false;
  #isClosed = false;

  private constructor(
    private readonly options: DuckDbOptions,
    private database: Database | undefined,
  ) {
    this.#inode = this.#inodeNow();
    this.#scheduleRetry();
  }

  /** @throws NewerSchemaError, Error of DuckDB: the file is locked, is not a database, or cannot be created */
  static async open(options: DuckDbOptions, readOnly = false): Promise<DuckDbEngine> {
    return new DuckDbEngine(options, await openWithSchema(options, readOnly));
  }

  get place(): string {
    return locationOf(this.options.path);
  }

  get isWritable(): boolean {
    return this.database?.options.readOnly === false && !this.#isFileMoved;
  }

  get state(): IndexState {
    return this.isWritable ? 'ok' : 'read-only';
  }

  /** Undefined while the file is still at its path. */
  get pathState(): 'missing' | 'replaced' | undefined {
    if (!this.#isFileMoved) return undefined;
    return this.#inodeNow() === undefined ? 'missing' : 'replaced';
  }

  #inodeNow(): number | undefined {
    const { path } = this.options;
    try {
      return path === undefined ? undefined : statSync(path, { throwIfNoEntry: false })?.ino;
    } catch {
      // A file in an unreadable folder counts as missing.
      return undefined;
    }
  }

  /** Whether the file is in its place; also reports a change. */
  #isInPlace(): boolean {
    const isMoved = this.#inode !== this.#inodeNow();
    if (isMoved !== this.#isFileMoved) {
      this.#isFileMoved = isMoved;
      for (const listener of this.#listeners) listener(isMoved ? 'read-only' : 'writable');
      this.#scheduleRetry();
    }
    return !isMoved;
  }

  onEvent(listener: (event: EngineEvent) => void): void {
    this.#listeners.add(listener);
  }

  all<Row extends SqlRow>(statement: Statement): Promise<Row[]> {
    return this.#read((database) => database.all<Row>(statement));
  }

  readonly background: Reader = {
    all: (statement) => this.#read(({ background }) => background.all(statement)),
  };

  snapshot<T>(work: (from: Reader) => Promise<T>): Promise<T> {
    return this.#read((database) => database.snapshot(work));
  }

  openSnapshot(): Promise<SnapshotReader> {
    return this.#read((database) => database.openSnapshot());
  }

  async counted<Row extends SqlRow>(statement: Statement): Promise<CountedRows<Row>> {
    const [database, rows] = await this.#read(
      async (database) => [database, await database.counted<Row>(statement)] as const,
    );
    const recovered = (error: unknown) => this.#isRecovered(database, error);
    const failed = (error: unknown) => this.#asFailure(error);
    async function* pieces(): AsyncGenerator<Row[], void> {
      try {
        yield* rows.pieces;
      } catch (error) {
        await recovered(error);
        throw failed(error);
      }
    }
    return { ...rows, pieces: pieces() };
  }

  async write<T>(work: (session: Session) => Promise<T>): Promise<T> {
    // If the compaction fails, its own caller gets the error.
    await this.#compacting?.catch(() => undefined);
    const database = await this.#current();
    if (this.#compacting !== undefined) return this.write(work);
    if (database.options.readOnly || !this.#isInPlace()) throw new IndexNotWritableError();
    try {
      return await database.write(work);
    } catch (error) {
      await this.#isRecovered(database, error);
      throw engineFault(error) === 'unwritable'
        ? new IndexNotWritableError({ cause: error })
        : this.#asFailure(error);
    }
  }

  /** Reads continue, writes wait. */
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
    const copy = `${path}.new`;
    // The old file is still locked, so that a process waiting for the lock finds the new file.
    if (await database.compactTo(copy)) await this.#replaceBy(() => rename(copy, path));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    if (this.#compacting !== undefined) await this.database?.stopCopy();
    await this.#compacting?.catch(() => undefined);
    await this.#swap;
    await this.database?.close();
  }

  async #read<T>(work: (database: Database) => Promise<T>): Promise<T> {
    const database = await this.#current();
    try {
      return await work(database);
    } catch (error) {
      if (!(await this.#isRecovered(database, error))) throw this.#asFailure(error);
      return work(await this.#current());
    }
  }

  /** Counts statements that ran out of memory. */
  #asFailure(error: unknown): unknown {
    if (!isOutOfMemory(error)) return error;
    this.memoryFailures.count += 1;
    this.memoryFailures.lastMs = Date.now();
    return new IndexOutOfMemoryError({ cause: error });
  }

  async #current(): Promise<Database> {
    await this.#swap;
    if (this.#isClosed) throw new IndexClosedError();
    if (this.database === undefined)
      throw new IndexUnavailableError(`The index’s database (${this.place}) can’t be opened now.`);
    return this.database;
  }

  /** Whether another database has replaced the failed one, so that the query can be repeated. */
  async #isRecovered(failed: Database, error: unknown): Promise<boolean> {
    await this.#swap;
    if (this.#isClosed) return false;
    if (this.database !== failed) return true;
    const fault = engineFault(error);
    if (fault === undefined || fault === 'locked' || fault === 'newer') return false;
    await this.#swapDuring(() => this.#replace(failed, fault));
    return true;
  }

  async #replace(failed: Database, fault: EngineFault): Promise<void> {
    this.database = undefined;
    await failed.close();
    if (fault === 'broken' || this.options.path === undefined) return this.#reopen('new');
    return this.#reopen(fault === 'unwritable' ? 'read' : 'write');
  }

  /** Opens the file that `work` has put at the path. */
  #replaceBy(work: () => Promise<void>): Promise<void> {
    return this.#swapDuring(async () => {
      const previous = this.database;
      await work();
      this.database = undefined;
      await previous?.close();
      await this.#reopen('write');
    });
  }

  /**
   * Puts the file back, because no other has these rows. A file at the path is moved aside, because our coverage does
   * not apply to it.
   */
  async #putBack(): Promise<void> {
    const { path, moveOtherAside } = this.options;
    if (path === undefined || !this.#isFileMoved) return;
    if (this.pathState === 'replaced') {
      await this.database?.checkpoint().catch(() => undefined);
      moveOtherAside?.();
    }
    const copy = `${path}.new`;
    await rm(copy, { force: true });
    // If the copy fails, a new file is started and all rows are read again.
    await this.database
      ?.copyTo(copy)
      .then(() => rename(copy, path))
      .catch(() => undefined);
  }

  /** Queries wait until `work` has ended. */
  async #swapDuring(work: () => Promise<void>): Promise<void> {
    const wasWritable = this.isWritable;
    this.#swap = work();
    try {
      await this.#swap;
    } finally {
      this.#swap = undefined;
      this.#scheduleRetry();
    }
    const isReplaced = this.#isDataLost && this.isWritable;
    if (!isReplaced && wasWritable === this.isWritable) return;
    if (isReplaced) this.#isDataLost = false;
    const event = isReplaced ? 'replaced' : this.isWritable ? 'writable' : 'read-only';
    for (const listener of this.#listeners) listener(event);
  }

  async #reopen(as: ReopenMode): Promise<void> {
    const { database, isDataLost } = await reopen(this.options, as);
    this.database = database;
    this.#inode = this.#inodeNow();
    this.#isFileMoved = false;
    this.#isDataLost ||= isDataLost;
  }

  #scheduleRetry(): void {
    clearTimeout(this.#retry);
    if (this.isWritable || this.#isClosed) return;
    const tryAgain = () => void this.#retryNow().catch(() => this.#scheduleRetry());
    this.#retry = setTimeout(tryAgain, this.options.retryMs ?? RETRY_MS).unref();
  }

  async #retryNow(): Promise<void> {
    const { path } = this.options;
    const isFree = this.#swap === undefined && this.database?.isStreaming !== true;
    const hasReason = isFree && (path === undefined || (await hasFreeSpace(path)));
    if (!hasReason || this.#swap !== undefined || this.#isClosed) return this.#scheduleRetry();
    if (this.#isFileMoved && this.#isInPlace()) return;
    const isReplaced = path !== undefined && this.pathState === 'replaced';
    if (isReplaced && (await isInUse(path, this.options.memoryMb))) return this.#scheduleRetry();
    await this.#replaceBy(() => this.#putBack());
  }
}
