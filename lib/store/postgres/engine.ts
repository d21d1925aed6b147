import 'server-only';
import type pg from 'pg';
import {
  type CountedRows,
  type Dialect,
  type Engine,
  type EngineEvent,
  IndexNotWritableError,
  type Reader,
  type Session,
  type SqlRow,
  transact,
} from '@/lib/store/engine';
import { raw, type Statement, sql } from '@/lib/store/sql';
import { Connections } from './connections';
import { COUNTS, migratePostgres } from './schema';
import { isOfConnection, piecewise, sessionOf } from './session';

type PostgresOptions = {
  /** `postgres://user:password@host/database`. */
  url: string;
  /** Where its tables are, within the database. */
  schema?: string;
};

export const POSTGRES_SCHEMA = 'keeperscope';

const DIALECT: Dialect = {
  split: (text, code) => sql`string_to_array(${text}, chr(${raw(code)}))`,
  stage: 'create temp table stage on commit drop',
  decimal: (text) => `cast(${text} as decimal(38,0))`,
  counts: COUNTS,
};

const SNAPSHOT = 'begin isolation level repeatable read read only';

/** An index in PostgreSQL, which other processes may read and write as well. */
export class PostgresEngine implements Engine {
  readonly kind = 'postgres';
  readonly dialect = DIALECT;
  /** The server has memory of its own, and its errors say what it lacks. */
  readonly memoryFailures = { count: 0, lastMs: undefined };
  readonly connections: Connections;
  readonly #listeners = new Set<(event: EngineEvent) => void>();
  readonly #cursors = new Set<() => Promise<void>>();
  #lastWrite: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  private constructor(url: string, schema: string) {
    this.connections = new Connections(url, schema, () => {
      for (const listener of this.#listeners) listener(this.isWritable ? 'writable' : 'read-only');
    });
  }

  /** Connects, and brings the schema up to date. @throws NewerSchemaError, Error of PostgreSQL or of the connection */
  static async open({ url, schema = POSTGRES_SCHEMA }: PostgresOptions): Promise<PostgresEngine> {
    const engine = new PostgresEngine(url, schema);
    try {
      const client = await engine.connections.connect();
      await migratePostgres(sessionOf(client), schema).finally(() => client.end());
      return engine;
    } catch (error) {
      await engine.close();
      throw error;
    }
  }

  get isWritable(): boolean {
    return this.connections.status === 'writable';
  }

  onEvent(listener: (event: EngineEvent) => void): void {
    this.#listeners.add(listener);
  }

  all<Row extends SqlRow>(statement: Statement): Promise<Row[]> {
    return this.#read((client) => sessionOf(client).all<Row>(statement));
  }

  snapshot<T>(work: (from: Reader) => Promise<T>): Promise<T> {
    return this.#read((client) => transact(sessionOf(client), work, SNAPSHOT));
  }

  async counted<Row extends SqlRow>(statement: Statement): Promise<CountedRows<Row>> {
    const client = await this.connections.take();
    let ended: Promise<void> | undefined;
    const end = () => {
      this.#cursors.delete(end);
      ended ??= client.query('rollback').then(
        () => this.connections.giveBack(client, false),
        () => this.connections.giveBack(client, true),
      );
      return ended;
    };
    this.#cursors.add(end);
    try {
      await client.query(SNAPSHOT);
      const counted = await piecewise<Row>(sessionOf(client), statement, () => ended !== undefined);
      return { ...counted, end };
    } catch (error) {
      await end();
      throw error;
    }
  }

  write<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const result = this.#lastWrite.then(async () => {
      try {
        return await this.connections.use((client) => transact(sessionOf(client), work));
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
    await this.connections.close();
  }

  /** A connection may have ended while nobody used it: a query that meets this is asked once more. */
  async #read<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    try {
      return await this.connections.use(work);
    } catch (error) {
      if (!isOfConnection(error) || this.#isClosed) throw error;
      return this.connections.use(work);
    }
  }
}
