import { MAX_ADDRESS } from '@/lib/core/address-limit';
import { CLOCK_TOLERANCE_MS } from '@/lib/core/health';
import { type Outcome, ok } from '@/lib/core/outcome';
import { type Listing, readListing } from './requests-response';
import { omit, REQUESTS_PATH, type RequestsView } from './view';
import { formatRequestsUrl } from './view-url';

/** `atMs`: when the listing was requested, our clock. */
export type RequestsText = { viewKey: string; text: Outcome<string>; atMs: number };

export type LoadedRequests = Listing & { viewKey: string; view: RequestsView; atMs: number };

/** The view's address without the parameters that only affect the display. */
export function viewKeyOf(view: RequestsView): string {
  return formatRequestsUrl(omit(view, 'open', 'live', 'columns', 'zone', 'expected'));
}

/** @param cursor of the previous page; with it, rows that leave the result shift no others */
export async function loadRequests(
  view: RequestsView,
  atMs: number,
  fetchText: (path: string) => Promise<Outcome<string>>,
  cursor?: string,
): Promise<RequestsText> {
  const viewKey = viewKeyOf(view);
  const path = (more: Record<string, string>) => {
    const params = new URLSearchParams(viewKey.slice(REQUESTS_PATH.length + 1));
    for (const [name, value] of Object.entries(more)) params.set(name, value);
    return `/api/view/requests?${params}`;
  };
  const exact = path(cursor === undefined ? {} : { cursor });
  // A long view has no room for a long cursor. The page number is almost as exact.
  return { viewKey, text: await fetchText(exact.length < MAX_ADDRESS ? exact : path({})), atMs };
}

export function pageOf(view: RequestsView, { viewKey, text, atMs }: RequestsText): Outcome<LoadedRequests> {
  const read = text.ok ? readListing(text.value) : text;
  return read.ok ? ok({ viewKey, view, atMs, ...read.value }) : read;
}

/** Rows dated later than the services' clocks can explain, and the largest excess in ms. */
export function datedAhead({ rows, atMs, clocks }: Pick<LoadedRequests, 'rows' | 'atMs' | 'clocks'>) {
  const clockMs = atMs + Math.max(0, ...clocks.map(({ offByMs }) => offByMs)) + CLOCK_TOLERANCE_MS;
  const ahead = rows.flatMap((row) =>
    row.kind === 'record' && row.createdAt.ms > clockMs ? row.createdAt.ms : [],
  );
  return { rows: ahead.length, byMs: Math.max(0, ...ahead.map((ms) => ms - atMs)) };
}

export function pageCount(total: string, size: number): bigint {
  const pages = (BigInt(total) + BigInt(size) - 1n) / BigInt(size);
  return pages > 0n ? pages : 1n;
}
