import 'server-only';
import {
  BIGINT,
  BOOLEAN,
  DOUBLE,
  type DuckDBConnection,
  DuckDBDecimalValue,
  type DuckDBType,
  DuckDBUUIDValue,
  type DuckDBValue,
  SQLNULL,
  VARCHAR,
} from '@duckdb/node-api';
import type { SqlParameter, SqlRow, SqlValue } from '@/lib/store/engine';

/** All rows of a query. */
export async function allRows<Row extends SqlRow>(
  connection: DuckDBConnection,
  sql: string,
  parameters: readonly SqlParameter[],
): Promise<Row[]> {
  const reader = await connection.runAndReadAll(sql, ...bound(parameters));
  return reader.convertRowObjects<SqlValue>(plainValue) as Row[];
}

/** Values and types, as DuckDB binds them to `$1`, `$2`, … */
export function bound(parameters: readonly SqlParameter[]): [DuckDBValue[], DuckDBType[]] {
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

/** A value of DuckDB as ours. */
export function plainValue(value: DuckDBValue): SqlValue {
  if (typeof value === 'bigint') {
    return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
  }
  if (value instanceof DuckDBDecimalValue || value instanceof DuckDBUUIDValue) return value.toString();
  if (value === null || typeof value !== 'object') return value as SqlValue;
  throw new TypeError('A query of the index gives text, numbers and truth values only.');
}
