import { CLOCK_TOLERANCE_MS } from '@/lib/core/health';
import { type Outcome, ok } from '@/lib/core/outcome';
import { type Listing, readListing } from './answers';
import { formatRequestsUrl, omit, REQUESTS_PATH, type RequestsView } from './view';

/** The text of one listing of our server, and when it was asked for (unix milliseconds, our clock). */
export type RequestsText = { viewKey: string; text: Outcome<string>; atMs: number };

/** One page of rows as it was at `atMs`; `viewKey` names the view that it belongs to. */
export type LoadedRequests = Listing & { viewKey: string; view: RequestsView; atMs: number };

/** The identity of a view's rows: the address of what is asked for, without what is open or how it is shown. */
export function viewKeyOf(view: RequestsView): string {
  return formatRequestsUrl(omit(view, 'open', 'live', 'columns', 'zone', 'expected'));
}

/** @param cursor where the page before ended, so that rows which left the result meanwhile shift nothing */
export async function loadRequests(
  view: RequestsView,
  atMs: number,
  ask: (path: string) => Promise<Outcome<string>>,
  cursor?: string,
): Promise<RequestsText> {
  const viewKey = viewKeyOf(view);
  const params = new URLSearchParams(viewKey.slice(REQUESTS_PATH.length + 1));
  if (cursor !== undefined) params.set('cursor', cursor);
  return { viewKey, text: await ask(`/api/view/requests?${params}`), atMs };
}

export function pageOf(view: RequestsView, { viewKey, text, atMs }: RequestsText): Outcome<LoadedRequests> {
  const read = text.ok ? readListing(text.value) : text;
  return read.ok ? ok({ viewKey, view, atMs, ...read.value }) : read;
}

/** Rows that are dated after what the clocks of the services can have said, and by how much at most, milliseconds. */
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
