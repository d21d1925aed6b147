import 'server-only';
import { type EngineEvent, IndexClosedError } from '@/lib/store/engine';
import { migrate, type Schema } from '@/lib/store/schema';
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

/**
 * A database through what happens to it. A disk that takes nothing more ends an instance of DuckDB, reads included: then
 * the file is opened again to be read only, until writing works. A broken file is put aside, and a new one begun.
 */
export class RecoveringDatabase {
  readonly options: DuckDbOptions;
  readonly #listeners = new Set<(event: EngineEvent) => void>();
  #database: Database | undefined;
  #swap: Promise<void> | undefined;
  #retry: NodeJS.Timeout | undefined;
  /** Rows are gone with a database that was put aside, and nobody has been told. */
  #isLost = false;
  #isClosed = false;

  private constructor(options: DuckDbOptions, database: Database) {
    this.options = options;
    this.#database = database;
  }

  /** @throws NewerSchemaError, Error of DuckDB: the file is locked, is no database, or can't be made */
  static async open(options: DuckDbOptions, readOnly = false): Promise<RecoveringDatabase> {
    const opened = new RecoveringDatabase(options, await openWithSchema({ ...options, readOnly }));
    opened.#tryAgainLater();
    return opened;
  }

  get isWritable(): boolean {
    return this.#database !== undefined && this.#database.options.readOnly !== true;
  }

  onEvent(listener: (event: EngineEvent) => void): void {
    this.#listeners.add(listener);
  }

  async current(): Promise<Database> {
    await this.#swap;
    if (this.#isClosed) throw new IndexClosedError();
    if (this.#database === undefined) throw new Error('The file of the index can’t be opened now.');
    return this.#database;
  }

  /** Whether another database stands in place of the one that failed. */
  async isRecovered(failed: Database, error: unknown): Promise<boolean> {
    await this.#swap;
    if (this.#isClosed) return false;
    if (this.#database !== failed) return true;
    const fault = faultOf(error);
    if (fault === undefined || fault === 'locked' || fault === 'newer') return false;
    await this.#swapFor(() => this.#replace(failed, fault));
    return true;
  }

  /** Takes the place of the database by what `work` leaves at its path, once it is closed. */
  replaceBy(work: () => Promise<void>): Promise<void> {
    return this.#swapFor(async () => {
      const before = this.#database;
      await work();
      this.#database = undefined;
      await before?.close();
      await this.#reopen(['read-write', 'read-only']);
    });
  }

  /** @param until the file is still needed */
  async close(until?: Promise<void>): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    await until;
    await this.#swap;
    await this.#database?.close();
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
            ? await openWithSchema({ ...this.options, readOnly: true })
            : await openWithSchema(this.options);
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
      this.#database = await openWithSchema(this.options);
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
    const isFree = this.#swap === undefined && this.#database?.isStreaming !== true;
    const hasReason = isFree && (path === undefined || (await hasRoom(path)));
    if (!hasReason || this.#swap !== undefined || this.#isClosed) return this.#tryAgainLater();
    await this.replaceBy(async () => undefined);
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
