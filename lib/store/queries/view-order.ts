import 'server-only';
import { COLUMN_SCHEMA, type IndexColumn } from '@/lib/requests/column-schema';
import type { ColumnId } from '@/lib/requests/columns';
import type { Sort } from '@/lib/requests/view';
import type { SqlValue } from '@/lib/store/engine';
import { type ColumnType, columnType } from '@/lib/store/record-row';
import { joinSql, raw, type Sql, sql } from '@/lib/store/sql';

/** The values of all keys define the position of a row independently of other rows. */
export type OrderKey = {
  expression: Sql;
  direction: 'asc' | 'desc';
  /** Decimals and ids are sent as text in a cursor. */
  type: ColumnType;
  /** Rows without a value come last in both directions. */
  nullable: boolean;
};

/** Networks and keepers are ordered by name. */
export type OrderNames = {
  networks: readonly { networkId: string; name: string }[];
  keepers: readonly { keeperId: number; name: string }[];
};

export function indexColumnOf(id: ColumnId): { name: IndexColumn; type: ColumnType } {
  const name = COLUMN_SCHEMA[id].indexColumn;
  return { name, type: columnType(name) };
}

type Ordered = Pick<OrderKey, 'expression' | 'type'>;

/** Orders text by bytes, independent of the database's locale. */
const byText = (expression: Sql): Ordered => ({ expression: sql`${expression} collate "C"`, type: 'text' });

/** Rows with equal values follow newest first; rows of the same moment follow by id. */
export function orderKeys(sort: Sort, names: OrderNames): OrderKey[] {
  const dot = sort.lastIndexOf('.');
  const column = sort.slice(0, dot) as ColumnId;
  const direction = sort.slice(dot + 1) === 'asc' ? 'asc' : 'desc';
  const byTime = (direction: OrderKey['direction']): OrderKey[] => [
    { expression: raw('created_us'), type: 'bigint', direction, nullable: false },
    // Reversed for newest first, so that oldest first is its exact reverse.
    {
      expression: raw('id'),
      type: 'uuid',
      direction: direction === 'desc' ? 'asc' : 'desc',
      nullable: false,
    },
  ];
  if (column === 'created') return byTime(direction);
  return [{ ...orderedBy(column, names), direction, nullable: true }, ...byTime('desc')];
}

function orderedBy(column: Exclude<ColumnId, 'created'>, { networks, keepers }: OrderNames): Ordered {
  const { name, type } = indexColumnOf(column);
  if (column !== 'network' && column !== 'keeper') {
    return type === 'text' ? byText(raw(name)) : { expression: raw(name), type };
  }
  const cases =
    column === 'keeper'
      ? keepers.map(({ keeperId, name }) => sql`when ${keeperId} then ${name}`)
      : networks.map(({ networkId, name }) => sql`when ${networkId} then ${name.toLowerCase()}`);
  // A network without a name is ordered by its id, behind every name that begins with an ASCII character.
  const nameless = raw(column === 'keeper' ? 'cast(null as text)' : "'~' || lpad(network_id, 40, '0')");
  if (cases.length === 0) return byText(sql`(${nameless})`);
  return byText(sql`(case ${raw(name)} ${joinSql(cases, ' ')} else ${nameless} end)`);
}

export function orderBy(keys: readonly OrderKey[], reading: 'forward' | 'backward' = 'forward'): Sql {
  return joinSql(
    keys.map(({ expression, direction, nullable }) => {
      const turned = reading === 'forward' ? direction : direction === 'asc' ? 'desc' : 'asc';
      const nulls = nullable ? ` nulls ${reading === 'forward' ? 'last' : 'first'}` : '';
      return sql`${expression} ${raw(turned + nulls)}`;
    }),
  );
}

/** Numbered columns, as `cursorOf` reads them. */
export function keyColumns(keys: readonly OrderKey[]): Sql {
  return joinSql(
    keys.map(({ expression, type }, index) => {
      const isPlain = type === 'bigint' || type === 'double precision' || type === 'text';
      return sql`${isPlain ? expression : sql`cast(${expression} as text)`} as ${raw(`key_${index}`)}`;
    }),
  );
}

/** Values of a row's keys. */
export type RowCursor = (string | number | null)[];

/** @param row read with `keyColumns` */
export function cursorOf(keys: readonly OrderKey[], row: Record<string, SqlValue>): RowCursor {
  return keys.map((_, index) => {
    const value = row[`key_${index}`];
    return typeof value === 'bigint' || typeof value === 'boolean' ? String(value) : (value ?? null);
  });
}

/** Keyset pagination. The cursor's own row is excluded. */
export function keysetCondition(keys: readonly OrderKey[], cursor: RowCursor, side: 'after' | 'before'): Sql {
  const values = keys.map(({ type }, index) => {
    const value = cursor[index] ?? null;
    return value === null ? undefined : sql`cast(${value} as ${raw(type)})`;
  });
  const alternatives = keys.map((key, index) => {
    const equal = keys.slice(0, index).map(({ expression }, before) => {
      const value = values[before];
      return value === undefined ? sql`${expression} is null` : sql`${expression} = ${value}`;
    });
    return sql`(${joinSql([...equal, beyondKey(key, values[index], side)], ' and ')})`;
  });
  const [lead] = keys;
  const [value] = values;
  const anyAlternative = sql`(${joinSql(alternatives, ' or ')})`;
  if (lead === undefined || value === undefined) return anyAlternative;
  // This condition is redundant, but lets the engine skip blocks of rows by the first key.
  return sql`(${beyondKey(lead, value, side)} or ${lead.expression} = ${value}) and ${anyAlternative}`;
}

function beyondKey(
  { expression, direction, nullable }: OrderKey,
  value: Sql | undefined,
  side: 'after' | 'before',
): Sql {
  // Rows without a value come last, so nothing follows them and all other rows precede them.
  if (value === undefined) return side === 'after' ? raw('false') : sql`${expression} is not null`;
  const isGreater = (direction === 'asc') === (side === 'after');
  const comparison = sql`${expression} ${raw(isGreater ? '>' : '<')} ${value}`;
  return nullable && side === 'after' ? sql`(${comparison} or ${expression} is null)` : comparison;
}
