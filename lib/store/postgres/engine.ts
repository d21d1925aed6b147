import 'server-only';
import pg from 'pg';
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
import { migratePostgres } from './schema';
import { isOfConnection, piecewise, sessionOf, transact } from './session';
import { types } from './values';

export type PostgresOptions = {
  /** `postgres://user:password@host/database`. */
  url: string;
  /** Where its tables are, within the database. */
  schema?: string;
};

/** Where the tables are when nothing else is said. */
export const POSTGRES_SCHEMA = 'keeperscope';

const DIALECT: Dialect = {
  split: (text, code) => `string_to_array(${text}, chr(${code}))`,
  stage: (query) => `create temp table stage on commit drop as ${query}`,
  decimal: (text) => `cast(${text} as decimal(38,0))`,
};

/** Queries under way at once; more wait for a connection. Some of them may be exports. */
const CONNECTIONS = 10;
const CONNECT_MS = 5000;
/** A database that answers nothing for so long is gone. */
const QUERY_MS = 120_000;
const SNAPSHOT = 'begin isolation level repeatable read read only';

/** An index in PostgreSQL, which other processes may read and write as well. */
export class PostgresEngine implements Engine {
  readonly kind = 'postgres';
  readonly dialect = DIALECT;
  readonly #config: pg.PoolConfig;
  readonly #settings: string;
  readonly #pool: pg.Pool;
  readonly #listeners = new Set<(event: EngineEvent) => void>();
  readonly #cursors = new Set<() => Promise<void>>();
  #lastWrite: Promise<unknown> = Promise.resolve();
  #isUp = true;
  #isClosed = false;

  private constructor({ url, schema = POSTGRES_SCHEMA }: PostgresOptions) {
    this.#config = {
      connectionString: url,
      application_name: 'keeperscope',
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: QUERY_MS,
      keepAlive: true,
      types,
    };
    this.#settings = `set search_path to ${pg.escapeIdentifier(schema)}; set jit to off; set work_mem to '32MB'`;
    this.#pool = new pg.Pool({ ...this.#config, max: CONNECTIONS });
    this.#pool.on('connect', (client) => {
      // One that ends while it is used: its query is told, and nobody listening would end the process.
      client.on('error', () => undefined);
      void this.#prepare(client).catch(() => undefined);
    });
    // An idle connection that ends: who asks next is told.
    this.#pool.on('error', () => undefined);
  }

  /**
   * Connects, and brings the schema up to date.
   * @throws NewerSchemaError, Error of PostgreSQL or of the connection
   */
  static async open(options: PostgresOptions): Promise<PostgresEngine> {
    const engine = new PostgresEngine(options);
    try {
      const client = await engine.connect();
      try {
        await migratePostgres(sessionOf(client), options.schema ?? POSTGRES_SCHEMA);
      } finally {
        await client.end();
      }
      return engine;
    } catch (error) {
      await engine.close();
      throw error;
    }
  }

  /** A connection of its own, of whoever asks for it. */
  async connect(): Promise<pg.Client> {
    const client = new pg.Client(this.#config);
    client.on('error', () => undefined);
    await client.connect();
    await this.#prepare(client);
    return client;
  }

  async #prepare(client: pg.ClientBase): Promise<void> {
    await client.query(this.#settings);
  }

  get isWritable(): boolean {
    return this.#isUp;
  }

  onEvent(listener: (event: EngineEvent) => void): void {
    this.#listeners.add(listener);
  }

  all<Row extends SqlRow>(sql: string, parameters: readonly SqlParameter[] = []): Promise<Row[]> {
    return this.#read((client) => sessionOf(client).all<Row>(sql, parameters));
  }

  snapshot<T>(work: (all: Session['all']) => Promise<T>): Promise<T> {
    return this.#read(async (client) => {
      await client.query(SNAPSHOT);
      try {
        return await work(sessionOf(client).all);
      } finally {
        await client.query('rollback').catch(() => undefined);
      }
    });
  }

  async counted<Row extends SqlRow>(
    sql: string,
    parameters: readonly SqlParameter[] = [],
  ): Promise<CountedRows<Row>> {
    const client = await this.#connected();
    let ended: Promise<void> | undefined;
    const end = () => {
      this.#cursors.delete(end);
      ended ??= client.query('rollback').then(
        () => client.release(),
        (error) => client.release(error),
      );
      return ended;
    };
    this.#cursors.add(end);
    try {
      await client.query(SNAPSHOT);
      return {
        ...(await piecewise<Row>(sessionOf(client), sql, parameters, () => ended !== undefined)),
        end,
      };
    } catch (error) {
      await end();
      throw error;
    }
  }

  write<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const result = this.#lastWrite.then(async () => {
      try {
        return await this.#onClient((client) => transact(client, work));
      } catch (error) {
        throw isOfConnection(error) ? new IndexNotWritableError({ cause: error }) : error;
      }
    });
    this.#lastWrite = result.catch(() => undefined);
    return result;
  }

  /** PostgreSQL uses room of deleted rows again by itself. */
  async compact(): Promise<void> {}

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#lastWrite;
    await Promise.all([...this.#cursors].map((end) => end()));
    await this.#pool.end();
  }

  /** A connection may have ended while nobody used it: a query that meets this is asked once more. */
  async #read<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    try {
      return await this.#onClient(work);
    } catch (error) {
      if (!isOfConnection(error) || this.#isClosed) throw error;
      return this.#onClient(work);
    }
  }

  async #onClient<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#connected();
    let fault: unknown;
    try {
      return await work(client);
    } catch (error) {
      fault = isOfConnection(error) ? error : undefined;
      throw error;
    } finally {
      client.release(fault !== undefined);
    }
  }

  async #connected(): Promise<pg.PoolClient> {
    if (this.#isClosed) throw new IndexClosedError();
    try {
      const client = await this.#pool.connect();
      this.#tell(true);
      return client;
    } catch (error) {
      this.#tell(false);
      throw error;
    }
  }

  #tell(isUp: boolean): void {
    if (isUp === this.#isUp) return;
    this.#isUp = isUp;
    for (const listener of this.#listeners) listener(isUp ? 'writable' : 'read-only');
  }
}
