import 'server-only';
import {
  BIGINT,
  BLOB,
  BOOLEAN,
  blobValue,
  DOUBLE,
  type DuckDBConnection,
  type DuckDBDataChunk,
  DuckDBDecimalValue,
  type DuckDBMaterializedResult,
  type DuckDBType,
  DuckDBUUIDValue,
  type DuckDBValue,
  SQLNULL,
  VARCHAR,
} from '@duckdb/node-api';
import type { Dialect, Session, SqlRow, SqlValue } from '@/lib/store/engine';
import { asSql, raw, type SqlParameter, type Statement, sql } from '@/lib/store/sql';

export const DIALECT: Dialect = {
  split: (text, code) => sql`string_split(${text}, chr(${raw(code)}))`,
  stage: 'create or replace temp table stage',
  // The cast goes through hugeint, which is six times as fast as casting text to a wide decimal.
  decimal: (text) => `cast(cast(${text} as hugeint) as decimal(38,0))`,
};

export function duckdbSession(connection: DuckDBConnection): Session {
  return {
    all: async <Row extends SqlRow>(statement: Statement) =>
      rowsOf(await result(connection, statement)) as Row[],
    run: async (statement) => void (await result(connection, statement)),
  };
}

/** Each further step would cost a round trip to another thread. */
async function result(connection: DuckDBConnection, statement: Statement): Promise<DuckDBMaterializedResult> {
  const [text, values, types] = withBoundValues(statement);
  if (values === undefined) return connection.run(text);
  const prepared = await connection.prepare(text);
  try {
    prepared.bind(values, types);
    return await prepared.run();
  } finally {
    prepared.destroySync();
  }
}

function rowsOf(result: DuckDBMaterializedResult): SqlRow[] {
  const names = result.deduplicatedColumnNames();
  const chunks = Array.from({ length: result.chunkCount }, (_, index) => result.getChunk(index));
  return chunks.flatMap((chunk) => rowObjects(chunk, names));
}

export function rowObjects(chunk: DuckDBDataChunk, names: readonly string[]): SqlRow[] {
  return Array.from({ length: chunk.rowCount }, (_, index) => {
    const row: SqlRow = {};
    chunk.visitRowValues(index, (value, _at, column) => {
      row[names[column] ?? ''] = plainValue(value);
    });
    return row;
  });
}

/** Text with `$1`, `$2`, …, values and their types. A statement without values runs unprepared. */
export function withBoundValues(statement: Statement): [string, DuckDBValue[]?, DuckDBType[]?] {
  const written = asSql(statement);
  const { values } = written;
  const text = written.written((value, index) =>
    value instanceof Uint8Array ? `decode($${index})` : `$${index}`,
  );
  return values.length === 0 ? [text] : [text, values.map(boundValue), values.map(typeOf)];
}

function boundValue(parameter: SqlParameter): DuckDBValue {
  if (parameter instanceof Uint8Array) return blobValue(parameter);
  return typeof parameter === 'number' && Number.isSafeInteger(parameter) ? BigInt(parameter) : parameter;
}

function typeOf(parameter: SqlParameter): DuckDBType {
  if (parameter === null) return SQLNULL;
  if (parameter instanceof Uint8Array) return BLOB;
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
