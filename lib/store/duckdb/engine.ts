import 'server-only';
import { statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import type { IndexState } from '@/lib/core/health';
import {
  type CountedRows,
  type Engine,
  type EngineEvent,
  type HeldReader,
  IndexClosedError,
  IndexNotWritableError,
  IndexOutOfMemoryError,
  IndexUnavailableError,
  type MemoryFailures,
  type Reader,
  type Session,
  type SqlRow,
} from '@/lib/store/engine';
import type { Statement } from '@/lib/store/sql';
import {
  type Database,
  type DuckDbOptions,
  isInUse,
  locationOf,
  openWithSchema,
  type Reopened,
  reopen,
} from './database';
import { hasRoom, RETRY_MS } from './disk';
import { type EngineFault, faultOf, isOutOfMemory } from './faults';
import { DIALECT } from './values';

/**
 * The database behind the index. A disk that takes nothing more ends an instance of DuckDB: the file is opened again, to be
 * read only until writing works. A broken file is put aside for a new one. Queries that meet this are asked once more.
 */
export class DuckDbEngine implements Engine {
  readonly kind = 'duckdb';
  readonly dialect = DIALECT;
  readonly memoryFailures: MemoryFailures = { count: 0, lastMs: undefined };
  readonly #listeners = new Set<(event: EngineEvent) => void>();
  #swap: Promise<void> | undefined;
  #compacting: Promise<void> | undefined;
  #retry: NodeJS.Timeout | undefined;
  /** The file that is open, by its inode; undefined in memory. */
  #inode: number | undefined;
  /** The file was deleted or moved away while it was open: it can be read still, and what is written would be lost. */
  #isGone = false;
  /** Rows are gone with a database that was put aside, and nobody has been told. */
  #isDataLost = false;
  #isClosed = false;

  private constructor(
    private readonly options: DuckDbOptions,
    private database: Database | undefined,
  ) {
    this.#inode = this.#inodeNow();
    this.#scheduleRetry();
  }

  /**
   * Opens the database and brings its schema up to date.
   * @throws NewerSchemaError, Error of DuckDB: the file is locked, is no database, or can't be made
   */
  static async open(options: DuckDbOptions, readOnly = false): Promise<DuckDbEngine> {
    return new DuckDbEngine(options, await openWithSchema(options, readOnly));
  }

  get place(): string {
    return locationOf(this.options.path);
  }

  get isWritable(): boolean {
    return this.database?.options.readOnly === false && !this.#isGone;
  }

  get state(): IndexState {
    return this.isWritable ? 'ok' : 'read-only';
  }

  /** Why the file that is open stands at its path no longer; undefined where it does. */
  get pathState(): 'gone' | 'replaced' | undefined {
    if (!this.#isGone) return undefined;
    return this.#inodeNow() === undefined ? 'gone' : 'replaced';
  }

  #inodeNow(): number | undefined {
    const { path } = this.options;
    try {
      return path === undefined ? undefined : statSync(path, { throwIfNoEntry: false })?.ino;
    } catch {
      // A folder that can't be looked into is as good as gone.
      return undefined;
    }
  }

  /** Looks whether the file stands where it was opened. @returns whether it does */
  #isInPlace(): boolean {
    const isGone = this.#inode !== this.#inodeNow();
    if (isGone !== this.#isGone) {
      this.#isGone = isGone;
      for (const listener of this.#listeners) listener(isGone ? 'read-only' : 'writable');
      this.#scheduleRetry();
    }
    return !isGone;
  }

  onEvent(listener: (event: EngineEvent) => void): void {
    this.#listeners.add(listener);
  }

  all<Row extends SqlRow>(statement: Statement): Promise<Row[]> {
    return this.#read((database) => database.all<Row>(statement));
  }

  readonly patient: Reader = { all: (statement) => this.#read(({ patient }) => patient.all(statement)) };

  snapshot<T>(work: (from: Reader) => Promise<T>): Promise<T> {
    return this.#read((database) => database.snapshot(work));
  }

  hold(): Promise<HeldReader> {
    return this.#read((database) => database.hold());
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
    // A compaction that fails is told to whoever asked for it.
    await this.#compacting?.catch(() => undefined);
    const database = await this.#current();
    if (this.#compacting !== undefined) return this.write(work);
    if (database.options.readOnly || !this.#isInPlace()) throw new IndexNotWritableError();
    try {
      return await database.write(work);
    } catch (error) {
      await this.#isRecovered(database, error);
      throw faultOf(error) === 'unwritable'
        ? new IndexNotWritableError({ cause: error })
        : this.#asFailure(error);
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
    const copy = `${path}.new`;
    // While the old file is still ours: whoever waits for its lock finds the new one.
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

  /** Counts a statement that ran out of memory. */
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

  /** Whether another database stands in place of the one that failed. */
  async #isRecovered(failed: Database, error: unknown): Promise<boolean> {
    await this.#swap;
    if (this.#isClosed) return false;
    if (this.database !== failed) return true;
    const fault = faultOf(error);
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

  /** Takes the place of the database by what `work` leaves at its path, once it is closed. */
  #replaceBy(work: () => Promise<void>): Promise<void> {
    return this.#swapDuring(async () => {
      const before = this.database;
      await work();
      this.database = undefined;
      await before?.close();
      await this.#reopen('write');
    });
  }

  /**
   * The rows of the file that is open go to its path again: nothing else has them. Another file that stands there is put
   * aside, as what is known of these rows, such as how far they reach, is not true of that one.
   */
  async #putBack(): Promise<void> {
    const { path, moveOtherAside } = this.options;
    if (path === undefined || !this.#isGone) return;
    if (this.pathState === 'replaced') {
      await this.database?.checkpoint().catch(() => undefined);
      moveOtherAside?.();
    }
    const copy = `${path}.new`;
    await rm(copy, { force: true });
    // Where that fails, a new file begins, and all is read again.
    await this.database
      ?.copyTo(copy)
      .then(() => rename(copy, path))
      .catch(() => undefined);
  }

  /** Queries that come meanwhile wait for its end. */
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

  async #reopen(as: Reopened): Promise<void> {
    const { database, isDataLost } = await reopen(this.options, as);
    this.database = database;
    this.#inode = this.#inodeNow();
    this.#isGone = false;
    this.#isDataLost ||= isDataLost;
  }

  #scheduleRetry(): void {
    clearTimeout(this.#retry);
    if (this.isWritable || this.#isClosed) return;
    const tryAgain = () => void this.#retryNow().catch(() => this.#scheduleRetry());
    this.#retry = setTimeout(tryAgain, this.options.retryMs ?? RETRY_MS).unref();
  }

  /** Rows that are being read piece by piece are read to their end first. */
  async #retryNow(): Promise<void> {
    const { path } = this.options;
    const isFree = this.#swap === undefined && this.database?.isStreaming !== true;
    const hasReason = isFree && (path === undefined || (await hasRoom(path)));
    if (!hasReason || this.#swap !== undefined || this.#isClosed) return this.#scheduleRetry();
    if (this.#isGone && this.#isInPlace()) return;
    const isReplaced = path !== undefined && this.pathState === 'replaced';
    if (isReplaced && (await isInUse(path, this.options.memoryMb))) return this.#scheduleRetry();
    await this.#replaceBy(() => this.#putBack());
  }
}
