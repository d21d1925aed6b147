import 'server-only';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { IndexState } from '@/lib/core/health';
import { SerialQueue } from '@/lib/core/serial-queue';
import { MINUTE_MS } from '@/lib/core/time';
import {
  answerTimeout,
  BACKGROUND_TIMEOUT_MS,
  type CountedRows,
  type Dialect,
  type Engine,
  type EngineEvent,
  IndexNotWritableError,
  IndexUnavailableError,
  QUERY_TIMEOUT_MS,
  type Reader,
  type Session,
  type SnapshotReader,
  type SqlRow,
  transact,
} from '@/lib/store/engine';
import { raw, type Statement, sql } from '@/lib/store/sql';
import { Connections } from './connections';
import { COUNTS, migratePostgres } from './schema';
import {
  databaseAddress,
  isBusy,
  isOfConnection,
  isTooSlow,
  isUnwritable,
  postgresSession,
  readInPieces,
} from './session';

type PostgresOptions = {
  /** `postgres://user:password@host/database`. */
  url: string;
  schema?: string;
  timeoutMs?: number;
};

export const POSTGRES_SCHEMA = 'keeperscope';

const DIALECT: Dialect = {
  split: (text, code) => sql`string_to_array(${text}, chr(${raw(code)}))`,
  stage: 'create temp table stage on commit drop',
  decimal: (text) => `cast(${text} as decimal(38,0))`,
  counts: COUNTS,
};

/** Time for an export to count its rows or to find the next ones. */
const FIRST_ROWS_TIMEOUT_MS = MINUTE_MS;
/**
/** Time for running writes and exports, after which the server rolls them back. */
const CLOSE_GRACE_MS = 1000;
const SNAPSHOT = 'begin isolation level repeatable read read only';
const BACKGROUND_SNAPSHOT = `${SNAPSHOT}; set local statement_timeout = ${BACKGROUND_TIMEOUT_MS}; set local lock_timeout = ${BACKGROUND_TIMEOUT_MS}`;

/** Whether the server ended or refused the connection. The messages vary, but all are FATAL. */
const isDown = (error: unknown) =>
  isOfConnection(error) || (error as { severity?: string }).severity === 'FATAL';

export class PostgresEngine implements Engine {
  readonly kind = 'postgres';
  readonly dialect = DIALECT;
  /** The server has its own memory, and reports a shortage in its errors. */
  readonly memoryFailures = { count: 0, lastMs: undefined };
  readonly connections: Connections;
  readonly place: string;
  readonly #listeners = new Set<(event: EngineEvent) => void>();
  readonly #cursors = new Set<() => Promise<void>>();
  readonly #writes = new SerialQueue();
  #isClosed = false;

  private constructor(
    url: string,
    schema: string,
    private readonly timeoutMs: number,
  ) {
    this.place = `PostgreSQL at ${databaseAddress(url)}`;
    this.connections = new Connections(url, schema, timeoutMs, () => {
      for (const listener of this.#listeners) listener(this.isWritable ? 'writable' : 'read-only');
    });
  }

  /** @throws NewerSchemaError, Error of PostgreSQL or of the connection */
  static async open({
    url,
    schema = POSTGRES_SCHEMA,
    timeoutMs = QUERY_TIMEOUT_MS,
  }: PostgresOptions): Promise<PostgresEngine> {
    const engine = new PostgresEngine(url, schema, timeoutMs);
    try {
      const client = await engine.connections.connect();
      await migratePostgres(postgresSession(client), schema).finally(() => client.end());
      return engine;
    } catch (error) {
      await engine.close();
      throw error;
    }
  }

  get isWritable(): boolean {
    return this.connections.status === 'writable';
  }

  get state(): IndexState {
    const { status, isBusy } = this.connections;
    if (status !== 'writable') return status;
    return isBusy ? 'busy' : 'ok';
  }

  onEvent(listener: (event: EngineEvent) => void): void {
    this.#listeners.add(listener);
  }

  all<Row extends SqlRow>(statement: Statement): Promise<Row[]> {
    return this.#read((client) => postgresSession(client).all<Row>(statement));
  }

  readonly background: Reader = {
    all: <Row extends SqlRow>(statement: Statement) => {
      const query = ({ all }: Session) => all<Row>(statement);
      return this.#read(
        (client) => transact(postgresSession(client), query, BACKGROUND_SNAPSHOT),
        BACKGROUND_TIMEOUT_MS,
      );
    },
  };

