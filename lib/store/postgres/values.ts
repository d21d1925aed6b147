import 'server-only';
import type { CustomTypesConfig } from 'pg';
import type { SqlParameter, SqlValue } from '@/lib/store/engine';

/**
 * A statement whose places have the types that the other engine gives them: a whole number is a 64-bit integer, a fraction
 * a double. No text holds a NUL there.
 */
export function typed(sql: string, parameters: readonly SqlParameter[]): { text: string; values: string[] } {
  const values: string[] = [];
  const places = new Map<string, string>();
  const text = sql.replace(/\$(\d+)/g, (written, digits: string) => {
    const known = places.get(written);
    if (known !== undefined) return known;
    const value = parameters[Number(digits) - 1] ?? null;
    const place =
      value === null
        ? 'null'
        : `$${values.push(String(value).replaceAll('\u0000', '\ufffd'))}::${typeOf(value)}`;
    places.set(written, place);
    return place;
  });
  return { text, values };
}

function typeOf(value: Exclude<SqlParameter, null>): string {
  if (typeof value === 'string') return 'text';
  if (typeof value === 'boolean') return 'boolean';
  return typeof value === 'bigint' || Number.isSafeInteger(value) ? 'bigint' : 'double precision';
}

const [BOOL, INT8, INT2, INT4, FLOAT4, FLOAT8] = [16, 20, 21, 23, 700, 701];

/** Reads decimals and uuids as text, integers as numbers (as bigint beyond 2^53). */
export const types: CustomTypesConfig = {
  getTypeParser: (oid: number) => (text: string) => valueFrom(oid, text),
};

function valueFrom(oid: number, text: string): SqlValue {
  if (oid === BOOL) return text === 't';
  if (oid === FLOAT4 || oid === FLOAT8) return Number(text);
  if (oid !== INT8 && oid !== INT2 && oid !== INT4) return text;
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}
