import 'server-only';
import { recogniseQuery } from '@/lib/core/log-query';
import { parseIsoTime } from '@/lib/core/time';
import type { ColumnId } from '@/lib/requests/columns';
import type { Bounds, Cell, RequestsView } from '@/lib/requests/view';
import type { SqlParameter } from '@/lib/store/engine';
import { hashKey, sequenceKey, wireMicros } from '@/lib/store/record-row';

/** The rows of a view, with everything settled that a view leaves to the moment and to the keepers there are. */
export type RowQuery = {
  view: RequestsView;
  /** Keepers whose rows count; none of them: no rows. */
  keeperIds: readonly number[];
  /** All that there are: a facet of keepers leaves the choice among them out. */
  allKeeperIds: readonly number[];
  /** Created within, inclusive, unix microseconds; undefined where a side is open. */
  fromUs?: number;
  toUs?: number;
  /** Rows that were first seen later are left out, unix microseconds. */
  visibleUs?: number;
  /** Ids of the networks whose names hold the text that is searched for. */
  namedNetworks: readonly string[];
};

/** Values of a statement in the order of their places `$1`, `$2`, …: whatever a person wrote goes through here. */
export class Parameters {
  readonly values: SqlParameter[] = [];

  /** @returns the place of the value */
  add(value: SqlParameter): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  /** `($1, $2)`; of no values a list that holds nothing. */
  list(values: readonly SqlParameter[]): string {
    return values.length === 0 ? '(null)' : `(${values.map((value) => this.add(value)).join(', ')})`;
  }

  /** A whole number of any length, exactly. @param digits decimal, up to 38 */
  decimal(digits: string): string {
    return `cast(${this.add(digits)} as decimal(38,0))`;
  }
}

/** Rows of a sequence; none for one longer than the index can count with. @param digits decimal */
export function equalSequence(digits: string, parameters: Parameters): string {
  const key = sequenceKey(digits);
  if (key === null) return 'false';
  return `(sequence64 = ${parameters.add(key)} and sequence = ${parameters.decimal(digits)})`;
}

/** Rows that were made or revealed in a transaction. @param hash lower case */
export function ofTransaction(hash: string, parameters: Parameters): string {
  const [text, key] = [parameters.add(hash), parameters.add(hashKey(hash))];
  // Each column by itself is searched by its key in a millisecond; with "or" every text is read.
  const of = (column: string) => `select id from requests where ${column}64 = ${key} and ${column} = ${text}`;
  return `id in (${of('request_tx')} union all ${of('reveal_tx')})`;
}

/** Filters that a facet leaves out when it counts its own values. */
export type OwnFilter = 'network' | 'state' | 'keeper' | 'sender' | 'provider' | 'failure';

/**
 * What a row of the view fulfils, as SQL for `where`.
 * @param without filters to leave out, with what the view excludes of their columns
 */
export function conditionOf(
  query: RowQuery,
  parameters: Parameters,
  without: readonly OwnFilter[] = [],
): string {
  const { view } = query;
  const has = (own: OwnFilter) => !without.includes(own);
  const conditions = [
    keepers(has('keeper') ? query.keeperIds : query.allKeeperIds, parameters),
    has('network') && among('network_id', view.networks, parameters),
    has('state') && among('state', view.states, parameters),
    has('sender') && among('sender', view.senders, parameters),
    has('provider') && among('provider', view.providers, parameters),
    has('failure') && failures(view.failures, parameters),
    query.fromUs !== undefined && `created_us >= ${parameters.add(query.fromUs)}`,
    query.toUs !== undefined && `created_us <= ${parameters.add(query.toUs)}`,
    query.visibleUs !== undefined && `visible_us <= ${parameters.add(query.visibleUs)}`,
    ...durations(view.duration, parameters),
    ...bounds('gas_limit', view.gasLimit, parameters),
    ...bounds('gas_used', view.gasUsed, parameters),
    ...bounds('request_block', view.block, parameters),
    ...excluded(view.not, parameters, has),
    searched(query, parameters),
  ];
  return conditions.filter((condition) => condition !== false && condition !== undefined).join(' and ');
}

function keepers(ids: readonly number[], parameters: Parameters): string {
  return `keeper_id in ${parameters.list(ids)}`;
}

function among(column: string, values: readonly string[], parameters: Parameters): string | false {
  return values.length > 0 && `${column} in ${parameters.list(values)}`;
}

/** A failure is named by its group, or by its own decoded text. */
function failures(values: readonly string[], parameters: Parameters): string | false {
  if (values.length === 0) return false;
  const list = parameters.list(values);
  return `(failure in ${list} or failure_text in ${list})`;
}

function bounds(column: string, { min, max }: Bounds = {}, parameters: Parameters): (string | false)[] {
  return [
    min !== undefined && `${column} >= ${parameters.decimal(min)}`,
    max !== undefined && `${column} <= ${parameters.decimal(max)}`,
  ];
}

