import 'server-only';
import pg from 'pg';
import { IndexClosedError, type SqlRow } from '@/lib/store/engine';
import type { Statement } from '@/lib/store/sql';
import {
  ConnectionsBusy,
  isBusy,
  isOfConnection,
  isUnwritable,
  QueryTimeoutError,
  types,
  withTypedParameters,
} from './session';

/** `slow`: reachable, but does not answer a quick query within seconds. */
type ServerStatus = 'writable' | 'read-only' | 'slow' | 'away';

/** Connections with those of exports; further queries wait for one. */
const MAX_CONNECTIONS = 10;
const CONNECT_TIMEOUT_MS = 5000;
/** Timeout of a query that gets no answer at all. */
const MAX_QUERY_MS = 120_000;
/** A connection that gives no answer by then is broken. */
const QUICK_QUERY_MS = 4000;
/** Time for which the server counts as busy after all connections were in use. */
const BUSY_STATUS_MS = 30_000;

/** The query fails. The library's types hide `end` of a pooled client. */
const abort = (client: pg.PoolClient) => void (client as unknown as pg.Client).end();

/** SQL of both timeouts. Up to two thirds of the time may be spent waiting for a lock. */
export const limits = (ms: number) =>
  `set statement_timeout to ${Math.ceil(ms)}; set lock_timeout to ${Math.ceil((ms * 2) / 3)}`;

export class Connections {
  readonly #config: pg.PoolConfig;
  readonly #settings: string;
  readonly #limits: string;
  readonly #busy = new Set<pg.PoolClient>();
  #pool: pg.Pool;
  /** A separate connection, because exports may occupy the whole pool. */
  #quickClient: Promise<pg.Client> | undefined;
  #status: ServerStatus = 'writable';
  #isClosed = false;
  #busyAt = Number.NEGATIVE_INFINITY;

  constructor(
    url: string,
    schema: string,
    timeoutMs: number,
    private readonly onStatus: () => void,
  ) {
    this.#config = {
      connectionString: url,
      application_name: 'keeperscope',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: MAX_QUERY_MS,
      keepAlive: true,
      max: MAX_CONNECTIONS,
      types,
    };
    this.#settings = `set search_path to ${pg.escapeIdentifier(schema)}; set jit to off; set work_mem to '32MB'`;
    this.#limits = limits(timeoutMs);
    this.#pool = this.#newPool();
  }

  #newPool(): pg.Pool {
    const pool = new pg.Pool(this.#config);
    pool.on('connect', (client) => {
      // The query fails with the error. Without this listener the event would end the process.
      client.on('error', () => undefined);
      void client.query(`${this.#settings}; ${this.#limits}`).catch(() => undefined);
    });
    // If an idle connection ends, its next user gets the error.
    return pool.on('error', () => undefined);
  }

  get status(): ServerStatus {
    return this.#status;
  }

  get isBusy(): boolean {
    return performance.now() - this.#busyAt < BUSY_STATUS_MS;
  }

  setStatus(status: ServerStatus): void {
    if (status === this.#status) return;
    this.#status = status;
    this.onStatus();
  }

  /** The caller must close the connection. */
  async connect(): Promise<pg.Client> {
    const client = new pg.Client(this.#config);
    client.on('error', () => undefined);
    await client.connect();
    await client.query(this.#settings);
    return client;
  }

  /** The caller must release the connection. @throws IndexClosedError, Error of the connection */
  async acquire(): Promise<pg.PoolClient> {
    if (this.#isClosed) throw new IndexClosedError();
    try {
      const client = await this.#pool.connect();
      if (this.#status === 'away') this.setStatus('writable');
      this.#busy.add(client);
      return client;
    } catch (error) {
      const isCrowded = this.#busy.size >= MAX_CONNECTIONS || isBusy(error);
      if (!isCrowded) {
        this.setStatus('away');
        throw error;
      }
      this.#busyAt = performance.now();
      throw new ConnectionsBusy('', { cause: error });
    }
  }

  release(client: pg.PoolClient, isBroken: boolean): void {
    this.#busy.delete(client);
    client.release(isBroken);
  }

  /** @throws QueryTimeoutError after `ms`, including the wait for a free connection; the connection is then closed */
  async use<T>(work: (client: pg.PoolClient) => Promise<T>, ms?: number): Promise<T> {
    const untilMs = performance.now() + (ms ?? MAX_QUERY_MS);
    const client = await this.acquire();
    let isBroken = false;
    let isTimedOut = false;
    const alarm = setTimeout(() => {
      isTimedOut = true;
      abort(client);
    }, untilMs - performance.now());
    try {
      return await work(client);
    } catch (error) {
      isBroken = isTimedOut || isOfConnection(error);
      throw isTimedOut ? new QueryTimeoutError('', { cause: error }) : error;
    } finally {
      clearTimeout(alarm);
      this.release(client, isBroken);
    }
  }

  /** A query with a short timeout. If it passes, all connections are replaced, unless the server is slow. */
  async quickQuery<Row extends SqlRow>(statement: Statement): Promise<Row[]> {
    if (this.#isClosed) throw new IndexClosedError();
    this.#quickClient ??= this.connect();
    const connecting = this.#quickClient;
    try {
      const rows = await quickQueryOver<Row>(await connecting, statement);
      if (this.#status === 'away' || this.#status === 'slow') this.setStatus('writable');
      return rows;
    } catch (error) {
      if (!isOfConnection(error) || isUnwritable(error)) throw error;
      if (this.#quickClient === connecting) this.#quickClient = undefined;
      connecting.then((client) => client.end()).catch(() => undefined);
      const isSlow = isUnanswered(error) && (await this.#isSlow(statement));
      this.setStatus(isSlow ? 'slow' : 'away');
      if (isUnanswered(error) && !isSlow) this.#replacePool();
      throw error;
    }
  }

  /** The server is reachable, but does not answer over a new connection either. */
  async #isSlow(statement: Statement): Promise<boolean> {
    const connecting = this.connect();
    try {
      await quickQueryOver(await connecting, statement);
      return false;
    } catch (error) {
      return isUnanswered(error);
    } finally {
      connecting.then((client) => client.end()).catch(() => undefined);
    }
  }

  /** Running queries fail, and are repeated over the new pool. */
  #replacePool(): void {
    if (this.#isClosed) return;
    const previous = this.#pool;
    this.#pool = this.#newPool();
    this.#abortBusy();
    void previous.end();
  }

  #abortBusy(): void {
    for (const client of this.#busy) abort(client);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#quickClient?.then((client) => client.end()).catch(() => undefined);
    this.#abortBusy();
    await this.#pool.end();
  }
}

const isUnanswered = (error: unknown) => (error as Error).message === 'Query read timeout';

/** @throws Error of the connection if no answer comes within seconds */
export async function quickQueryOver<Row extends SqlRow>(
  client: pg.ClientBase,
  statement: Statement,
): Promise<Row[]> {
  const query = { ...withTypedParameters(statement), query_timeout: QUICK_QUERY_MS };
  return (await client.query(query)).rows as Row[];
}
