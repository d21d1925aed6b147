import 'server-only';
import type { Engine } from '@/lib/store/engine';
import { firstRows } from './first-rows';
import { equalSequence, ofTransaction, Parameters } from './view-filter';

/** A row as the index holds it: the wire JSON, and what it is found by. */
export type HeldRow = {
  keeperId: number;
  networkId: string;
  /** Decimal digits; null for one longer than the index can count with. */
  sequence: string | null;
  provider: string | null;
  sender: string | null;
  requestTx: string | null;
  wire: string;
  gone: boolean;
};

/** `total` counts all that match, of which `rows` are the first. */
export type HeldList = { rows: HeldRow[]; total: number };

/** Milliseconds; of so many completed requests. */
export type HeldLatency = { p50Ms: number; p95Ms: number; count: number };

/** More requests of one sequence on one network are not listed. */
const MOST_OF_SEQUENCE = 100;

const ROW = `keeper_id as "keeperId", network_id as "networkId", cast(sequence as text) as sequence, provider, sender,
  request_tx as "requestTx", wire, gone_us is not null as gone`;

/** Every request of a sequence on a network, newest first. @param sequence decimal digits */
export function requestsOfSequence(
  engine: Engine,
  keeperIds: readonly number[],
  networkId: string,
  sequence: string,
): Promise<HeldRow[]> {
  if (keeperIds.length === 0) return Promise.resolve([]);
  const parameters = new Parameters();
  const where = `network_id = ${parameters.add(networkId)} and keeper_id in ${parameters.list(keeperIds)}
    and ${equalSequence(sequence, parameters)}`;
  const listed = { where, order: 'created_us desc, id', limit: MOST_OF_SEQUENCE };
  return firstRows<HeldRow>(engine, ROW, listed, parameters.values);
}

/** The nearest requests of the same keeper, network and provider by sequence, nearest first. */
export function neighboursOf(
  engine: Engine,
  { keeperId, networkId, provider, sequence }: HeldRow,
  side: 'before' | 'after',
  limit: number,
): Promise<HeldRow[]> {
  if (sequence === null) return Promise.resolve([]);
  const [comparison, order] = side === 'before' ? ['<', 'desc'] : ['>', 'asc'];
  const where = `keeper_id = $1 and network_id = $2 and provider is not distinct from $3
    and sequence ${comparison} cast($4 as decimal(38,0))`;
  const listed = { where, order: `sequence ${order}, created_us, id`, limit };
  return firstRows<HeldRow>(engine, ROW, listed, [keeperId, networkId, provider, sequence]);
}

/** The requests of a keeper that were made or revealed in a transaction. @param hash lower case */
export function requestsOfTransaction(
  engine: Engine,
  keeperId: number,
  hash: string,
  limit: number,
): Promise<HeldList> {
  const parameters = new Parameters();
  const where = `keeper_id = ${parameters.add(keeperId)} and ${ofTransaction(hash, parameters)}`;
  return listOf(engine, { where, order: 'created_us desc, sequence desc, id', limit }, parameters);
}

/** The newest requests of an address, on every network of a keeper. @param sender lower case */
export function requestsOfSender(
  engine: Engine,
  keeperId: number,
  sender: string,
  limit: number,
): Promise<HeldList> {
  const parameters = new Parameters();
  const where = `keeper_id = ${parameters.add(keeperId)} and sender = ${parameters.add(sender)}`;
  return listOf(engine, { where, order: 'created_us desc, id', limit }, parameters);
}

async function listOf(
  engine: Engine,
  listed: { where: string; order: string; limit: number },
  { values }: Parameters,
): Promise<HeldList> {
  const [rows, [count]] = await Promise.all([
    firstRows<HeldRow>(engine, ROW, listed, values),
    engine.all<{ n: number }>(`select count(*) as n from requests where ${listed.where}`, values),
  ]);
  return { rows, total: count?.n ?? rows.length };
}

/** Latency of the completed requests of a keeper's network that were made since then; undefined for none. */
export async function latencyOf(
  engine: Engine,
  keeperId: number,
  networkId: string,
  sinceUs: number,
): Promise<HeldLatency | undefined> {
  const [row] = await engine.all<{ p50: number | null; p95: number | null; n: number }>(
    `select percentile_cont(0.5) within group (order by duration_us) as p50,
       percentile_cont(0.95) within group (order by duration_us) as p95, count(*) as n
     from requests
     where keeper_id = $1 and network_id = $2 and state in ('completed', 'callback-failed')
       and duration_us is not null and created_us >= $3`,
    [keeperId, networkId, sinceUs],
  );
  if (row === undefined || row.p50 === null || row.p95 === null) return undefined;
  return { p50Ms: Math.round(row.p50 / 1000), p95Ms: Math.round(row.p95 / 1000), count: row.n };
}
