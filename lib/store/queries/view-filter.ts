import 'server-only';
import { recogniseQuery } from '@/lib/core/log-query';
import { parseIsoTime } from '@/lib/core/time';
import type { VALUE_COLUMNS } from '@/lib/requests/columns';
import type { ListFilter } from '@/lib/requests/filters';
import { type Bounds, type Cell, RANGE_FILTERS, type RequestsView } from '@/lib/requests/view';
import { hashKey, sequenceKey, wireMicros } from '@/lib/store/record-row';
import { joinSql, raw, type Sql, type SqlParameter, sql, sqlList } from '@/lib/store/sql';
import { indexColumnOf } from './view-order';

/** The rows of a view, with keepers, time range and moment resolved. */
export type RowQuery = {
  view: RequestsView;
  /** If empty, no rows match. */
  keeperIds: readonly number[];
  /** A facet of keepers counts all of them, whichever the view chooses. */
  allKeeperIds?: readonly number[];
  /** Range of creation, inclusive. An undefined side is open. */
  fromUs?: number;
  toUs?: number;
  /** Rows first seen later are left out. */
  visibleUs?: number;
  /** Ids of networks whose names contain the search text. */
  namedNetworks?: readonly string[];
};

const decimal = (digits: string) => sql`cast(${digits} as decimal(38,0))`;

/** False for more than 38 digits. @param digits decimal */
export function equalSequence(digits: string): Sql {
  const key = sequenceKey(digits);
  return key === null ? raw('false') : sql`(sequence64 = ${key} and sequence = ${decimal(digits)})`;
}

/** Rows made or revealed in the transaction. @param hash lower case */
export function transactionCondition(hash: string): Sql {
  // Each column is searched by its key within a millisecond. With `or`, the engine would read every text.
  const idsWhere = (column: string) =>
    sql`select id from requests where ${raw(column)}64 = ${hashKey(hash)} and ${raw(column)} = ${hash}`;
  return sql`id in (${idsWhere('request_tx')} union all ${idsWhere('reveal_tx')})`;
}

export function unreadableCondition({ keeperIds, visibleUs }: RowQuery): Sql {
  const seen = visibleUs === undefined ? raw('') : sql`and first_seen_us <= ${visibleUs}`;
  return sql`keeper_id in ${sqlList(keeperIds)} ${seen}`;
}

/** Filters that a facet ignores when it counts its own values. */
type OwnFilter = 'network' | 'state' | 'keeper' | (typeof VALUE_COLUMNS)[number];

/** Keepers are absent, because a query names them by id. */
const LIST_CONDITIONS: Record<
  Exclude<ListFilter, 'keepers'>,
  { column: OwnFilter; toSql: (values: readonly string[]) => Sql }
> = {
  networks: { column: 'network', toSql: (values) => sql`network_id in ${sqlList(values)}` },
  states: { column: 'state', toSql: (values) => sql`state in ${sqlList(values)}` },
  senders: { column: 'sender', toSql: (values) => sql`sender in ${sqlList(values)}` },
  providers: { column: 'provider', toSql: (values) => sql`provider in ${sqlList(values)}` },
  // A failure is named by its group or by its full decoded text.
  failures: {
    column: 'failure',
    toSql: (values) => sql`(failure in ${sqlList(values)} or failure_text in ${sqlList(values)})`,
  },
};
const LIST_MEMBERS = Object.keys(LIST_CONDITIONS) as (keyof typeof LIST_CONDITIONS)[];

/** @param without filters to leave out, together with the view's exclusions for their columns */
export function viewCondition(query: RowQuery, without: readonly OwnFilter[] = []): Sql {
  const { view, fromUs, toUs, visibleUs } = query;
  const applies = (filter: OwnFilter) => !without.includes(filter);
  const conditions = [
    sql`keeper_id in ${sqlList(applies('keeper') ? query.keeperIds : (query.allKeeperIds ?? query.keeperIds))}`,
    ...LIST_MEMBERS.map((filter) => {
      const { column, toSql } = LIST_CONDITIONS[filter];
      return view[filter].length > 0 && applies(column) && toSql(view[filter]);
    }),
    fromUs !== undefined && sql`created_us >= ${fromUs}`,
    toUs !== undefined && sql`created_us <= ${toUs}`,
    visibleUs !== undefined && sql`visible_us <= ${visibleUs}`,
    ...RANGE_FILTERS.flatMap((range) => bounds(range, view[range.member])),
    ...excluded(view.not, applies),
    searched(query),
  ];
  const parts = conditions.filter((condition) => condition !== false && condition !== undefined);
  return joinSql(parts, ' and ');
}

