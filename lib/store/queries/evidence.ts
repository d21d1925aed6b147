import 'server-only';
import { type Engine, oneRow } from '@/lib/store/engine';
import { hashKey } from '@/lib/store/record-row';
import { joinSql, raw, sql, sqlList } from '@/lib/store/sql';
import type { NetworkKey } from './insights';
import { equalSequence } from './view-filter';
import { firstRows, rowsOfIds } from './view-rows';

/** Columns for the rules for pending requests. Digits and hex are text, hex in lower case. */
export type EvidenceRow = {
  keeperId: number;
  networkId: string;
  /** Null for a sequence longer than 38 digits. */
  sequence: string | null;
  createdUs: number;
  updatedUs: number | null;
  /** The state in our words (`stateWord`). */
  state: string;
  provider: string | null;
  sender: string | null;
  requestTx: string | null;
  requestBlock: string | null;
  gasLimit: string | null;
};

/** Counts of a state. Except in `live`, rows that the service no longer serves are included. */
export type StateCount = {
  networkId: string;
  state: string;
  rows: number;
  live: number;
  /** Rows created since the requested moment. */
  lastDay: number;
  newestUs: number;
  /** Oldest of the rows that the service still serves; null if there is none. */
  oldestLiveUs: number | null;
  /** The latest revision of the rows, or a later one. */
  rev: number;
};

/** `total` counts all matches; `rows` has only the first ones. */
type EvidenceRows = { rows: EvidenceRow[]; total: number };

const ROW = sql`keeper_id as "keeperId", network_id as "networkId", cast(sequence as text) as sequence,
  created_us as "createdUs", coalesce(created_us + duration_us, updated_us) as "updatedUs", state, provider, sender, request_tx as "requestTx",
  cast(request_block as text) as "requestBlock", cast(gas_limit as text) as "gasLimit"`;

const MAX_ROWS_BY_ID = 1000;

/** A pending row that its service no longer serves may have finished, so it does not count as pending. */
const PENDING = sql`state = 'pending' and gone_us is null`;
const SERVED = sql`not (state = 'pending' and gone_us is not null)`;

const NEWEST_FIRST = sql`created_us desc, id`;

const networkCondition = ({ keeperId, networkId }: NetworkKey) =>
  sql`keeper_id = ${keeperId} and network_id = ${networkId}`;

/** Largest distance between a request and its twin, inclusive. */
type TwinNearness = { us: number; blocks: number };

export type RequestIdentity = Pick<EvidenceRow, 'networkId' | 'provider' | 'sequence' | 'requestTx'>;

/**
 * The sequence has completed under another transaction of its sender, near in time and block; a distant one belongs to
 * an earlier life of the sequence. Only narrow columns are joined, because a join of whole rows needs gigabytes.
 */
export const orphanedRequests = (engine: Engine, keeperId: number, limit: number, near: TwinNearness) =>
  engine.all<RequestIdentity>(
    sql`with open as (
       select network_id, provider, sender, sequence, sequence64, request_tx, created_us, request_block from requests
       where keeper_id = ${keeperId} and ${PENDING} and request_tx is not null and sequence64 is not null
       order by created_us desc, id limit ${raw(limit)}
     ), answered as (
       select network_id, provider, sender, sequence, request_tx, created_us, request_block from requests
       where keeper_id = ${keeperId} and state in ('completed', 'callback-failed') and request_tx is not null
         and sequence64 in (select sequence64 from open)
     )
     select distinct open.network_id as "networkId", open.provider, cast(open.sequence as text) as sequence,
       open.request_tx as "requestTx"
     from open join answered on answered.network_id = open.network_id and answered.provider = open.provider
       and answered.sequence = open.sequence and answered.request_tx <> open.request_tx
       and coalesce(lower(answered.sender) = lower(open.sender), true)
       and answered.created_us between open.created_us - ${near.us} and open.created_us + ${near.us}
       and abs(answered.request_block - open.request_block) <= ${near.blocks}`,
  );

/** Newest first. `stateCounts` counts all of them. */
export const newestPending = (engine: Engine, keeperId: number, limit: number) =>
  engine.all<EvidenceRow>(
    sql`select ${ROW} from requests where keeper_id = ${keeperId} and ${PENDING}
     order by ${NEWEST_FIRST} limit ${raw(limit)}`,
  );

/** Unreadable rows that are still served. */
export const unreadableState = (engine: Engine, keeperId: number) =>
  oneRow<{ rows: number; rev: number | null }>(
    engine,
    sql`select count(*) as rows, max(rev) as rev ${unreadableOf(keeperId)}`,
  );

export async function unreadableIds(engine: Engine, keeperId: number): Promise<string[]> {
  const rows = await engine.all<{ id: string }>(sql`select cast(id as text) as id ${unreadableOf(keeperId)}`);
  return rows.map(({ id }) => id);
}

export async function unreadableIdsMentioningPending(
  engine: Engine,
  ids: readonly string[],
): Promise<string[]> {
  const among = sqlList(ids.map((id) => sql`cast(${id} as uuid)`));
  const rows = await engine.all<{ id: string }>(
    sql`select cast(id as text) as id from unreadable where id in ${among} and lower(wire) like '%"pending"%'`,
  );
  return rows.map(({ id }) => id);
}

const unreadableOf = (keeperId: number) =>
  sql`from unreadable where keeper_id = ${keeperId} and gone_us is null`;

