import 'server-only';
import { type Engine, oneRow } from '@/lib/store/engine';
import { raw, sql, sqlList } from '@/lib/store/sql';
import type { EvidenceRow } from './evidence';
import { equalSequence, transactionCondition } from './view-filter';
import { FIRST_FINISH, type FirstRows, firstRows, type IndexedRow } from './view-rows';

export type IdentifiedRow = IndexedRow &
  Pick<EvidenceRow, 'networkId' | 'sequence' | 'provider' | 'sender' | 'requestTx'>;

/** `total` counts all matches; `rows` has only the first ones. */
export type IdentifiedRows = { rows: IdentifiedRow[]; total: number };

const MAX_ROWS_OF_SEQUENCE = 100;

const ROW = sql`keeper_id as "keeperId", network_id as "networkId", cast(sequence as text) as sequence, provider, sender,
  request_tx as "requestTx", wire, gone_us is not null as gone, ${FIRST_FINISH}`;

/** Newest first. @param sequence decimal digits */
export function requestsOfSequence(
  engine: Engine,
  keeperIds: readonly number[],
  networkId: string,
  sequence: string,
): Promise<IdentifiedRow[]> {
  const where = sql`network_id = ${networkId} and keeper_id in ${sqlList(keeperIds)} and ${equalSequence(sequence)}`;
  return firstRows(engine, ROW, { where, order: sql`created_us desc, id`, limit: MAX_ROWS_OF_SEQUENCE });
}

/** Nearest first, of the same keeper, network and provider. */
export function neighboursOf(
  engine: Engine,
  { keeperId, networkId, provider, sequence }: IdentifiedRow,
  side: 'before' | 'after',
  limit: number,
): Promise<IdentifiedRow[]> {
  if (sequence === null) return Promise.resolve([]);
  const comparison = raw(side === 'before' ? '<' : '>');
  const direction = raw(side === 'before' ? 'desc' : 'asc');
  const where = sql`keeper_id = ${keeperId} and network_id = ${networkId} and provider is not distinct from ${provider}
    and sequence ${comparison} cast(${sequence} as decimal(38,0))`;
  return firstRows(engine, ROW, { where, order: sql`sequence ${direction}, created_us, id`, limit });
}

/** Requests made or revealed in the transaction. @param hash lower case */
export const requestsOfTransaction = (engine: Engine, keeperId: number, hash: string, limit: number) =>
  listedWith(engine, {
    where: sql`keeper_id = ${keeperId} and ${transactionCondition(hash)}`,
    order: sql`created_us desc, sequence desc, id`,
    limit,
  });

/** Newest first, on all networks. @param sender lower case */
export const requestsOfSender = (engine: Engine, keeperId: number, sender: string, limit: number) =>
  listedWith(engine, {
    where: sql`keeper_id = ${keeperId} and sender = ${sender}`,
    order: sql`created_us desc, id`,
    limit,
  });

async function listedWith(engine: Engine, listed: FirstRows): Promise<IdentifiedRows> {
  const [rows, { n: total }] = await Promise.all([
    firstRows<IdentifiedRow>(engine, ROW, listed),
    oneRow<{ n: number }>(engine, sql`select count(*) as n from requests where ${listed.where}`),
  ]);
  return { rows, total };
}

/** Undefined if no request completed. */
export async function callbackLatency(engine: Engine, keeperId: number, networkId: string, sinceUs: number) {
  const { p50, p95, n } = await oneRow<{ p50: number | null; p95: number | null; n: number }>(
    engine,
    sql`select percentile_cont(0.5) within group (order by duration_us) as p50,
       percentile_cont(0.95) within group (order by duration_us) as p95, count(*) as n
     from requests
     where keeper_id = ${keeperId} and network_id = ${networkId} and state in ('completed', 'callback-failed')
       and duration_us is not null and created_us >= ${sinceUs}`,
  );
  if (p50 === null || p95 === null) return undefined;
  return { p50Ms: Math.round(p50 / 1000), p95Ms: Math.round(p95 / 1000), count: n };
}

/** Failures on all networks. @param group from `failureGroup` */
export async function failuresLike(engine: Engine, keeperId: number, group: string, sinceUs: number) {
  const where = sql`keeper_id = ${keeperId} and failure = ${group} and created_us >= ${sinceUs}`;
  return (await oneRow<{ n: number }>(engine, sql`select count(*) as n from requests where ${where}`)).n;
}
