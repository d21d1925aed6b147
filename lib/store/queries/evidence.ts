import 'server-only';
import { type Engine, oneRow } from '@/lib/store/engine';
import { hashKey } from '@/lib/store/record-row';
import { joinSql, listOf, raw, sql } from '@/lib/store/sql';
import type { NetworkKey } from './insights';
import { equalSequence } from './view-filter';
import { firstRows, rowsOfIds } from './view-rows';

/** What the rules of pending requests read of a row. Moments in unix microseconds, digits and hex as text, hex in lower case. */
export type EvidenceRow = {
  keeperId: number;
  networkId: string;
  /** Null for one longer than the index can count with. */
  sequence: string | null;
  createdUs: number;
  updatedUs: number | null;
  /** In our words (`stateWord`). */
  state: string;
  provider: string | null;
  sender: string | null;
  requestTx: string | null;
  requestBlock: string | null;
  gasLimit: string | null;
};

/** The rows of a network in one state. Those that the service no longer serves count as well, but for `live`. */
export type StateCount = {
  networkId: string;
  state: string;
  rows: number;
  /** Those that the service still serves. */
  live: number;
  /** Created since the moment that was asked for. */
  lastDay: number;
  newestUs: number;
  /** Of those that the service still serves; null for none. */
  oldestLiveUs: number | null;
  /** The latest revision of any of them, or a later one. */
  rev: number;
};

/** `total` counts all that match, of which `rows` are the first. */
export type EvidenceRows = { rows: EvidenceRow[]; total: number };

const ROW = sql`keeper_id as "keeperId", network_id as "networkId", cast(sequence as text) as sequence,
  created_us as "createdUs", coalesce(created_us + duration_us, updated_us) as "updatedUs", state, provider, sender, request_tx as "requestTx",
  cast(request_block as text) as "requestBlock", cast(gas_limit as text) as "gasLimit"`;

/** So many rows are looked for by their ids. */
const MAX_ROWS_BY_ID = 1000;

/** A pending row that its service no longer has is not known to be pending. What is finished stays so. */
const PENDING = sql`state = 'pending' and gone_us is null`;
const SERVED = sql`not (state = 'pending' and gone_us is not null)`;

const NEWEST_FIRST = sql`created_us desc, id`;

const ofNetwork = ({ keeperId, networkId }: NetworkKey) =>
  sql`keeper_id = ${keeperId} and network_id = ${networkId}`;

/** How near a twin is, both ends included. */
export type TwinNearness = { us: number; blocks: number };

/** What tells a request of a keeper from its others. */
export type RequestIdentity = Pick<EvidenceRow, 'networkId' | 'provider' | 'sequence' | 'requestTx'>;

/**
 * Identities of pending rows whose sequence has completed under another transaction, of the same network and provider, near
 * in time and block: an older one is of another life of the sequence.
 * Only columns of the comparison are read: a join that carries whole rows needs gigabytes where many are pending.
 */
export const orphanedRequests = (engine: Engine, keeperId: number, limit: number, near: TwinNearness) =>
  engine.all<RequestIdentity>(
    sql`with open as (
       select network_id, provider, sequence, sequence64, request_tx, created_us, request_block from requests
       where keeper_id = ${keeperId} and ${PENDING} and request_tx is not null and sequence64 is not null
       order by created_us desc, id limit ${raw(limit)}
     ), answered as (
       select network_id, provider, sequence, request_tx, created_us, request_block from requests
       where keeper_id = ${keeperId} and state in ('completed', 'callback-failed') and request_tx is not null
         and sequence64 in (select sequence64 from open)
     )
     select distinct open.network_id as "networkId", open.provider, cast(open.sequence as text) as sequence,
       open.request_tx as "requestTx"
     from open join answered on answered.network_id = open.network_id and answered.provider = open.provider
       and answered.sequence = open.sequence and answered.request_tx <> open.request_tx
       and answered.created_us between open.created_us - ${near.us} and open.created_us + ${near.us}
       and abs(answered.request_block - open.request_block) <= ${near.blocks}`,
  );

/**
 * The newest pending rows of a keeper, newest first, at most `limit`. What is left out is older than every row of them.
 * Counts of all come from `stateCounts`.
 */
export const newestPending = (engine: Engine, keeperId: number, limit: number) =>
  engine.all<EvidenceRow>(
    sql`select ${ROW} from requests where keeper_id = ${keeperId} and ${PENDING}
     order by ${NEWEST_FIRST} limit ${raw(limit)}`,
  );

/** Rows of a keeper that can't be read and are still served: how many, and the latest revision of any of them. */
export const unreadableState = (engine: Engine, keeperId: number) =>
  oneRow<{ rows: number; rev: number | null }>(
    engine,
    sql`select count(*) as rows, max(rev) as rev ${unreadableOf(keeperId)}`,
  );

