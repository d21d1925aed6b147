import type { ListedRow } from '@/lib/contract/codec/listing';
import { type Outcome, ok } from '@/lib/domain/outcome';
import { type RequestRecord, readLogPage } from '@/lib/domain/request-record';

/** A record of the log and the keeper that logged it. */
export type ListedRecord = RequestRecord & { keeper: string };

/** Asks the log service: a query of the gateway's log route (`keeper` included) to the text of the answer. */
export type AskLogs = (query: URLSearchParams, signal: AbortSignal) => Promise<Outcome<string>>;

/** Rows of one keeper as its service listed them, and how many it counts, decimal digits. */
export type ListedPage = { rows: ListedRow[]; total: string | undefined };

/** Records that belong to a request, newest first, and how many the service counts. */
export type RelatedRequests = { rows: ListedRecord[]; total: string | undefined };

/** How many of the same sender's or transaction's requests are listed. */
export const RELATED_LIMIT = 10;
/** How far before and after a sequence number its neighbours are looked for. */
const NEIGHBOURS = 3n;
/** More than that many requests do not share a number, a network and a provider. */
const NEIGHBOUR_LIMIT = 20;

/** The rows of an answer, with the keeper that gave it in front of their keys. */
export function readListed(text: string, keeper: string): Outcome<ListedPage> {
  const page = readLogPage(text);
  if (!page.ok) return page;
  const rows = page.value.rows.map((row): ListedRow => ({ ...row, keeper, key: `${keeper}/${row.key}` }));
  return ok({ rows, total: page.value.total });
}

/** The record of a listed row; undefined for one that could not be read. */
export function listedRecord(row: ListedRow): ListedRecord | undefined {
  return row.kind === 'record' ? row : undefined;
}

/** Two texts of hex are the same value, whatever their case. */
export function isSameHex(a: string | undefined, b: string | undefined): boolean {
  return a?.toLowerCase() === b?.toLowerCase();
}

async function related(
  query: URLSearchParams,
  keeper: string,
  belongs: (row: ListedRecord) => boolean,
  ask: AskLogs,
  signal: AbortSignal,
): Promise<Outcome<RelatedRequests>> {
  query.set('keeper', keeper);
  const text = await ask(query, signal);
  const page = text.ok ? readListed(text.value, keeper) : text;
  if (!page.ok) return page;
  // The service finds an address, a hash or a number wherever it stands; only what belongs here is listed.
  const rows = page.value.rows.flatMap((row) => listedRecord(row) ?? []).filter(belongs);
  return ok({ rows, total: page.value.total });
}

/** The newest requests of an address, on every network of the keeper. */
export function requestsOfSender(sender: string, keeper: string, ask: AskLogs, signal: AbortSignal) {
  const query = new URLSearchParams({ query: sender, limit: String(RELATED_LIMIT) });
  return related(query, keeper, (row) => isSameHex(row.sender, sender), ask, signal);
}

/** The requests that were made or revealed in a transaction. */
export function requestsOfTransaction(hash: string, keeper: string, ask: AskLogs, signal: AbortSignal) {
  const query = new URLSearchParams({ query: hash, limit: String(RELATED_LIMIT) });
  const belongs = (row: ListedRecord) =>
    isSameHex(row.requestTxHash, hash) ||
    (row.state.kind === 'completed' && isSameHex(row.state.revealTxHash, hash));
  return related(query, keeper, belongs, ask, signal);
}

/** The numbers around a sequence number, in order, without itself; none is negative. */
export function neighbourNumbers(sequence: string): string[] {
  if (!/^\d{1,20}$/.test(sequence)) return [];
  const middle = BigInt(sequence);
  const numbers: string[] = [];
  for (let number = middle - NEIGHBOURS; number <= middle + NEIGHBOURS; number++) {
    if (number >= 0n && number !== middle && number < 2n ** 64n) numbers.push(number.toString());
  }
  return numbers;
}

/** The requests of another number on the same network and of the same provider. */
export function neighboursAt(number: string, record: ListedRecord, ask: AskLogs, signal: AbortSignal) {
  const { networkId, provider, keeper } = record;
  const query = new URLSearchParams({
    query: number,
    network_id: networkId,
    limit: String(NEIGHBOUR_LIMIT),
  });
  const belongs = (row: ListedRecord) =>
    row.networkId === networkId && row.sequence === number && isSameHex(row.provider, provider);
  return related(query, keeper, belongs, ask, signal);
}

/**
 * Lets at most `places` calls run at once; the others wait in line, and leave it when they are aborted. For questions in the
 * background, which must not take a browser's few connections from what somebody waits for. The line is as long as
 * what is on screen asks for.
 */
export function inTurn(places: number): <T>(signal: AbortSignal, work: () => Promise<T>) => Promise<T> {
  let free = places;
  const waiting: (() => void)[] = [];
  const leave = () => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  const place = (signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      if (free > 0) {
        free -= 1;
        return resolve();
      }
      const giveUp = () => {
        waiting.splice(waiting.indexOf(enter), 1);
        reject(signal.reason);
      };
      const enter = () => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      signal.addEventListener('abort', giveUp, { once: true });
      waiting.push(enter);
    });
  return async (signal, work) => {
    await place(signal);
    try {
      return await work();
    } finally {
      leave();
    }
  };
}
