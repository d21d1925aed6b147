import 'server-only';
import type { IndexState } from '@/lib/core/health';
import { type Failure, FailureError } from '@/lib/core/outcome';
import type { Sql, Statement } from './sql';

/** Values in query results: decimals and uuids as text, integers as numbers (as bigint beyond 2^53). */
export type SqlValue = string | number | bigint | boolean | null;
export type SqlRow = Record<string, SqlValue>;

/** Statements run one after the other, on one connection. */
export type Session = {
  all<Row extends SqlRow>(statement: Statement): Promise<Row[]>;
  run(statement: Statement): Promise<void>;
};

export type Reader = Pick<Session, 'all'>;

/** The row of a query that always has one, such as an aggregate without groups. */
export async function oneRow<Row extends SqlRow>(from: Reader, statement: Statement): Promise<Row> {
  const [row] = await from.all<Row>(statement);
  if (row === undefined) throw new Error('A query that has one row has none.');
  return row;
}

/** @param begin the first statement, for example one that fixes a snapshot */
export async function transact<T>(
  session: Session,
  work: (session: Session) => Promise<T>,
  begin = 'begin',
): Promise<T> {
  await session.run(begin);
  try {
    const result = await work(session);
    await session.run('commit');
    return result;
  } catch (error) {
    // After a failed commit there is nothing to roll back.
    await session.run('rollback').catch(() => undefined);
    throw error;
  }
}

/** `replaced`: all rows are gone, and a new database has taken the place of a broken one. */
export type EngineEvent = 'read-only' | 'writable' | 'replaced';

export type CountedRows<Row extends SqlRow> = {
  total: number;
  pieces: AsyncGenerator<Row[], void>;
  end: () => Promise<void>;
};

/** Readable until `end` is called, over a separate connection. */
export type SnapshotReader = Reader & { end: () => Promise<void> };

export type Dialect = {
  /** The first index of the array is 1. */
  split(text: Sql, code: number): Sql;
  /** Begins the statement that creates the temporary table `stage`, at most once per transaction. */
  stage: string;
  /** Converts a text of digits to an exact number. */
  decimal(text: string): string;
  /** Replacements for the queries of `stateCounts` and `countRows`, for an engine on which full scans are slow. */
  counts?: { ofStates(keeperId: number, daySinceUs: number): Sql; ofKeeper(keeperId: number): Sql };
};

export type MemoryFailures = { count: number; lastMs: number | undefined };

export interface Engine extends Reader {
  readonly kind: 'duckdb' | 'postgres';
  readonly dialect: Dialect;
  /** Name for people: a file, or host and name of a database. */
  readonly place: string;
  readonly isWritable: boolean;
  readonly state: IndexState;
  /** Queries that failed for lack of memory since the start. */
  readonly memoryFailures: Readonly<MemoryFailures>;
  onEvent(listener: (event: EngineEvent) => void): void;
  /** Reader of internal queries, for which no page waits. Their timeout is `BACKGROUND_TIMEOUT_MS`. */
  readonly background: Reader;
  /** All queries see one snapshot, unaffected by concurrent writes. */
  snapshot<T>(work: (from: Reader) => Promise<T>): Promise<T>;
  /** The first query fixes the snapshot. Old row versions are kept until `end`, which the caller must call soon. */
  openSnapshot(): Promise<SnapshotReader>;
  /** Pieces of about 2,000 rows, all from one snapshot. The caller must call `end`, even if it stops early. */
  counted<Row extends SqlRow>(statement: Statement): Promise<CountedRows<Row>>;
  /** Runs one write at a time: all statements of `work` take effect, or none. @throws IndexNotWritableError */
  write<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /** Returns the space of deleted rows to the system, if that is worthwhile. */
  compact(): Promise<void>;
  /** Waits for the current write and ends reads. Later queries fail. */
  close(): Promise<void>;
}

export class IndexClosedError extends Error {
  constructor() {
    super('The index is closed.');
  }
}

/** The engine has too little memory for this query. No row is lost, and other queries work. */
export class IndexOutOfMemoryError extends Error {
  constructor(options?: ErrorOptions) {
    super('The index has too little memory for this question.', options);
  }
}

/** Timeout of a query with the wait for a connection. Pages must be able to show the reason within 15 s. */
export const QUERY_TIMEOUT_MS = 12_000;

/** Timeout of internal queries. Counting ten million rows on a cold disk takes a minute. */
export const BACKGROUND_TIMEOUT_MS = 120_000;

/** The index's database is down, locked or overloaded. The message is for people, and names its location. */
export class IndexUnavailableError extends FailureError {
  override get failure(): Failure {
    return { kind: 'index-unavailable', detail: this.message };
  }
}

/** Errors of our own code appear only in the log. */
export function indexFailure(error: unknown): Failure {
  if (error instanceof IndexUnavailableError) return error.failure;
  const detail =
    error instanceof IndexOutOfMemoryError
      ? 'The index has too little memory for this question: STORE_MEMORY_MB is what it gets. A shorter time range needs less.'
      : 'The index can’t be read now. The server log has the reason.';
  return { kind: 'index-unavailable', detail };
}

export const answerTimeout = (place: string, ms: number, options?: ErrorOptions) =>
  new IndexUnavailableError(
    `The index’s database (${place}) did not answer within ${Math.ceil(ms / 1000)} s: it is locked or overloaded.`,
    options,
  );

/** Nothing can be written at the moment, and nothing was written. Reading works; writing is retried every 30 s. */
export class IndexNotWritableError extends IndexUnavailableError {
  constructor(
    options?: ErrorOptions,
    message = 'The index is not writable: disk full, or disk or database read-only.',
  ) {
    super(message, options);
  }
}
