import 'server-only';

/** Values of a statement: integers are bound as 64-bit integers, other numbers as doubles; bytes are UTF-8 text. */
export type SqlParameter = string | number | bigint | boolean | Uint8Array | null;

/** Next loads this module several times, so `instanceof` would fail. No JSON input can contain a symbol. */
const IS_SQL = Symbol.for('keeperscope.sql');

/** SQL texts, with a bound value between each two of them. */
export class Sql {
  readonly [IS_SQL] = true;

  constructor(
    readonly texts: readonly string[],
    readonly values: readonly SqlParameter[],
  ) {}

  /** @param place renders a value by its position, which starts at 1 */
  written(place: (value: SqlParameter, at: number) => string): string {
    return this.texts.reduce((all, text, at) => all + place(this.values[at - 1] ?? null, at) + text);
  }
}

export type Statement = string | Sql;

/** SQL text written by us. Never pass text of a person or a service. */
export const raw = (text: string | number) => new Sql([String(text)], []);

/** Nested SQL is inserted as it is; any other value becomes a parameter. */
export function sql(
  [first = '', ...rest]: readonly string[],
  ...parts: readonly (SqlParameter | Sql)[]
): Sql {
  return concat([raw(first), ...rest.flatMap((text, index) => [partOf(parts[index] ?? null), raw(text)])]);
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
  return concat(
    parts.flatMap((part, index) => (index === 0 ? [partOf(part)] : [raw(separator), partOf(part)])),
  );
}

/** A list such as `($1, $2)`. Without values, it is a list that matches nothing. */
export function sqlList(values: readonly (SqlParameter | Sql)[]): Sql {
  return sql`(${values.length === 0 ? raw('null') : joinSql(values)})`;
}

export const asSql = (statement: Statement): Sql =>
  typeof statement === 'string' ? raw(statement) : statement;