  snapshot<T>(work: (from: Reader) => Promise<T>): Promise<T> {
    return this.#read((client) => transact(postgresSession(client), work, SNAPSHOT));
  }

  openSnapshot(): Promise<SnapshotReader> {
    return this.#hold(async (client) => {
      const { all } = postgresSession(client);
      return { all: (statement) => all(statement).catch((error) => this.#fail(error)) } as Reader;
    });
  }

  counted<Row extends SqlRow>(statement: Statement): Promise<CountedRows<Row>> {
    return this.#hold((client, hasEnded) => readInPieces<Row>(postgresSession(client), statement, hasEnded));
  }

  async #hold<T>(
    begin: (client: pg.PoolClient, hasEnded: () => boolean) => Promise<T>,
  ): Promise<T & { end: () => Promise<void> }> {
    const client = await this.connections.acquire().catch((error) => this.#fail(error));
    let ended: Promise<void> | undefined;
    const end = () => {
      this.#cursors.delete(end);
      ended ??= client.query('rollback').then(
        () => this.connections.release(client, false),
        () => this.connections.release(client, true),
      );
      return ended;
    };
    this.#cursors.add(end);
    try {
      await client.query(`${SNAPSHOT}; set local statement_timeout = ${FIRST_ROWS_TIMEOUT_MS}`);
      return { ...(await begin(client, () => ended !== undefined)), end };
    } catch (error) {
      await end();
      return this.#fail(error);
    }
  }

  write<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#writes.run(async () => {
      try {
        return await this.connections.use((client) => transact(postgresSession(client), work));
      } catch (error) {
        if (isUnwritable(error)) throw new IndexNotWritableError({ cause: error });
        if (isBusy(error)) throw new IndexNotWritableError({ cause: error }, this.#busy);
        if (isDown(error)) throw new IndexNotWritableError({ cause: error }, this.#downText);
        return this.#fail(error);
      }
    });
  }

  /** PostgreSQL reuses the space of deleted rows by itself. */
  async compact(): Promise<void> {}

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const ended = Promise.all([this.#writes.idle, ...[...this.#cursors].map((end) => end())]);
    await Promise.race([ended, pause(CLOSE_GRACE_MS, undefined, { ref: false })]);
    await this.connections.close();
  }

  get #downText(): string {
    return `The index’s database (${this.place}) is down or unreachable.`;
  }

  get #busy(): string {
    return `All connections to the index’s database (${this.place}) are busy: it answers slowly, or many query at once.`;
  }

  /** @throws an error for pages and logs, or the original error if it concerns only the query */
  #fail(error: unknown): never {
    if (this.#isClosed) throw error;
    if (isTooSlow(error)) throw answerTimeout(this.place, this.timeoutMs, { cause: error });
    if (isBusy(error)) throw new IndexUnavailableError(this.#busy, { cause: error });
    throw isDown(error) ? new IndexUnavailableError(this.#downText, { cause: error }) : error;
  }

  /** A query is repeated once if its connection had ended, or all were busy. */
  async #read<T>(work: (client: pg.PoolClient) => Promise<T>, timeoutMs = this.timeoutMs): Promise<T> {
    const untilMs = performance.now() + timeoutMs;
    const leftMs = () => Math.max(1, untilMs - performance.now());
    try {
      return await this.connections.use(work, leftMs());
    } catch (error) {
      const mayPass = isBusy(error) || isOfConnection(error);
      if (isTooSlow(error) || !mayPass || this.#isClosed) this.#fail(error);
      return await this.connections.use(work, leftMs()).catch((again) => this.#fail(again));
    }
  }
}