/** Their ids. */
export async function unreadableIds(engine: Engine, keeperId: number): Promise<string[]> {
  const found = await engine.all<{ id: string }>(
    sql`select cast(id as text) as id ${unreadableOf(keeperId)}`,
  );
  return found.map(({ id }) => id);
}

/** Those of these ids whose text says somewhere that it is pending. */
export async function idsOfPendingTexts(engine: Engine, ids: readonly string[]): Promise<string[]> {
  const among = listOf(ids.map((id) => sql`cast(${id} as uuid)`));
  const found = await engine.all<{ id: string }>(
    sql`select cast(id as text) as id from unreadable where id in ${among} and lower(wire) like '%"pending"%'`,
  );
  return found.map(({ id }) => id);
}

const unreadableOf = (keeperId: number) =>
  sql`from unreadable where keeper_id = ${keeperId} and gone_us is null`;

/** How many rows each network of a keeper has in each state. @param daySinceUs where `lastDay` begins */
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

/** Of all networks that have rows. */
export async function networkIds(engine: Engine): Promise<string[]> {
  const found = await engine.all<{ id: string }>('select distinct network_id as id from requests');
  return found.map(({ id }) => id);
}

/** E6: the newest row of a network, whatever its state. @param sinceUs none older than this */
export const newestRow = (engine: Engine, network: NetworkKey, sinceUs: number) =>
  engine.all<EvidenceRow>(
    sql`select ${ROW} from requests where ${ofNetwork(network)} and created_us >= ${sinceUs}
     order by ${NEWEST_FIRST} limit 1`,
  );

/**
 * The finished rows of a network that were created last, newest first.
 * @param sinceUs none older than this: where enough are younger, it spares a look at all the others
 */
export async function finishedRows(engine: Engine, network: NetworkKey, sinceUs: number, limit: number) {
  const finished = (us: number) =>
    sql`from requests where ${ofNetwork(network)} and created_us >= ${us}
      and state in ('completed', 'callback-failed', 'failed')`;
  // Where the last of them stands is known from narrow columns; older rows are then not read at all.
  const [last] = await engine.all<{ us: number }>(
    sql`select created_us as us ${finished(sinceUs)} order by created_us desc limit 1 offset ${raw(limit - 1)}`,
  );
  return engine.all<EvidenceRow>(
    sql`select ${ROW} ${finished(last?.us ?? sinceUs)} order by ${NEWEST_FIRST} limit ${raw(limit)}`,
  );
}

/** When the newest rows of a network that are not pending were created (unix microseconds), in a stretch of time. */
export async function othersBetween(
  engine: Engine,
  network: NetworkKey,
  fromUs: number,
  toUs: number,
  limit: number,
): Promise<number[]> {
  const rows = await engine.all<{ createdUs: number }>(
    sql`select created_us as "createdUs" from requests
     where ${ofNetwork(network)} and created_us between ${fromUs} and ${toUs} and state <> 'pending'
     order by created_us desc limit ${raw(limit)}`,
  );
  return rows.map(({ createdUs }) => createdUs);
}

/** What rows of a keeper have in common: hex in lower case, a sequence in digits, both ends of a span included. */
export type EvidenceFilter = {
  networkId?: string;
  sender?: string;
  requestTx?: string;
  sequence?: string;
  fromUs?: number;
  toUs?: number;
};

/** The rows that fit, newest first. */
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
    conditions.filter((one) => one !== false),
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

/** Wire rows by their ids, in the order of these, of those that are still pending. */
export async function pendingWires(engine: Engine, ids: readonly string[]): Promise<string[]> {
  const columns = sql`wire, state = 'pending' and gone_us is null as "isPending"`;
  const rows = await rowsOfIds<{ wire: string; isPending: boolean }>(engine, columns, ids);
  return rows.flatMap(({ wire, isPending }) => (isPending ? [wire] : []));
}

/** What identifies a request of a network, or a part of it: decimal digits, hex in lower case. */
type AskedRow = NetworkKey & { sequence: string; provider?: string | undefined; tx?: string | undefined };

/** The wire rows that fit; more than one where provider or transaction is not named. */
export const wiresOfSequence = (engine: Engine, { sequence, provider, tx, ...network }: AskedRow) =>
  engine.all<{ wire: string; gone: boolean }>(
    sql`select wire, gone_us is not null as gone from requests
     where ${ofNetwork(network)} and ${equalSequence(sequence)}
       ${provider === undefined ? raw('') : sql`and provider = ${provider}`}
       ${tx === undefined ? raw('') : sql`and request_tx = ${tx}`}
     order by ${NEWEST_FIRST} limit 2`,
  );
