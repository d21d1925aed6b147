import 'server-only';
import type pg from 'pg';
import {
  type CountedRows,
  IndexClosedError,
  IndexUnavailableError,
  oneRow,
  type Session,
  type SqlRow,
  type SqlValue,
} from '@/lib/store/engine';
import { asSql, type SqlParameter, type Statement, sql } from '@/lib/store/sql';

export function postgresSession(client: pg.ClientBase): Session {
  return {
    all: async <Row extends SqlRow>(statement: Statement) =>
      (await client.query(withTypedParameters(statement))).rows as Row[],
    run: async (statement) => void (await client.query(withTypedParameters(statement))),
  };
}

/** The error concerns the connection or the server rather than one statement. */
export function isOfConnection(error: unknown): boolean {
  if (error instanceof IndexUnavailableError) return isOfConnection(error.cause ?? {});
  if (isBusy(error)) return false;
  const { code = '', message = '' } = error as { code?: string; message?: string };
  // These codes are connection errors, shutdowns, a full disk, and a read-only server.
  if (/^(08|57P|53|25006)/.test(code) || /^E[A-Z]+$/.test(code)) return true;
  return /connection|timeout|not queryable/i.test(message) && !/^[0-9A-Z]{5}$/.test(code);
}

export class QueryTimeoutError extends Error {}

export function isTooSlow(error: unknown): boolean {
  return (
    error instanceof QueryTimeoutError || /^(57014|55P03)$/.test((error as { code?: string }).code ?? '')
  );
}

export class ConnectionsBusy extends Error {}

/** All connections are in use: those of this process, or those that the server allows. */
export function isBusy(error: unknown): boolean {
  return error instanceof ConnectionsBusy || (error as { code?: string }).code === '53300';
}

/** Address of the database, without user and password. */
export function databaseAddress(url: string): string {
  try {
    const { host, pathname } = new URL(url);
    return `${host}${pathname}`;
  } catch {
    return 'its address';
  }
}

/** The server is read-only, or its disk is full. */
export function isUnwritable(error: unknown): boolean {
  return /^(25006|53100)$/.test((error as { code?: string }).code ?? '');
}

const ROWS_PER_PIECE = 2000;

/** @param session must be in a transaction that sees one snapshot */
export async function readInPieces<Row extends SqlRow>(
  session: Session,
  statement: Statement,
  hasEnded: () => boolean,
): Promise<Pick<CountedRows<Row>, 'total' | 'pieces'>> {
  const { all, run } = session;
  const query = asSql(statement);
  const counting = sql`select count(*) as total from (${query}) as counted`;
  const { total } = await oneRow<{ total: number }>(session, counting);
  // The planner should optimise for all rows, not for the first ones.
  await run('set local cursor_tuple_fraction = 1');
  await run(sql`declare piecewise no scroll cursor for ${query}`);
  async function* pieces(): AsyncGenerator<Row[], void> {
    for (;;) {
      if (hasEnded()) throw new IndexClosedError();
      const rows = await all<Row>(`fetch ${ROWS_PER_PIECE} from piecewise`);
      if (rows.length === 0) return;
      yield rows;
    }
  }
  return { total, pieces: pieces() };
}

/** Types are those in DuckDB. NUL characters are replaced, because PostgreSQL text cannot hold them. */
export function withTypedParameters(statement: Statement): { text: string; values: (string | Uint8Array)[] } {
  const values: (string | Uint8Array)[] = [];
  const sent = (value: Exclude<SqlParameter, null>) =>
    value instanceof Uint8Array ? value : String(value).replaceAll('\u0000', '\ufffd');
  const text = asSql(statement).written((value) =>
    value === null ? 'null' : `$${values.push(sent(value))}::${typeOf(value)}`,
  );
  return { text, values };
}

function typeOf(value: Exclude<SqlParameter, null>): string {
  if (typeof value === 'string' || value instanceof Uint8Array) return 'text';
  if (typeof value === 'boolean') return 'boolean';
  return typeof value === 'bigint' || Number.isSafeInteger(value) ? 'bigint' : 'double precision';
}

/** Type ids (oid) of PostgreSQL. */
const BOOL = 16;
const INT8 = 20;
const INT2 = 21;
const INT4 = 23;
const FLOAT4 = 700;
const FLOAT8 = 701;

export const types: pg.CustomTypesConfig = {
  getTypeParser:
    (oid: number) =>
    (text: string): SqlValue => {
      if (oid === BOOL) return text === 't';
      if (oid === FLOAT4 || oid === FLOAT8) return Number(text);
      if (oid !== INT8 && oid !== INT2 && oid !== INT4) return text;
      const number = Number(text);
      return Number.isSafeInteger(number) ? number : BigInt(text);
    },
};
