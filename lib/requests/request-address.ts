import type { ListedRecord, ListedRow, Related } from './requests-response';

/** A sequence alone may match several requests. */
export type RequestLocator = {
  /** Decimal digits, canonical. */
  networkId: string;
  sequence: string;
  /** Keepers, empty for all. */
  keepers: string[];
  /** Spelled as in the address; compared case-insensitively. */
  provider?: string;
  tx?: string;
};

type RequestPath = `/requests/${string}/${string}`;

/** An unreadable row has no page and leads to the table. */
export function requestPath(row: ListedRow): '/requests' | RequestPath {
  if (row.kind === 'unreadable') return '/requests';
  const { networkId, sequence, keeper, provider, requestTxHash: tx } = row;
  return locatorPath({ networkId, sequence, keepers: [keeper], provider, tx });
}

function locatorParams({ keepers, provider, tx }: RequestLocator, more: Record<string, string> = {}) {
  return new URLSearchParams([
    ...Object.entries(more),
    ...keepers.map((keeper) => ['keeper', keeper]),
    ...(provider ? [['provider', provider]] : []),
    ...(tx ? [['tx', tx]] : []),
  ]);
}

/** `/requests/8453/17?keeper=main&provider=0x…&tx=0x…` */
export function locatorPath(locator: RequestLocator): RequestPath {
  const query = locatorParams(locator);
  const path: RequestPath = `/requests/${locator.networkId}/${locator.sequence}`;
  return query.size === 0 ? path : `${path}?${query}`;
}

export function requestApiPath(locator: RequestLocator): string {
  const { networkId: network, sequence } = locator;
  return `/api/view/requests/one?${locatorParams(locator, { network, sequence })}`;
}

/** Undefined for an impossible network or sequence number. */
export function readLocator(
  networkId: string,
  sequence: string,
  params: URLSearchParams,
): RequestLocator | undefined {
  const network = unsignedDigits(networkId, 63n);
  const number = unsignedDigits(sequence, 64n);
  if (network === undefined || number === undefined) return undefined;
  const keepers = [...new Set(params.getAll('keeper').filter((keeper) => keeper !== ''))];
  const provider = params.get('provider');
  const tx = params.get('tx');
  return {
    networkId: network,
    sequence: number,
    keepers,
    ...(provider ? { provider } : {}),
    ...(tx ? { tx } : {}),
  };
}

/** Canonical digits of an unsigned integer. The length bound keeps pasted megabytes away from BigInt. */
export function unsignedDigits(text: string, bits: bigint): string | undefined {
  const value = /^\d{1,40}$/.test(text) ? BigInt(text) : undefined;
  return value === undefined || value >> bits > 0n ? undefined : value.toString();
}

/** The locator of a row's key, such as `main/8453/0x…/17/0x…`; undefined for another form. */
export function locatorOfKey(key: string): (RequestLocator & { keeper: string }) | undefined {
  const match = /^([^/]+)\/(\d+)\/(.*)\/(-?\d+)\/([^/]*)$/s.exec(key);
  if (match === null) return undefined;
  const [, keeper = '', networkId = '', provider, sequence = '', tx] = match;
  const common = { keeper, networkId, sequence, keepers: [keeper] };
  return { ...common, provider: provider || undefined, tx: tx || undefined };
}

/** Undefined for a row without a page. */
export function linkOfKey(key: string): { href: RequestPath; label: string } | undefined {
  const locator = locatorOfKey(key);
  if (locator === undefined || locator.sequence.startsWith('-')) return undefined;
  return { href: locatorPath(locator), label: locator.sequence };
}

export function fittingRows<T extends Pick<ListedRecord, 'keeper' | 'provider' | 'requestTxHash'>>(
  rows: readonly T[],
  { keepers, provider, tx }: RequestLocator,
): T[] {
  const isSame = (hex: string | undefined, wanted: string | undefined) =>
    wanted === undefined || hex?.toLowerCase() === wanted.toLowerCase();
  return rows.filter(
    (row) =>
      (keepers.length === 0 || keepers.includes(row.keeper)) &&
      isSame(row.provider, provider) &&
      isSame(row.requestTxHash, tx),
  );
}

export const NOTHING_RELATED: Related = {
  before: [],
  after: [],
  transaction: { rows: [], total: '0' },
  sender: { rows: [], total: '0' },
  coveredFromMs: null,
};