/** @param daySinceUs start of `lastDay` */
export const stateCounts = (engine: Engine, keeperId: number, daySinceUs: number) =>
  engine.all<StateCount>(
    engine.dialect.counts?.ofStates(keeperId, daySinceUs) ??
      sql`select network_id as "networkId", state, count(*) as rows,
       count(*) filter (where gone_us is null) as live,
       count(*) filter (where created_us >= ${daySinceUs}) as "lastDay",
       max(created_us) as "newestUs", min(created_us) filter (where gone_us is null) as "oldestLiveUs", max(rev) as rev
     from requests where keeper_id = ${keeperId}
     group by network_id, state order by network_id, state`,
  );

export async function networkIds(engine: Engine): Promise<string[]> {
  const rows = await engine.all<{ id: string }>('select distinct network_id as id from requests');
  return rows.map(({ id }) => id);
}

export const newestRow = (engine: Engine, network: NetworkKey, sinceUs: number) =>
  engine.all<EvidenceRow>(
    sql`select ${ROW} from requests where ${networkCondition(network)} and created_us >= ${sinceUs}
     order by ${NEWEST_FIRST} limit 1`,
  );

/** Rows no longer served are included. */
export async function rowsSince(engine: Engine, network: NetworkKey, sinceUs: number): Promise<number> {
  const { n } = await oneRow<{ n: number }>(
    engine,
    sql`select count(*) as n from requests where ${networkCondition(network)} and created_us >= ${sinceUs}`,
  );
  return n;
}

/** Newest first. @param sinceUs saves a scan of all older rows */
export async function finishedRows(engine: Engine, network: NetworkKey, sinceUs: number, limit: number) {
  const finished = (us: number) =>
    sql`from requests where ${networkCondition(network)} and created_us >= ${us}
      and state in ('completed', 'callback-failed', 'failed')`;
  // The creation of the last row comes from narrow columns, so that older rows are not read at all.
  const [last] = await engine.all<{ us: number }>(
    sql`select created_us as us ${finished(sinceUs)} order by created_us desc limit 1 offset ${raw(limit - 1)}`,
  );
  return engine.all<EvidenceRow>(
    sql`select ${ROW} ${finished(last?.us ?? sinceUs)} order by ${NEWEST_FIRST} limit ${raw(limit)}`,
  );
}

/** Creation (unix microseconds) of the newest rows that are not pending. */
export async function othersBetween(
  engine: Engine,
  network: NetworkKey,
  fromUs: number,
  toUs: number,
  limit: number,
): Promise<number[]> {
  const rows = await engine.all<{ createdUs: number }>(
    sql`select created_us as "createdUs" from requests
     where ${networkCondition(network)} and created_us between ${fromUs} and ${toUs} and state <> 'pending'
     order by created_us desc limit ${raw(limit)}`,
  );
  return rows.map(({ createdUs }) => createdUs);
}

/** Hex in lower case, a sequence in digits, a span with both ends included. */
export type EvidenceFilter = {
  networkId?: string;
  sender?: string;
  requestTx?: string;
  sequence?: string;
  fromUs?: number;
  toUs?: number;
};

/** Newest first. */
export async function evidenceRows(
  engine: Engine,
  keeperId: number,
  filter: EvidenceFilter,
  limit: number,
): Promise<EvidenceRows> {
  const { networkId, sender, requestTx, sequence, fromUs, toUs } = filter;
  const conditions = [
    sql`keeper_id = ${keeperId}`,
    networkId !== undefined && sql`network_id = ${networkId}`,
    sender !== undefined && sql`sender = ${sender}`,
    requestTx !== undefined && sql`request_tx = ${requestTx} and request_tx64 = ${hashKey(requestTx)}`,
    sequence !== undefined && equalSequence(sequence),
    fromUs !== undefined && sql`created_us >= ${fromUs}`,
    toUs !== undefined && sql`created_us <= ${toUs}`,
    SERVED,
  ];
  const where = joinSql(
    conditions.filter((condition) => condition !== false),
    ' and ',
  );
  const rows =
    limit > MAX_ROWS_BY_ID
      ? await engine.all<EvidenceRow>(
          sql`select ${ROW} from requests where ${where} order by ${NEWEST_FIRST} limit ${raw(limit)}`,
        )
      : await firstRows<EvidenceRow>(engine, ROW, { where, order: NEWEST_FIRST, limit });
  if (rows.length < limit) return { rows, total: rows.length };
  const { n } = await oneRow<{ n: number }>(engine, sql`select count(*) as n from requests where ${where}`);
  return { rows, total: Math.max(n, rows.length) };
}

/** Rows in the order of the ids. Those that are no longer pending are left out. */
export async function pendingWires(engine: Engine, ids: readonly string[]): Promise<string[]> {
  const columns = sql`wire, state = 'pending' and gone_us is null as "isPending"`;
  const rows = await rowsOfIds<{ wire: string; isPending: boolean }>(engine, columns, ids);
  return rows.flatMap(({ wire, isPending }) => (isPending ? [wire] : []));
}

/** Decimal digits, and hex in lower case. */
type SequenceKey = NetworkKey & { sequence: string; provider?: string | undefined; tx?: string | undefined };

/** Several rows match only if provider or transaction is not given. */
export const wiresOfSequence = (engine: Engine, { sequence, provider, tx, ...network }: SequenceKey) =>
  engine.all<{ wire: string; gone: boolean }>(
    sql`select wire, gone_us is not null as gone from requests
     where ${networkCondition(network)} and ${equalSequence(sequence)}
       ${provider === undefined ? raw('') : sql`and provider = ${provider}`}
       ${tx === undefined ? raw('') : sql`and request_tx = ${tx}`}
     order by ${NEWEST_FIRST} limit 2`,
  );
