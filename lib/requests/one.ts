import { type Failure, failed, type Outcome, ok } from '@/lib/core/outcome';
import { failureMember } from '@/lib/core/problem';
import { readRow } from '@/lib/core/request-record';
import {
  integerText,
  isWireObject,
  member,
  readWireDocument,
  safeInteger,
  type WireDocument,
} from '@/lib/core/wire-json';
import type { KeeperStatus } from './keeper-status';
import type { ListedRow } from './listing';
import type { AskedRequest } from './request-address';

/** A record of the log and the keeper that logged it. */
export type ListedRecord = ListedRow & { kind: 'record' };

/** Some of the requests that share something with another; `total` counts all of them, decimal digits. */
export type FoundList = { rows: ListedRecord[]; total: string };

/** Latency of the completed requests of a network and keeper, in milliseconds: of the last `days`, or of all. */
export type TypicalLatency = { p50Ms: number; p95Ms: number; count: number; days?: number };

/** What the index holds around one request, of its keeper. */
export type Related = {
  /** Of the same network and provider, nearest first. */
  before: ListedRecord[];
  after: ListedRecord[];
  /** Made or revealed in the transaction of the request, itself included. */
  transaction: FoundList;
  /** Newest first, itself included. */
  sender: FoundList;
  /** Absent where too few requests were completed to tell. */
  latency?: TypicalLatency;
};

/** Around a request that the index does not hold. */
export const NOTHING_RELATED: Related = {
  before: [],
  after: [],
  transaction: { rows: [], total: '0' },
  sender: { rows: [], total: '0' },
};

/** What is known of the requests of one sequence on one network, at `atMs` (unix ms). */
export type OneRequest = {
  atMs: number;
  revision: number;
  /** Of all keepers that were asked for. */
  rows: ListedRecord[];
  /** Of the one request that was asked for; absent while there is none, or several. */
  related?: Related;
  /** Keepers whose history is not read to its end, where nothing was found. */
  uncovered: string[];
  /** The services of `uncovered` that were asked as well, and what failed. What they have is among the rows. */
  asked: { keeper: string; failure?: Failure }[];
  /** How far the index of each of these keepers reaches. */
  index: KeeperStatus[];
};

const ONE_PATH = '/api/view/requests/one';

/** Where the server answers with a `OneRequest`. */
export function oneAddress({ networkId, sequence, keepers, provider, tx }: AskedRequest): string {
  const query = new URLSearchParams({ network: networkId, sequence });
  for (const keeper of keepers) query.append('keeper', keeper);
  if (provider) query.set('provider', provider);
  if (tx) query.set('tx', tx);
  return `${ONE_PATH}?${query}`;
}

/** A request among those of its sequence. `asked`: several fit the address. `other`: none of those found does. */
export type PickedRequest =
  | { kind: 'one'; row: ListedRecord; others: ListedRecord[] }
  | { kind: 'several'; fit: 'asked' | 'other'; rows: ListedRecord[] }
  | { kind: 'none' };

/** The request that an address asks for. */
export function pickRequest(
  rows: readonly ListedRecord[],
  { keepers, provider, tx }: AskedRequest,
): PickedRequest {
  if (rows.length === 0) return { kind: 'none' };
  const fitting = rows.filter(
    (row) =>
      (keepers.length === 0 || keepers.includes(row.keeper)) &&
      (provider === undefined || isSameHex(row.provider, provider)) &&
      (tx === undefined || isSameHex(row.requestTxHash, tx)),
  );
  const [first] = fitting;
  if (fitting.length === 1 && first !== undefined) {
    return { kind: 'one', row: first, others: rows.filter((row) => row !== first) };
  }
  return { kind: 'several', fit: fitting.length > 0 ? 'asked' : 'other', rows: [...rows] };
}

/** Two texts of hex are the same value, whatever their case. */
export function isSameHex(a: string | undefined, b: string | undefined): boolean {
  return a?.toLowerCase() === b?.toLowerCase();
}

