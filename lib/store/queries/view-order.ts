import 'server-only';
import type { ColumnId } from '@/lib/requests/columns';
import type { Sort } from '@/lib/requests/view';
import type { SqlValue } from '@/lib/store/engine';
import type { Parameters } from './view-filter';

/**
 * The order of a view as keys: each row has a place of its own in it, and the keys of a row name that place, whatever
 * comes or goes before it.
 */
export type OrderKey = {
  /** SQL over `requests`. */
  expression: string;
  direction: 'asc' | 'desc';
  /** How a key travels: decimals and ids as text. */
  type: 'bigint' | 'text' | 'decimal(38,0)' | 'double precision' | 'uuid';
  /** Rows without a value come last in both directions. */
  nullable: boolean;
};

/** Names of networks and keepers, by which these columns are ordered. */
export type OrderNames = {
  networks: readonly { networkId: string; name: string }[];
  keepers: readonly { keeperId: number; name: string }[];
};

type Ordered = Pick<OrderKey, 'expression' | 'type'>;

/** In the order of bytes, whatever the language of a database. */
function byText(expression: string): Ordered {
  return { expression: `${expression} collate "C"`, type: 'text' };
}

const COLUMNS: Record<Exclude<ColumnId, 'created' | 'network' | 'keeper'>, Ordered> = {
  sequence: { expression: 'sequence', type: 'decimal(38,0)' },
  updated: { expression: 'updated_us', type: 'bigint' },
  duration: { expression: 'duration_us', type: 'bigint' },
  state: byText('state'),
  sender: byText('sender'),
  provider: byText('provider'),
  'request-tx': byText('request_tx'),
  'reveal-tx': byText('reveal_tx'),
  block: { expression: 'request_block', type: 'decimal(38,0)' },
  'gas-limit': { expression: 'gas_limit', type: 'decimal(38,0)' },
  'gas-used': { expression: 'gas_used', type: 'decimal(38,0)' },
  'gas-share': { expression: 'gas_share', type: 'double precision' },
  failure: byText('failure_text'),
  'user-random': byText('user_random'),
  'provider-random': byText('provider_random'),
  'random-number': byText('combined_random'),
};

/** The keys of an order. Rows that are equal in a column follow newest first, those of one instant by their identity. */
export function orderKeys(sort: Sort, names: OrderNames, parameters: Parameters): OrderKey[] {
  const dot = sort.lastIndexOf('.');
  const column = sort.slice(0, dot) as ColumnId;
  const direction = sort.slice(dot + 1) === 'asc' ? 'asc' : 'desc';
  const byTime = (way: OrderKey['direction']): OrderKey[] => [
    { expression: 'created_us', direction: way, type: 'bigint', nullable: false },
    // So that oldest first is exactly newest first from its end.
    { expression: 'id', direction: way === 'desc' ? 'asc' : 'desc', type: 'uuid', nullable: false },
  ];
  if (column === 'created') return byTime(direction);
  const ordered = orderedBy(column, names, parameters);
  return [{ ...ordered, direction, nullable: true }, ...byTime('desc')];
}

function orderedBy(
  column: Exclude<ColumnId, 'created'>,
  { networks, keepers }: OrderNames,
  parameters: Parameters,
): Ordered {
  if (column === 'keeper') {
    const cases = keepers.map(
      ({ keeperId, name }) => `when ${parameters.add(keeperId)} then ${parameters.add(name)}`,
    );
    return byText(cases.length === 0 ? 'cast(null as text)' : `(case keeper_id ${cases.join(' ')} end)`);
  }
  if (column !== 'network') return COLUMNS[column];
  const cases = networks.map(
    ({ networkId, name }) => `when ${parameters.add(networkId)} then ${parameters.add(name.toLowerCase())}`,
  );
  // Networks that nobody has named follow those with a name, by their numbers.
  const nameless = "'~' || lpad(network_id, 40, '0')";
  const expression =
    cases.length === 0 ? nameless : `case network_id ${cases.join(' ')} else ${nameless} end`;
  return byText(`(${expression})`);
}

/** For `order by`. `backwards`: the same order from its end. */
export function orderBy(keys: readonly OrderKey[], way: 'onwards' | 'backwards' = 'onwards'): string {
  return keys
    .map(({ expression, direction, nullable }) => {
      const turned = way === 'onwards' ? direction : direction === 'asc' ? 'desc' : 'asc';
      const nulls = nullable ? ` nulls ${way === 'onwards' ? 'last' : 'first'}` : '';
      return `${expression} ${turned}${nulls}`;
    })
    .join(', ');
}

/** The keys of a row as columns `key_0`, `key_1`, …, each in the form in which it travels. */
export function keyColumns(keys: readonly OrderKey[]): string {
  return keys
    .map(({ expression, type }, at) => {
      const isPlain = type === 'bigint' || type === 'double precision' || type === 'text';
      return `${isPlain ? expression : `cast(${expression} as text)`} as key_${at}`;
    })
    .join(', ');
}

/** The place of a row in an order: the values of its keys. */
export type Place = (string | number | null)[];

/** @returns the place of a row that was read with `keyColumns` */
export function placeOf(keys: readonly OrderKey[], row: Record<string, SqlValue>): Place {
  return keys.map((_, at) => {
    const value = row[`key_${at}`];
    return typeof value === 'bigint' || typeof value === 'boolean' ? String(value) : (value ?? null);
  });
}

/**
 * Rows that come after a place (or before it) in the order, as SQL for `where`. The place itself is neither.
 */
export function beside(
  keys: readonly OrderKey[],
  place: Place,
  side: 'after' | 'before',
  parameters: Parameters,
): string {
  const places = keys.map(({ type }, at) => {
    const value = place[at] ?? null;
    return value === null ? undefined : `cast(${parameters.add(value)} as ${type})`;
  });
  const alternatives = keys.map((key, at) => {
    const equal = keys.slice(0, at).map(({ expression }, before) => {
      const value = places[before];
      return value === undefined ? `${expression} is null` : `${expression} = ${value}`;
    });
    return [...equal, further(key, places[at], side)].join(' and ');
  });
  const [lead] = keys;
  // Says nothing new, but lets the engine pass over blocks of rows by its first key.
  const bound = lead === undefined ? 'true' : atLeast(lead, places[0], side);
  return `${bound} and (${alternatives.map((one) => `(${one})`).join(' or ')})`;
}

function atLeast(key: OrderKey, value: string | undefined, side: 'after' | 'before'): string {
  if (value === undefined) return 'true';
  return `(${further(key, value, side)} or ${key.expression} = ${value})`;
}

function further(
  { expression, direction, nullable }: OrderKey,
  value: string | undefined,
  side: 'after' | 'before',
): string {
  // Nothing comes after those without a value, and everything else before them.
  if (value === undefined) return side === 'after' ? 'false' : `${expression} is not null`;
  const isGreater = (direction === 'asc') === (side === 'after');
  const comparison = `${expression} ${isGreater ? '>' : '<'} ${value}`;
  return nullable && side === 'after' ? `(${comparison} or ${expression} is null)` : comparison;
}
