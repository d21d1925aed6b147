import type { ListedRow } from './listing';

/** What the address of a request page asks for. A number alone may stand for several requests. */
export type AskedRequest = {
  /** Decimal digits, canonical. */
  networkId: string;
  sequence: string;
  /** Empty for all. */
  keepers: string[];
  /** As written; compared without regard to case. */
  provider?: string;
  tx?: string;
};

/** Where one request has its page. */
export type RequestPath = `/requests/${string}/${string}`;

/** `network_id` is an int64, a sequence number a u64. */
const MOST_NETWORK = 2n ** 63n - 1n;
const MOST_SEQUENCE = 2n ** 64n - 1n;

/**
 * The page of a request: `/requests/8453/17?keeper=main&provider=0x…&tx=0x…`. A row that can't be read has no page: for it,
 * the table.
 */
export function requestPath(row: ListedRow): '/requests' | RequestPath {
  if (row.kind === 'unreadable') return '/requests';
  return askedPath({
    networkId: row.networkId,
    sequence: row.sequence,
    keepers: [row.keeper],
    provider: row.provider,
    tx: row.requestTxHash,
  });
}

/** The address that asks for this. */
export function askedPath({ networkId, sequence, keepers, provider, tx }: AskedRequest): RequestPath {
  const query = new URLSearchParams(keepers.map((keeper) => ['keeper', keeper]));
  if (provider) query.set('provider', provider);
  if (tx) query.set('tx', tx);
  const path: RequestPath = `/requests/${networkId}/${sequence}`;
  return query.size === 0 ? path : `${path}?${query}`;
}

/** Reads the address of a request page. Undefined where network or sequence is no number that a request can have. */
export function readAsked(
  networkId: string,
  sequence: string,
  params: URLSearchParams,
): AskedRequest | undefined {
  const [network, number] = [unsigned(networkId, MOST_NETWORK), unsigned(sequence, MOST_SEQUENCE)];
  if (network === undefined || number === undefined) return undefined;
  const keepers = [...new Set(params.getAll('keeper').filter((keeper) => keeper !== ''))];
  const [provider, tx] = [params.get('provider'), params.get('tx')];
  return {
    networkId: network,
    sequence: number,
    keepers,
    ...(provider ? { provider } : {}),
    ...(tx ? { tx } : {}),
  };
}

function unsigned(text: string, most: bigint): string | undefined {
  // The bound keeps megabytes of digits away from BigInt.
  const value = /^\d{1,40}$/.test(text) ? BigInt(text) : undefined;
  return value === undefined || value > most ? undefined : value.toString();
}

/** What a row's key says about it. */
export type KeyedRequest = {
  keeper: string;
  networkId: string;
  provider: string | undefined;
  sequence: string;
  tx: string | undefined;
};

/** The request of a key such as `main/8453/0x…/17/0x…`; undefined for rows that can't be read. */
export function requestOfKey(key: string): KeyedRequest | undefined {
  const match = /^([^/]+)\/(\d+)\/(.*)\/(-?\d+)\/([^/#]*)(?:#\d+)?$/s.exec(key);
  if (match === null) return undefined;
  const [, keeper = '', networkId = '', provider, sequence = '', tx] = match;
  return { keeper, networkId, provider: provider || undefined, sequence, tx: tx || undefined };
}

/** The page of the request with this key, and its sequence. Undefined for a row that has no page. */
export function linkOfKey(key: string): { href: RequestPath; label: string } | undefined {
  const request = requestOfKey(key);
  if (request === undefined || request.sequence.startsWith('-')) return undefined;
  const { keeper, networkId, sequence, provider, tx } = request;
  return { href: askedPath({ networkId, sequence, keepers: [keeper], provider, tx }), label: sequence };
}

/** What a row's key asks for; undefined where it is not the key of a readable row. */
export function askedOfKey(key: string): AskedRequest | undefined {
  const request = requestOfKey(key);
  if (request === undefined) return undefined;
  const { keeper, networkId, sequence, provider, tx } = request;
  return { networkId, sequence, keepers: [keeper], provider, tx };
}