function durations({ min, max }: Bounds = {}, parameters: Parameters): (string | false)[] {
  return [
    min !== undefined && `duration_us >= ${parameters.add(microsOfSeconds(min))}`,
    max !== undefined && `duration_us <= ${parameters.add(microsOfSeconds(max))}`,
  ];
}

/** Exactly: `1.53` is 1,530,000. */
function microsOfSeconds(seconds: string): bigint {
  const [whole = '0', fraction = ''] = seconds.split('.');
  return BigInt(`${whole}${fraction.padEnd(6, '0')}`);
}

/** Microseconds of an ISO time, as rows have them; undefined for what is none. */
export function microsOfIso(text: string): number | undefined {
  const ms = parseIsoTime(text);
  return ms === undefined ? undefined : wireMicros({ text, ms });
}

const TEXT_COLUMNS: Partial<Record<ColumnId, string>> = {
  network: 'network_id',
  state: 'state',
  sender: 'sender',
  provider: 'provider',
  'request-tx': 'request_tx',
  'reveal-tx': 'reveal_tx',
  'user-random': 'lower(user_random)',
  'provider-random': 'lower(provider_random)',
  'random-number': 'lower(combined_random)',
};
const DECIMAL_COLUMNS: Partial<Record<ColumnId, string>> = {
  sequence: 'sequence',
  block: 'request_block',
  'gas-limit': 'gas_limit',
  'gas-used': 'gas_used',
};
const TIME_COLUMNS: Partial<Record<ColumnId, string>> = { created: 'created_us', updated: 'updated_us' };
/** Whole milliseconds, from the first to the last as clocks show them. */
const DURATION_MS = 'cast(floor(updated_us / 1000.0) - floor(created_us / 1000.0) as bigint)';
/** Hundredths of a percent. */
const GAS_SHARE =
  'floor(cast(gas_used as double precision) * 10000 / nullif(cast(gas_limit as double precision), 0))';

/** What the view leaves out. A row without a value has none that could be left out. */
function excluded(
  not: readonly Cell[],
  parameters: Parameters,
  has: (own: OwnFilter) => boolean,
): (string | undefined)[] {
  return not.map((cell) => {
    // Keepers are left out by their ids.
    if (cell.column === 'keeper' || !has(cell.column as OwnFilter)) return undefined;
    const equal = equalTo(cell, parameters);
    return equal === undefined ? undefined : `not coalesce(${equal}, false)`;
  });
}

/** The comparison of a column with a value as its cell shows it; undefined for a value that no row can have. */
function equalTo({ column, value }: Cell, parameters: Parameters): string | undefined {
  const text = TEXT_COLUMNS[column];
  if (text !== undefined)
    return `${text} = ${parameters.add(column === 'state' ? value : value.toLowerCase())}`;
  const decimal = DECIMAL_COLUMNS[column];
  if (decimal !== undefined) {
    return /^\d{1,38}$/.test(value) ? `${decimal} = ${parameters.decimal(value)}` : undefined;
  }
  const time = TIME_COLUMNS[column];
  if (time !== undefined) {
    const us = microsOfIso(value);
    return us === undefined ? undefined : `${time} = ${parameters.add(us)}`;
  }
  switch (column) {
    case 'failure': {
      const place = parameters.add(value);
      return `(failure = ${place} or failure_text = ${place})`;
    }
    case 'duration':
      return /^\d{1,15}$/.test(value) ? `${DURATION_MS} = ${parameters.add(BigInt(value))}` : undefined;
    case 'gas-share': {
      const [, whole, hundredths] = /^(\d{1,12})\.(\d\d)$/.exec(value) ?? [];
      return whole === undefined ? undefined : `${GAS_SHARE} = ${parameters.add(Number(whole + hundredths))}`;
    }
    default:
      return undefined;
  }
}

/** A hash, an address or a number is looked for where such a thing stands; any other text in failures and names. */
function searched({ view, namedNetworks }: RowQuery, parameters: Parameters): string | undefined {
  const search = recogniseQuery(view.q);
  switch (search.kind) {
    case 'empty':
      return undefined;
    case 'transaction':
      return ofTransaction(search.canonical, parameters);
    case 'address': {
      const place = parameters.add(search.canonical);
      return `(sender = ${place} or provider = ${place})`;
    }
    case 'sequence':
      return equalSequence(search.canonical, parameters);
    case 'none': {
      const place = parameters.add(`%${likePattern(view.q.toLowerCase())}%`);
      const texts = ['failure_text', 'failure', 'chain_name'].map(
        (column) => `lower(${column}) like ${place} escape '\\'`,
      );
      const networks = namedNetworks.length === 0 ? [] : [`network_id in ${parameters.list(namedNetworks)}`];
      return `(${[...texts, ...networks].join(' or ')})`;
    }
  }
}

/** The text for `like … escape '\'`, every character of it meant as it is. */
export function likePattern(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}
