import 'server-only';
import type { DuckDBConnection, DuckDBResult } from '@duckdb/node-api';
import { IndexClosedError, oneRow, type SqlRow } from '@/lib/store/engine';
import { type Sql, sql } from '@/lib/store/sql';
import { duckdbSession, rowObjects, withBoundValues } from './values';

/** The interrupt is repeated, because one between two steps of a query has no effect. */
const INTERRUPT_INTERVAL_MS = 10;

/** Rows are counted first, in one transaction: DuckDB ends a result that fails halfway as if it were complete. */
export class Cursor {
  readonly started: Promise<{ result: DuckDBResult; total: number }>;
  #fetching: Promise<unknown> = Promise.resolve();
  #isRead = false;
  #ended: Promise<void> | undefined;

  /** The cursor closes the connection. The creator must call `end`. */
  constructor(
    private readonly connecting: Promise<DuckDBConnection>,
    statement: Sql,
  ) {
    this.started = this.#start(statement);
    // The reader receives the error; this only marks it as handled.
    this.started.catch(() => undefined);
  }

  async #start(statement: Sql): Promise<{ result: DuckDBResult; total: number }> {
    const connection = await this.connecting;
    await connection.run('begin transaction');
    const counting = sql`select count(*) as total from (${statement}) as counted`;
    const { total } = await oneRow<{ total: number }>(duckdbSession(connection), counting);
    return { total, result: await connection.stream(...withBoundValues(statement)) };
  }

  /** Rows in pieces of about 2,000. @throws IndexClosedError, or Error if the query fails before its last row */
  async *pieces<Row extends SqlRow>(): AsyncGenerator<Row[], void> {
    const { result, total } = await this.started;
    const names = result.deduplicatedColumnNames();
    for (let left = total; ; ) {
      const fetching = this.#ended === undefined ? result.fetchChunk() : Promise.resolve(null);
      this.#fetching = fetching.catch(() => undefined);
      const chunk = await fetching;
      if (this.#ended !== undefined) throw new IndexClosedError();
      if (chunk === null || chunk.rowCount === 0) {
        this.#isRead = true;
        if (left !== 0) throw new Error('A query of the index ended before its last row.');
        return;
      }
      left -= chunk.rowCount;
      yield rowObjects(chunk, names) as Row[];
    }
  }

  /** Ends the query. While a result is unread, the file would stay open until garbage collection. */
  end(): Promise<void> {
    this.#ended ??= this.#end();
    return this.#ended;
  }

  async #end(): Promise<void> {
    const connection = await this.connecting;
    await interrupt(connection, this.started);
    await interrupt(connection, this.#fetching);
    if (!this.#isRead) await interrupt(connection, this.#readOut());
    connection.closeSync();
  }

  async #readOut(): Promise<void> {
    const { result } = await this.started;
    while ((await result.fetchChunk())?.rowCount);
  }
}

export async function interrupt(connection: DuckDBConnection, work: Promise<unknown>): Promise<void> {
  connection.interrupt();
  const again = setInterval(() => connection.interrupt(), INTERRUPT_INTERVAL_MS);
  await work.catch(() => undefined);
  clearInterval(again);
}
