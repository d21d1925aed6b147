import 'server-only';
import type { ListedRow } from '@/lib/contract/codec/listing';
import { type Failure, failed, type Outcome, ok } from '@/lib/domain/outcome';
import type { LogPage, LogRow } from '@/lib/domain/request-record';
import { services } from '@/lib/server/services';
import type { CallPriority } from '@/lib/upstream/call-budget';
import type { RequestLogClient } from '@/lib/upstream/request-log';
import { sharedNetworks } from './networks-shared';

export { isUnserved } from './unserved-memory';

/** One query of the log service. Times are ISO, both ends included; `state` is the service's own word. */
export type LogFilter = {
  networkId?: string;
  state?: string;
  query?: string;
  min?: string;
  max?: string;
};

/** Rows of one keeper, their keys with the keeper in front and not yet unique. `total` as in `LogPage`. */
export type SourcePage = { rows: ListedRow[]; total: LogPage['total'] };

/** The log of one keeper. */
export type LogSource = {
  keeper: string;
  /**
   * `limit` rows of the list from `offset` on, newest first; fewer only where the list ends. More than a thousand take
   * several calls, and so do answers with fewer rows than there are.
   */
  page(
    filter: LogFilter,
    limit: number,
    offset: number,
    priority: CallPriority,
  ): Promise<Outcome<SourcePage>>;
  /** How many rows match, decimal digits. A service that gives no total fails as `malformed`. */
  count(filter: LogFilter, priority: CallPriority): Promise<Outcome<string>>;
};

/** The contract's largest `limit`. */
export const MOST_ROWS = 1000;
/**
 * Rows that two calls for one stretch of a list have in common, so that rows which appear or leave between the calls
 * neither repeat one nor hide one.
 */
const OVERLAP = 8;
/** Calls beyond those that full answers need, before a service that keeps giving too little is given up. */
const SPARE_CALLS = 50;

/** The logs of all keepers that are configured, in their order. All of them together remember what a keeper refuses. */
export function logSources(): ReadonlyMap<string, LogSource> {
  const { keepers, logs } = services();
  const { memory } = sharedNetworks();
  const sources = new Map<string, LogSource>();
  for (const keeper of keepers) {
    const client = logs.get(keeper);
    if (client) sources.set(keeper, memory.remembering(createLogSource(keeper, client)));
  }
  return sources;
}

export function createLogSource(keeper: string, client: Pick<RequestLogClient, 'logs'>): LogSource {
  const ask: Ask = async (filter, limit, offset, priority) => {
    const page = await client.logs(queryText(filter, limit, offset), priority);
    if (!page.ok) return page;
    return ok(listedPage(keeper, page.value));
  };
  return {
    keeper,
    page: (filter, limit, offset, priority) =>
      wholePage((most, from) => ask(filter, most, from, priority), limit, offset),
    async count(filter, priority) {
      const page = await ask(filter, 1, 0, priority);
      if (!page.ok) return page;
      return page.value.total === undefined ? failed(NO_TOTAL) : ok(page.value.total);
    },
  };
}

export const NO_TOTAL: Failure = {
  kind: 'malformed',
  service: 'logs',
  detail: 'The request log service does not say how many rows there are.',
};

type Ask = LogSource['page'];

const known = new WeakMap<LogPage, { keeper: string; page: SourcePage }>();

/** A thousand who share a call share its rows as well, which nobody changes. */
function listedPage(keeper: string, page: LogPage): SourcePage {
  const before = known.get(page);
  if (before?.keeper === keeper) return before.page;
  const made = { total: page.total, rows: page.rows.map((row) => listed(keeper, row)) };
  known.set(page, { keeper, page: made });
  return made;
}

/**
 * The query string of a question. In an order of its own, so that the same question has the same text and is shared with
 * others who ask it.
 */
export function queryText(filter: LogFilter, limit: number, offset: number): string {
  const query = new URLSearchParams();
  if (filter.networkId !== undefined) query.set('network_id', filter.networkId);
  if (filter.state !== undefined) query.set('state', filter.state);
  if (filter.query !== undefined) query.set('query', filter.query);
  if (filter.min !== undefined) query.set('min_timestamp', filter.min);
  if (filter.max !== undefined) query.set('max_timestamp', filter.max);
  query.set('limit', String(limit));
  query.set('offset', String(offset));
  return query.toString();
}

function listed(keeper: string, row: LogRow): ListedRow {
  return { ...row, keeper, key: `${keeper}/${ownKey(row)}` };
}

/** The key without what made it unique on the page of one answer. */
function ownKey(row: LogRow): string {
  if (row.kind === 'unreadable') return row.key.replace(/#\d+$/, '');
  const { networkId, provider = '', sequence, requestTxHash = '' } = row;
  return `${networkId}/${provider.toLowerCase()}/${sequence}/${requestTxHash.toLowerCase()}`;
}

type AskRows = (limit: number, offset: number) => Promise<Outcome<SourcePage>>;

/** A service may give less than it is asked for: only its total, or an answer without anything new, ends a list. */
async function wholePage(ask: AskRows, limit: number, offset: number): Promise<Outcome<SourcePage>> {
  const first = await ask(Math.min(limit, MOST_ROWS), offset);
  if (!first.ok) return first;
  let { rows, total } = first.value;
  let next = offset + rows.length;
  let overlap = overlapAfter(rows.length);
  const mostCalls = Math.ceil(limit / (MOST_ROWS - OVERLAP)) + SPARE_CALLS;
  for (let calls = 1; rows.length < limit && isMore(next, total); calls += 1) {
    if (calls === mostCalls) return failed(TOO_LITTLE);
    const from = next - overlap;
    const more = await ask(Math.min(MOST_ROWS, limit - rows.length + overlap), from);
    if (!more.ok) return more;
    total = more.value.total;
    const fresh = freshRows(rows, more.value.rows, overlap);
    if (fresh.length === 0 && overlap === 0) break;
    overlap = fresh.length === 0 ? 0 : overlapAfter(more.value.rows.length);
    // Where the list has moved, what comes next stands elsewhere than the rows so far would say.
    if (fresh.length > 0) next = from + more.value.rows.length;
    rows = [...rows, ...fresh];
  }
  return ok({ rows: rows.slice(0, limit), total });
}

const TOO_LITTLE: Failure = {
  kind: 'malformed',
  service: 'logs',
  detail: 'The request log service gives far fewer rows than it is asked for.',
};

/** At most half of what the last answer had, so that every further answer of that size adds something. */
function overlapAfter(rows: number): number {
  return Math.min(OVERLAP, Math.floor(rows / 2));
}

function isMore(end: number, total: string | undefined): boolean {
  return total === undefined || BigInt(end) < BigInt(total);
}

/** What an answer adds to the rows before, of which it should repeat `overlap`, should the list not have moved. */
function freshRows(rows: readonly ListedRow[], more: readonly ListedRow[], overlap: number): ListedRow[] {
  for (let back = 1; back <= overlap; back += 1) {
    const at = placeNear(more, rows.at(-back)?.key, overlap - back);
    if (at >= 0) return more.slice(at + 1);
  }
  if (overlap === 0) return [...more];
  const known = new Set(rows.map(({ key }) => key));
  return more.filter(({ key }) => !known.has(key));
}

/** Where the key stands, nearest to where it is expected; -1 when nowhere. */
function placeNear(rows: readonly ListedRow[], key: string | undefined, expected: number): number {
  for (let away = 0; away < rows.length; away += 1) {
    if (rows[expected + away]?.key === key) return expected + away;
    if (rows[expected - away]?.key === key) return expected - away;
  }
  return -1;
}
