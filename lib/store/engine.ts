import 'server-only';
import {
  BIGINT,
  BOOLEAN,
  DOUBLE,
  type DuckDBConnection,
  DuckDBDecimalValue,
  DuckDBInstance,
  type DuckDBType,
  DuckDBUUIDValue,
  type DuckDBValue,
  SQLNULL,
  VARCHAR,
} from '@duckdb/node-api';

/** What a statement takes: a whole number is bound as a 64-bit integer, a fraction as a double. */
export type SqlParameter = string | number | bigint | boolean | null;
/** What a query gives: decimals and uuids as text, integers as numbers (as bigint beyond 2^53). */
export type SqlValue = string | number | bigint | boolean | null;
export type SqlRow = Record<string, SqlValue>;

export type EngineOptions = {
  /** The database file; `undefined`: in memory. */
  path?: string;
  memoryMb: number;
  threads?: number;
  readOnly?: boolean;
};

/** Statements of one connection, one after the other. */
export type Session = {
  /** @param parameters for `$1`, `$2`, … */
  all<Row extends SqlRow>(sql: string, parameters?: readonly SqlParameter[]): Promise<Row[]>;
  run(sql: string, parameters?: readonly SqlParameter[]): Promise<void>;
  /** The connection itself, for what is particular to DuckDB (bulk appending). */
  readonly connection: DuckDBConnection;
};

/** Queries under way at once; more wait for a connection. */
const READERS = 4;

/**
 * DuckDB in this process. Its work is done by threads of its own. Reads run side by side and see the rows as they were
 * committed when they began; writes run one after the other.
 */
export class Engine {
  readonly options: EngineOptions;
  readonly #instance: DuckDBInstance;
  readonly #writer: DuckDBConnection;
  readonly #idle: DuckDBConnection[] = [];
  readonly #waiting: ((connection: DuckDBConnection) => void)[] = [];
  #readers = 0;
  #lastWrite: Promise<unknown> = Promise.resolve();
  #closed = false;

  private constructor(options: EngineOptions, instance: DuckDBInstance, writer: DuckDBConnection) {
    this.options = options;
    this.#instance = instance;
    this.#writer = writer;
  }

  /** @throws Error of DuckDB: the file is locked, is no database, or can't be made. */
  static async open(options: EngineOptions): Promise<Engine> {
    const instance = await DuckDBInstance.create(options.path ?? ':memory:', {
      memory_limit: `${options.memoryMb}MB`,
      ...(options.threads === undefined ? {} : { threads: String(options.threads) }),
      ...(options.readOnly === true ? { access_mode: 'READ_ONLY' } : {}),
      // Extensions are downloads.
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
      preserve_insertion_order: 'false',
    });
    return new Engine(options, instance, await instance.connect());
  }

  async all<Row extends SqlRow>(sql: string, parameters: readonly SqlParameter[] = []): Promise<Row[]> {
    const connection = await this.#reader();
    try {
      return await allOf<Row>(connection, sql, parameters);
    } finally {
      this.#release(connection);
    }
  }

  /** Rows in pieces of about 2,000, as the reader asks for them; a reader that leaves ends the query. */
  async *stream<Row extends SqlRow>(
    sql: string,
    parameters: readonly SqlParameter[] = [],
  ): AsyncGenerator<Row[], void> {
    const connection = await this.#instance.connect();
    try {
      const result = await connection.stream(sql, ...bound(parameters));
      for await (const rows of result.yieldConvertedRowObjects<SqlValue>(plainValue)) yield rows as Row[];
    } finally {
      connection.interrupt();
      connection.closeSync();
    }
  }

  /** One write after the other: all statements of `work` take effect, or none. */
  write<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const result = this.#lastWrite.then(() => this.#transact(work));
    this.#lastWrite = result.catch(() => undefined);
    return result;
  }

  async #transact<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const connection = this.#writer;
    const session: Session = {
      all: (sql, parameters = []) => allOf(connection, sql, parameters),
      run: async (sql, parameters = []) => {
        await connection.run(sql, ...bound(parameters));
      },
      connection,
    };
    await connection.run('begin transaction');
    try {
      const result = await work(session);
      await connection.run('commit');
      return result;
    } catch (error) {
      // After a failed commit there is nothing left to take back.
      await connection.run('rollback').catch(() => undefined);
      throw error;
    }
  }

  /** Waits for the write under way; queries after this fail. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#lastWrite;
    for (const connection of this.#idle.splice(0)) connection.closeSync();
    this.#writer.closeSync();
    this.#instance.closeSync();
  }

  async #reader(): Promise<DuckDBConnection> {
    if (this.#closed) throw new Error('The index is closed.');
    const idle = this.#idle.pop();
    if (idle !== undefined) return idle;
    if (this.#readers >= READERS) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#readers += 1;
    return this.#instance.connect();
  }

  #release(connection: DuckDBConnection): void {
    const next = this.#waiting.shift();
    if (next !== undefined) next(connection);
    else if (this.#closed) connection.closeSync();
    else this.#idle.push(connection);
  }
}

async function allOf<Row extends SqlRow>(
  connection: DuckDBConnection,
  sql: string,
  parameters: readonly SqlParameter[],
): Promise<Row[]> {
  const reader = await connection.runAndReadAll(sql, ...bound(parameters));
  return reader.convertRowObjects<SqlValue>(plainValue) as Row[];
}

function bound(parameters: readonly SqlParameter[]): [DuckDBValue[], DuckDBType[]] {
  return [parameters.map(boundValue), parameters.map(typeOf)];
}

function boundValue(parameter: SqlParameter): DuckDBValue {
  return typeof parameter === 'number' && Number.isSafeInteger(parameter) ? BigInt(parameter) : parameter;
}

function typeOf(parameter: SqlParameter): DuckDBType {
  if (parameter === null) return SQLNULL;
  if (typeof parameter === 'string') return VARCHAR;
  if (typeof parameter === 'boolean') return BOOLEAN;
  return typeof parameter === 'bigint' || Number.isSafeInteger(parameter) ? BIGINT : DOUBLE;
}

function plainValue(value: DuckDBValue): SqlValue {
  if (typeof value === 'bigint') {
    return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
  }
  if (value instanceof DuckDBDecimalValue || value instanceof DuckDBUUIDValue) return value.toString();
  if (value === null || typeof value !== 'object') return value as SqlValue;
  throw new TypeError('A query of the index gives text, numbers and truth values only.');
}