function bounds(
  { column, unit }: (typeof RANGE_FILTERS)[number],
  { min, max }: Bounds = {},
): (Sql | false)[] {
  const name = raw(indexColumnOf(column).name);
  const toValue = unit === 'seconds' ? microsOfSeconds : decimal;
  return [
    min !== undefined && sql`${name} >= ${toValue(min)}`,
    max !== undefined && sql`${name} <= ${toValue(max)}`,
  ];
}

/** `1.53` is 1,530,000. */
function microsOfSeconds(seconds: string): bigint {
  const [whole = '0', fraction = ''] = seconds.split('.');
  return BigInt(`${whole}${fraction.padEnd(6, '0')}`);
}

/** Undefined for other text. */
export function microsOfIso(text: string): number | undefined {
  const ms = parseIsoTime(text);
  return ms === undefined ? undefined : wireMicros({ text, ms });
}

/** Whole milliseconds between the two times as they are displayed. */
const DURATION_MS = raw(
  'cast(floor((created_us + duration_us) / 1000.0) - floor(created_us / 1000.0) as bigint)',
);
/** Hundredths of a percent. */
const GAS_SHARE = raw(
  'floor(cast(gas_used as double precision) * 10000 / nullif(cast(gas_limit as double precision), 0))',
);

/** A row without a value is never excluded. */
function excluded(not: readonly Cell[], has: (filter: OwnFilter) => boolean): (Sql | undefined)[] {
  return not.map((cell) => {
    const same = has(cell.column as OwnFilter) ? equalTo(cell) : undefined;
    return same && sql`not coalesce(${same}, false)`;
  });
}

/** Undefined for a value that no row can have. */
function equalTo({ column, value }: Cell): Sql | undefined {
  switch (column) {
    case 'keeper':
      // A keeper is excluded by its id instead.
      return undefined;
    case 'state':
      return sql`state = ${value}`;
    case 'failure':
      return sql`(failure = ${value} or failure_text = ${value})`;
    case 'duration':
      return /^\d{1,15}$/.test(value) ? sql`${DURATION_MS} = ${BigInt(value)}` : undefined;
    case 'gas-share': {
      const [, whole, hundredths] = /^(\d{1,12})\.(\d\d)$/.exec(value) ?? [];
      return whole === undefined ? undefined : sql`${GAS_SHARE} = ${Number(whole + hundredths)}`;
    }
    default: {
      const { name, type } = indexColumnOf(column);
      // Random numbers are stored as sent, other hex in lower case.
      const text = name.endsWith('_random') ? `lower(${name})` : name;
      if (type === 'text') return sql`${raw(text)} = ${value.toLowerCase()}`;
      if (type === 'bigint') return equal(name, microsOfIso(value));
      return equal(name, /^\d{1,38}$/.test(value) ? decimal(value) : undefined);
    }
  }
}

const equal = (name: string, value: SqlParameter | Sql | undefined) =>
  value === undefined ? undefined : sql`${raw(name)} = ${value}`;

/** A hash, an address or a number is searched in columns of that kind, other text in failures and names. */
function searched({ view, namedNetworks = [] }: RowQuery): Sql | undefined {
  const search = recogniseQuery(view.q);
  switch (search.kind) {
    case 'empty':
      return undefined;
    case 'transaction':
      return transactionCondition(search.canonical);
    case 'address':
      return sql`(sender = ${search.canonical} or provider = ${search.canonical})`;
    case 'sequence':
      return equalSequence(search.canonical);
    case 'none': {
      const pattern = `%${likePattern(view.q.toLowerCase())}%`;
      const texts = ['failure_text', 'failure', 'chain_name'].map(
        (column) => sql`lower(${raw(column)}) like ${pattern} escape '\\'`,
      );
      const networks = namedNetworks.length === 0 ? [] : [sql`network_id in ${sqlList(namedNetworks)}`];
      return sql`(${joinSql([...texts, ...networks], ' or ')})`;
    }
  }
}

/** Escapes a text for `like … escape '\'`. */
export function likePattern(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}
