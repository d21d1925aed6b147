import 'server-only';
import type { Engine } from '@/lib/store/engine';
import { hashKey } from '@/lib/store/record-row';
import { firstRows } from './first-rows';
import { equalSequence, Parameters } from './view-filter';

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

const ROW = `keeper_id as "keeperId", network_id as "networkId", cast(sequence as text) as sequence,
  created_us as "createdUs", updated_us as "updatedUs", state, provider, sender, request_tx as "requestTx",
  cast(request_block as text) as "requestBlock", cast(gas_limit as text) as "gasLimit"`;

/** So many rows are looked for by their ids. */
const FEW = 1000;

/** A wire row has about a kilobyte. */
const MOST_WIRES = 5000;

/** A pending row that its service no longer has is not known to be pending. What is finished stays so. */
const SERVED = "not (state = 'pending' and gone_us is not null)";

const NEWEST_FIRST = 'created_us desc, id';

const FINISHED = "state in ('completed', 'callback-failed', 'failed')";

/** Pending rows whose sequence has completed under another transaction, of the same network and provider. */
export function orphanedRows(engine: Engine, keeperId: number): Promise<EvidenceRow[]> {
  return engine.all<EvidenceRow>(
    `with open as (
       select * from requests
       where keeper_id = $1 and state = 'pending' and gone_us is null and request_tx is not null
     )
     select ${ROW} from open where (network_id, provider, sequence) in (
       select network_id, provider, sequence from requests
       where keeper_id = $1 and state in ('completed', 'callback-failed') and request_tx is not null
         and sequence64 in (select sequence64 from open))`,
    [keeperId],
  );
}

/** Rows of a keeper that can't be read, are still served, and say somewhere that they are pending. */
export async function unreadablePending(engine: Engine, keeperId: number): Promise<number> {
  const [row] = await engine.all<{ n: number }>(
    `select count(*) as n from unreadable where keeper_id = $1 and gone_us is null and lower(wire) like '%"pending"%'`,
    [keeperId],
  );
  return row?.n ?? 0;
}

/** How many rows each network of a keeper has in each state. @param daySinceUs where `lastDay` begins */
export function stateCounts(engine: Engine, keeperId: number, daySinceUs: number): Promise<StateCount[]> {
  return engine.all<StateCount>(
    engine.dialect.counts?.ofStates ??
      `select network_id as "networkId", state, count(*) as rows,
       count(*) filter (where gone_us is null) as live,
       count(*) filter (where created_us >= $2) as "lastDay",
       max(created_us) as "newestUs", min(created_us) filter (where gone_us is null) as "oldestLiveUs", max(rev) as rev
     from requests where keeper_id = $1
     group by network_id, state order by network_id, state`,
    [keeperId, daySinceUs],
  );
}

/** Of all networks that have rows. */
export async function networkIds(engine: Engine): Promise<string[]> {
  const found = await engine.all<{ id: string }>('select distinct network_id as id from requests');
  return found.map(({ id }) => id);
}

/** E6: the newest row of a network, whatever its state. @param sinceUs none older than this */
export function newestRow(
  engine: Engine,
  keeperId: number,
  networkId: string,
  sinceUs: number,
): Promise<EvidenceRow[]> {
  return engine.all<EvidenceRow>(
    `select ${ROW} from requests where keeper_id = $1 and network_id = $2 and created_us >= $3
     order by created_us desc, id limit 1`,
    [keeperId, networkId, sinceUs],
  );
}

/**
 * The finished rows of a network that were created last, newest first.
 * @param sinceUs none older than this: where enough are younger, it spares a look at all the others
 */
export async function finishedRows(
  engine: Engine,
  keeperId: number,
  networkId: string,
  sinceUs: number,
  limit: number,
): Promise<EvidenceRow[]> {
  const where = `keeper_id = $1 and network_id = $2 and created_us >= $3 and ${FINISHED}`;
  // Where the last of them stands is known from narrow columns; older rows are then not read at all.
  const [last] = await engine.all<{ us: number }>(
    `select created_us as us from requests where ${where} order by created_us desc limit 1 offset ${limit - 1}`,
    [keeperId, networkId, sinceUs],
  );
  return engine.all<EvidenceRow>(
    `select ${ROW} from requests where ${where} order by ${NEWEST_FIRST} limit ${limit}`,
    [keeperId, networkId, last?.us ?? sinceUs],
  );
}

