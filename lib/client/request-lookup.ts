import type { ListedRow } from '@/lib/contract/codec/listing';
import type { Failure, Outcome } from '@/lib/domain/outcome';
import type { AskedRequest } from '@/lib/requests/request-address';
import { isSameHex, type ListedRecord, listedRecord, readListed } from './related-requests';

/** What came of asking for a number on a network, at `atMs` (unix milliseconds). */
export type RequestLook = {
  atMs: number;
  /** The requests of that very number and network, of all keepers that were asked, newest first per keeper. */
  rows: ListedRecord[];
  /** Rows of the answers that can't be read: one of them may be what was asked for. */
  unreadable: ListedRow[];
  /**
   * Keepers that could not be asked. `attempts`: failures in a row. `rowsOfMs`: when what stands here of that keeper was
   * found, unix milliseconds; absent when nothing does.
   */
  troubles: { keeper: string; failure: Failure; attempts: number; rowsOfMs?: number }[];
  /** Keepers that do not serve the network. */
  unserved: string[];
};

/** So many requests of one number on one network are listed; there is one per provider, as a rule. */
const LIMIT = 100;

/** What a service says about a network that it does not serve. It is the one refusal that names no fault of ours. */
const UNSERVED = 'chain id is not supported';

/** The service's own parameters that find the requests of a number on a network. */
export function numberQuery({ networkId, sequence }: Pick<AskedRequest, 'networkId' | 'sequence'>) {
  return new URLSearchParams({ network_id: networkId, query: sequence });
}

/**
 * The keepers that an address asks: those it names, else the default one. Where there is none at all, one without a name:
 * the answer to it says what is not configured.
 */
export function keepersAsked(asked: AskedRequest, keepers: readonly string[]): string[] {
  return asked.keepers.length > 0 ? asked.keepers : [keepers[0] ?? ''];
}

/**
 * Asks every keeper once.
 * @param ask a query of the gateway's log route to its text
 * @param before the look before this one: what it found at a keeper that fails now stays
 */
export async function lookUpRequest(
  asked: AskedRequest,
  keepers: readonly string[],
  atMs: number,
  ask: (query: URLSearchParams) => Promise<Outcome<string>>,
  before?: RequestLook,
): Promise<RequestLook> {
  const answers = await Promise.all(
    keepers.map(async (keeper) => {
      const query = numberQuery(asked);
      query.set('limit', String(LIMIT));
      if (keeper !== '') query.set('keeper', keeper);
      const text = await ask(query);
      return { keeper, page: text.ok ? readListed(text.value, keeper) : text };
    }),
  );
  const look: RequestLook = { atMs, rows: [], unreadable: [], troubles: [], unserved: [] };
  for (const { keeper, page } of answers) {
    if (page.ok) sortInto(look, page.value.rows, asked);
    else if (isUnserved(page.failure)) look.unserved.push(keeper);
    else keepFrom(before, look, keeper, page.failure);
  }
  return look;
}

function isUnserved({ kind, detail }: Failure): boolean {
  return kind === 'rejected' && detail.toLowerCase().includes(UNSERVED);
}

function sortInto(look: RequestLook, rows: readonly ListedRow[], asked: AskedRequest): void {
  for (const row of rows) {
    const record = listedRecord(row);
    if (record === undefined) look.unreadable.push(row);
    // A service may list more than it was asked for.
    else if (record.networkId === asked.networkId && record.sequence === asked.sequence)
      look.rows.push(record);
  }
}

function keepFrom(
  before: RequestLook | undefined,
  look: RequestLook,
  keeper: string,
  failure: Failure,
): void {
  const earlier = before?.troubles.find((trouble) => trouble.keeper === keeper);
  const kept = before?.rows.filter((row) => row.keeper === keeper) ?? [];
  const rowsOfMs = kept.length === 0 ? undefined : (earlier?.rowsOfMs ?? before?.atMs);
  const attempts = (earlier?.attempts ?? 0) + 1;
  look.troubles.push({ keeper, failure, attempts, ...(rowsOfMs === undefined ? {} : { rowsOfMs }) });
  look.rows.push(...kept);
}

/** One request as it was listed: perhaps several times, with different content; the latest update first. */
export type RequestChoice = { row: ListedRecord; olderVersions: ListedRecord[] };

/** What a page shows of a look. `choices`: every request of the number. */
export type PickedRequest =
  | { kind: 'one'; choice: RequestChoice; choices: RequestChoice[] }
  /** `asked`: several fit what was asked for. `other`: none of those listed does. */
  | { kind: 'several'; fit: 'asked' | 'other'; choices: RequestChoice[] }
  | { kind: 'none' };

/** The request that was asked for among those of its number. */
export function pickRequest(look: RequestLook, asked: AskedRequest): PickedRequest {
  const choices = choicesOf(look.rows);
  if (choices.length === 0) return { kind: 'none' };
  const fitting = choices.filter(
    ({ row }) =>
      (asked.provider === undefined || isSameHex(row.provider, asked.provider)) &&
      (asked.tx === undefined || isSameHex(row.requestTxHash, asked.tx)),
  );
  const [first] = fitting;
  if (fitting.length === 1 && first !== undefined) return { kind: 'one', choice: first, choices };
  return { kind: 'several', fit: fitting.length > 0 ? 'asked' : 'other', choices };
}

function choicesOf(rows: readonly ListedRecord[]): RequestChoice[] {
  const byIdentity = new Map<string, ListedRecord[]>();
  for (const row of rows) {
    const identity = JSON.stringify([
      row.keeper,
      row.provider?.toLowerCase(),
      row.requestTxHash?.toLowerCase(),
    ]);
    const same = byIdentity.get(identity) ?? [];
    if (!same.some(({ rawJson }) => rawJson === row.rawJson)) same.push(row);
    byIdentity.set(identity, same);
  }
  return [...byIdentity.values()].flatMap((versions) => {
    const [row, ...olderVersions] = [...versions].sort(newestFirst);
    return row === undefined ? [] : [{ row, olderVersions }];
  });
}

/** By their last update. At the same moment the pending one is older, as no request becomes pending again. */
function newestFirst(a: ListedRecord, b: ListedRecord): number {
  return updatedMs(b) - updatedMs(a) || Number(isPending(a)) - Number(isPending(b));
}

function isPending({ state }: ListedRecord): boolean {
  return state.kind === 'pending';
}

function updatedMs({ updatedAt, createdAt }: ListedRecord): number {
  return updatedAt?.ms ?? createdAt.ms;
}
