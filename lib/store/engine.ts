import 'server-only';
import type { IndexState } from '@/lib/core/health';
import { type Failure, FailureError } from '@/lib/core/outcome';
import type { Sql, Statement } from './sql';

/** What a query gives: decimals and uuids as text, integers as numbers (as bigint beyond 2^53). */
export type SqlValue = string | number | bigint | boolean | null;
export type SqlRow = Record<string, SqlValue>;

/** Statements of one connection, one after the other. */
export type Session = {
  all<Row extends SqlRow>(statement: Statement): Promise<Row[]>;
  run(statement: Statement): Promise<void>;
};

/** Whatever can be asked: a database, or a moment of it. */
export type Reader = Pick<Session, 'all'>;

/** The one row of a query that has one, such as an aggregate without groups. */
export async function oneRow<Row extends SqlRow>(from: Reader, statement: Statement): Promise<Row> {
  const [row] = await from.all<Row>(statement);
  if (row === undefined) throw new Error('A query that has one row has none.');
  return row;
}

/** All statements of `work` take effect, or none. @param begin a moment that they see, for those that only read */
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
    // After a failed commit there is nothing left to take back.
    await session.run('rollback').catch(() => undefined);
    throw error;
  }
}

/**
 * What became of the database. `read-only`: nothing can be written now. `writable`: it can again. `replaced`: all rows are
 * gone, a new database was begun in the place of a broken one.
 */
export type EngineEvent = 'read-only' | 'writable' | 'replaced';

/** Rows of one query: how many there are, and they themselves, piece by piece. */
export type CountedRows<Row extends SqlRow> = {
  total: number;
  pieces: AsyncGenerator<Row[], void>;
  end: () => Promise<void>;
};

/** A moment of the database that is read until `end`, over a connection of its own. */
export type HeldReader = Reader & { end: () => Promise<void> };

/** What two databases say differently; all other SQL is the same. */
export type Dialect = {
  /** A text cut at a character code, as an array counted from 1. */
  split(text: Sql, code: number): Sql;
  /** Makes the table `stage` of what follows, once in a transaction, until it ends. */
  stage: string;
  /** SQL for a text of digits as an exact number. */
  decimal(text: string): string;
  /** The queries of `stateCounts` and `countRows`, where a look at all rows for each would be slow. */
  counts?: { ofStates(keeperId: number, daySinceUs: number): Sql; ofKeeper(keeperId: number): Sql };
};

export type MemoryFailures = { count: number; lastMs: number | undefined };

/** A database, whichever it is. */
export interface Engine extends Reader {
  readonly kind: 'duckdb' | 'postgres';
  readonly dialect: Dialect;
  /** Where it is, for people: a file, or host and name of a database. */
  readonly place: string;
  readonly isWritable: boolean;
  readonly state: IndexState;
  /** Questions that failed for lack of memory since the start, and when the last one did, unix milliseconds. */
  readonly memoryFailures: Readonly<MemoryFailures>;
  onEvent(listener: (event: EngineEvent) => void): void;
  /** For our own work, which no page waits for: the longest wait for an answer is `MAX_OWN_MS`. */
  readonly patient: Reader;
  /** Queries that all see the rows of one moment, whatever is written meanwhile. */
  snapshot<T>(work: (from: Reader) => Promise<T>): Promise<T>;
  /** The moment of its first query. It keeps old versions of rows alive: whoever asks calls `end`, and soon. */
  hold(): Promise<HeldReader>;
  /** Rows in pieces of about 2,000, with how many there are, all as of one moment. Whoever asks calls `end`, whatever was read. */
  counted<Row extends SqlRow>(statement: Statement): Promise<CountedRows<Row>>;
  /** One after the other: all statements of `work` take effect, or none. @throws IndexNotWritableError */
  write<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /** Gives room of deleted rows back to the system, where that is worth it. */
  compact(): Promise<void>;
  /** Waits for the write under way, and ends reads. Queries after this fail. */
  close(): Promise<void>;
}

/** The index was closed: the process ends. */
export class IndexClosedError extends Error {
  constructor() {
    super('The index is closed.');
  }
}

/** The engine has too little memory for this question. No row is lost, and other questions go on. */
export class IndexOutOfMemoryError extends Error {
  constructor(options?: ErrorOptions) {
    super('The index has too little memory for this question.', options);
  }
}

/** The longest wait for an answer of a database in milliseconds, for a free connection too: pages say why within 15 s. */
export const MAX_ANSWER_MS = 12_000;

/** The longest wait for an answer to work of our own, in milliseconds: counts of ten million rows on a cold disk take a minute. */
export const MAX_OWN_MS = 120_000;

/** The database of the index is down, locked or overloaded. The message says so to people, and names where it is. */
export class IndexUnavailableError extends FailureError {
  override get failure(): Failure {
    return { kind: 'index-unavailable', detail: this.message };
  }
}

/** What people are told of a question to the index that failed; what is a fault of ours stands in the log. */
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

/** Nothing can be written now, and nothing was. Reading goes on; whether writing works again is tried every 30 s. */
export class IndexNotWritableError extends IndexUnavailableError {
  constructor(
    options?: ErrorOptions,
    message = 'The index is not writable: disk full, or disk or database read-only.',
  ) {
    super(message, options);
  }
}