/** When the newest rows of a network that are not pending were created (unix microseconds), in a stretch of time. */
export async function othersBetween(
  engine: Engine,
  keeperId: number,
  networkId: string,
  fromUs: number,
  toUs: number,
  limit: number,
): Promise<number[]> {
  const rows = await engine.all<{ createdUs: number }>(
    `select created_us as "createdUs" from requests
     where keeper_id = $1 and network_id = $2 and created_us between $3 and $4 and state <> 'pending'
     order by created_us desc limit ${limit}`,
    [keeperId, networkId, fromUs, toUs],
  );
  return rows.map(({ createdUs }) => createdUs);
}

/** What rows of a keeper have in common: hex in lower case, a sequence in digits, both ends of a span included. */
export type EvidenceFilter = {
  isPending?: boolean;
  networkId?: string;
  sender?: string;
  requestTx?: string;
  sequence?: string;
  fromUs?: number;
  toUs?: number;
};

/** The rows that fit: pending ones oldest first, any others newest first. */
export async function evidenceRows(
  engine: Engine,
  keeperId: number,
  filter: EvidenceFilter,
  limit: number,
): Promise<EvidenceRows> {
  const { isPending = false, requestTx, sequence, fromUs, toUs } = filter;
  const parameters = new Parameters();
  const equal = {
    keeper_id: keeperId,
    network_id: filter.networkId,
    sender: filter.sender,
    request_tx: requestTx,
    request_tx64: requestTx === undefined ? undefined : hashKey(requestTx),
  };
  const conditions = [
    ...Object.entries(equal).map(
      ([column, value]) => value !== undefined && `${column} = ${parameters.add(value)}`,
    ),
    sequence !== undefined && equalSequence(sequence, parameters),
    fromUs !== undefined && `created_us >= ${parameters.add(fromUs)}`,
    toUs !== undefined && `created_us <= ${parameters.add(toUs)}`,
    isPending ? "state = 'pending' and gone_us is null" : SERVED,
  ];
  const where = conditions.filter(Boolean).join(' and ');
  const order = isPending ? 'created_us, id' : NEWEST_FIRST;
  const rows =
    limit > FEW
      ? await engine.all<EvidenceRow>(
          `select ${ROW} from requests where ${where} order by ${order} limit ${limit}`,
          parameters.values,
        )
      : await firstRows<EvidenceRow>(engine, ROW, { where, order, limit }, parameters.values);
  if (rows.length < limit) return { rows, total: rows.length };
  const [count] = await engine.all<{ n: number }>(
    `select count(*) as n from requests where ${where}`,
    parameters.values,
  );
  return { rows, total: Math.max(count?.n ?? 0, rows.length) };
}

/**
 * The wire rows of a network's pending requests that were created then or later, oldest first: as many as an incident
 * shows, and as many others between them.
 */
export function pendingWires(
  engine: Engine,
  keeperId: number,
  networkId: string,
  sinceUs: number,
): Promise<{ wire: string }[]> {
  return engine.all<{ wire: string }>(
    `select wire from requests
     where keeper_id = $1 and network_id = $2 and state = 'pending' and gone_us is null and created_us >= $3
     order by created_us, id limit ${MOST_WIRES}`,
    [keeperId, networkId, sinceUs],
  );
}

/** What identifies a request of a network, or a part of it. Hex in lower case. */
export type AskedRow = {
  networkId: string;
  /** Decimal digits. */
  sequence: string;
  provider?: string | undefined;
  tx?: string | undefined;
};

/** The wire rows that fit; more than one where provider or transaction is not named. */
export function wiresOfSequence(
  engine: Engine,
  keeperId: number,
  { networkId, sequence, provider, tx }: AskedRow,
): Promise<{ wire: string; gone: boolean }[]> {
  const parameters = new Parameters();
  const where = [
    `keeper_id = ${parameters.add(keeperId)} and network_id = ${parameters.add(networkId)}`,
    equalSequence(sequence, parameters),
    ...(provider === undefined ? [] : [`provider = ${parameters.add(provider)}`]),
    ...(tx === undefined ? [] : [`request_tx = ${parameters.add(tx)}`]),
  ].join(' and ');
  return engine.all<{ wire: string; gone: boolean }>(
    `select wire, gone_us is not null as gone from requests where ${where} order by ${NEWEST_FIRST} limit 2`,
    parameters.values,
  );
}