/** Whether two rows are the same request of the same keeper. Keys of rows that a listing repeats end in `#2`. */
export function isSameRequest(a: Pick<ListedRow, 'key'>, b: Pick<ListedRow, 'key'>): boolean {
  const identity = ({ key }: Pick<ListedRow, 'key'>) => key.replace(/#\d+$/, '');
  return identity(a) === identity(b);
}

/** Reads the text of a `OneRequest`; rows stand in it as their service wrote them. Fails with `malformed`. */
export function readOne(text: string): Outcome<OneRequest> {
  const document = readWireDocument(text);
  const body = document?.value;
  if (document === undefined || !isWireObject(body)) {
    return failed({ kind: 'malformed', detail: 'The request cannot be read: it is not JSON.' });
  }
  const { textOf } = document;
  const related = member(body, 'related');
  return ok({
    atMs: safeInteger(member(body, 'atMs')) ?? 0,
    revision: safeInteger(member(body, 'revision')) ?? 0,
    rows: rowsOf(member(body, 'rows'), textOf),
    ...(isWireObject(related) ? { related: relatedOf(related, textOf) } : {}),
    uncovered: listOf(member(body, 'uncovered')).filter((keeper) => typeof keeper === 'string'),
    asked: listOf(member(body, 'asked')).flatMap((entry) => askedService(entry, textOf) ?? []),
    index: statusesOf(member(body, 'index'), textOf),
  });
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Our own server's, all of it plain numbers and texts. */
function statusesOf(value: unknown, textOf: WireDocument['textOf']): KeeperStatus[] {
  return listOf(value).map((status) => JSON.parse(textOf(status)) as KeeperStatus);
}

function rowsOf(value: unknown, textOf: WireDocument['textOf']): ListedRecord[] {
  return listOf(value).flatMap((entry) => {
    if (!isWireObject(entry)) return [];
    const keeper = member(entry, 'keeper');
    const row = readRow(member(entry, 'row') ?? null, textOf);
    if (typeof keeper !== 'string' || row.kind !== 'record') return [];
    const gone = member(entry, 'gone') === true ? ({ gone: true } as const) : {};
    return [{ ...row, keeper, key: `${keeper}/${row.key}`, ...gone }];
  });
}

function relatedOf(body: Record<string, unknown>, textOf: WireDocument['textOf']): Related {
  const list = (name: string): FoundList => {
    const given = member(body, name);
    const found = isWireObject(given) ? given : {};
    return { rows: rowsOf(member(found, 'rows'), textOf), total: integerText(member(found, 'total')) ?? '0' };
  };
  const latency = latencyOf(member(body, 'latency'));
  return {
    before: rowsOf(member(body, 'before'), textOf),
    after: rowsOf(member(body, 'after'), textOf),
    transaction: list('transaction'),
    sender: list('sender'),
    ...(latency === undefined ? {} : { latency }),
  };
}

function latencyOf(value: unknown): TypicalLatency | undefined {
  if (!isWireObject(value)) return undefined;
  const [p50Ms, p95Ms, count, days] = ['p50Ms', 'p95Ms', 'count', 'days'].map((name) =>
    safeInteger(member(value, name)),
  );
  if (p50Ms === undefined || p95Ms === undefined || count === undefined) return undefined;
  return { p50Ms, p95Ms, count, ...(days === undefined ? {} : { days }) };
}

function askedService(
  entry: unknown,
  textOf: WireDocument['textOf'],
): OneRequest['asked'][number] | undefined {
  const keeper = isWireObject(entry) ? member(entry, 'keeper') : undefined;
  if (!isWireObject(entry) || typeof keeper !== 'string') return undefined;
  const given = member(entry, 'failure');
  const failure = given === undefined ? undefined : failureMember(JSON.parse(textOf(given)));
  return { keeper, ...(failure === undefined ? {} : { failure }) };
}
