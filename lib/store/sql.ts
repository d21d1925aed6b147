import 'server-only';

/** What a statement takes: a whole number is bound as a 64-bit integer, a fraction as a double; bytes are a text in UTF-8. */
export type SqlParameter = string | number | bigint | boolean | Uint8Array | null;

/** Told by a symbol: Next gives routes and instrumentation a class of that name each, and no JSON can hold one. */
const IS_SQL = Symbol.for('keeperscope.sql');

/** A statement, or a part of one, with a value between each two of its texts. */
export class Sql {
  readonly [IS_SQL] = true;

  constructor(
    readonly texts: readonly string[],
    readonly values: readonly SqlParameter[],
  ) {}

  /** @param place what stands for the value at a place, counted from 1 */
  written(place: (value: SqlParameter, at: number) => string): string {
    return this.texts.reduce((all, text, at) => all + place(this.values[at - 1] ?? null, at) + text);
  }
}

/** What takes no value may be plain text. */
export type Statement = string | Sql;

/** Text of our own: nothing that a person or a service wrote. */
export const raw = (text: string | number) => new Sql([String(text)], []);

/** A template: other SQL stands in it as it is, and all else as a value. */
export function sql(
  [first = '', ...rest]: readonly string[],
  ...parts: readonly (SqlParameter | Sql)[]
): Sql {
  return concat([raw(first), ...rest.flatMap((text, at) => [partOf(parts[at] ?? null), raw(text)])]);
}

function partOf(part: SqlParameter | Sql): Sql {
  return typeof part === 'object' && part !== null && IS_SQL in part ? part : new Sql(['', ''], [part]);
}

function concat(parts: readonly Sql[]): Sql {
  const texts = [''];
  for (const [first = '', ...more] of parts.map((part) => part.texts))
    texts.push(texts.pop() + first, ...more);
  return new Sql(
    texts,
    parts.flatMap(({ values }) => values),
  );
}

export function joinSql(parts: readonly (SqlParameter | Sql)[], separator = ', '): Sql {
  return concat(parts.flatMap((part, at) => (at === 0 ? [partOf(part)] : [raw(separator), partOf(part)])));
}

/** `($1, $2)`; of no values a list that holds nothing. */
export function listOf(values: readonly (SqlParameter | Sql)[]): Sql {
  return sql`(${values.length === 0 ? raw('null') : joinSql(values)})`;
}

export const statementOf = (statement: Statement): Sql =>
  typeof statement === 'string' ? raw(statement) : statement;
