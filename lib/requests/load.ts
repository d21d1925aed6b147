import { nextAttemptMs } from '@/lib/core/explain-failure';
import type { Failure, Outcome } from '@/lib/core/outcome';
import { CLOCK_TOLERANCE_MS, serviceClockAheadMs } from '@/lib/core/service-clock';
import { type ListedRow, type Listing, readListing } from './answers';
import { formatRequestsUrl, REQUESTS_PATH, type RequestsView } from './view';

/** The text of one listing of our server, and when it was asked for (unix milliseconds, our clock). */
export type RequestsText = { viewKey: string; text: Outcome<string>; atMs: number };

/** One page of rows as it was at `atMs`; `viewKey` names the view that it belongs to. */
export type LoadedRequests = Listing & { viewKey: string; view: RequestsView; atMs: number };

/**
 * What the table shows: the last good page, and beside it, when the last attempt failed, why. Two questions, two
 * members: rows may well be shown while asking for newer ones fails.
 */
export type RequestsAnswer = {
  page: LoadedRequests | undefined;
  trouble: Trouble | undefined;
};

/** `attempts`: failures in a row. `retryAtMs`: when it is tried again by itself; undefined when it is not. */
export type Trouble = { failure: Failure; atMs: number; attempts: number; retryAtMs: number | undefined };

/** The view as far as it decides which rows are asked for: nothing of what is open or of how it is shown. */
export function askedView(view: RequestsView): RequestsView {
  const { open: _open, live: _live, columns: _columns, zone: _zone, expected: _expected, ...asked } = view;
  return asked;
}

/** The identity of a view's rows: the address of what is asked for. */
export function viewKeyOf(view: RequestsView): string {
  return formatRequestsUrl(askedView(view));
}

/** Asks our server at the path of a listing for its text. */
export type AskListing = (path: string) => Promise<Outcome<string>>;

/**
 * Asks for a view at `atMs` (unix milliseconds).
 * @param cursor where the page before ended, so that rows which left the result meanwhile shift nothing
 */
export async function loadRequests(
  view: RequestsView,
  atMs: number,
  ask: AskListing,
  cursor?: string,
): Promise<RequestsText> {
  const viewKey = viewKeyOf(view);
  const params = new URLSearchParams(viewKey.slice(REQUESTS_PATH.length + 1));
  if (cursor !== undefined) params.set('cursor', cursor);
  const text = await ask(`/api/view/requests?${params}`);
  return { viewKey, text, atMs };
}

function readText(view: RequestsView, loaded: RequestsText): Outcome<LoadedRequests> {
  if (!loaded.text.ok) return loaded.text;
  const page = readListing(loaded.text.value);
  if (!page.ok) return page;
  return { ok: true, value: { viewKey: loaded.viewKey, view, atMs: loaded.atMs, ...page.value } };
}

function troubleOf(failure: Failure, atMs: number, attempts: number, random: number): Trouble {
  const waitMs = nextAttemptMs(failure, attempts, random);
  return { failure, atMs, attempts, retryAtMs: waitMs === undefined ? undefined : atMs + waitMs };
}

/** A filter that the service refuses leaves nothing of another filter's rows to show. */
function isAboutTheView(failure: Failure): boolean {
  return ['rejected', 'missing', 'bad-request', 'unconfigured'].includes(failure.kind);
}

/**
 * The answer after an attempt: new rows, or the last good ones with the trouble beside them. Rows of another view stay
 * only while it is the service that fails, not when this view is what it refuses.
 * @param random from 0 to 1, spreads the next attempts of many open pages
 */
export function answerAfter(
  view: RequestsView,
  loaded: RequestsText,
  before: RequestsAnswer | undefined,
  random: number,
): RequestsAnswer {
  const page = readText(view, loaded);
  if (page.ok) return { page: page.value, trouble: undefined };
  const kept = before?.page;
  const keep = kept !== undefined && (kept.viewKey === loaded.viewKey || !isAboutTheView(page.failure));
  const attempts = (before?.trouble?.attempts ?? 0) + 1;
  return {
    page: keep ? kept : undefined,
    trouble: troubleOf(page.failure, loaded.atMs, attempts, random),
  };
}

/** How far the service's clock is ahead of ours at least, by the rows of a page, milliseconds; 0 when it is not. */
export function clockAheadMs(page: Pick<LoadedRequests, 'rows' | 'atMs'>): number {
  return serviceClockAheadMs(createdTimes(page.rows), page.atMs);
}

/** Rows that are dated after what the service's clock can have said, and by how much at most, milliseconds. */
export function datedAhead(page: Pick<LoadedRequests, 'rows' | 'atMs'>): { rows: number; byMs: number } {
  const clockMs = page.atMs + clockAheadMs(page) + CLOCK_TOLERANCE_MS;
  const ahead = createdTimes(page.rows).filter((ms) => ms > clockMs);
  return { rows: ahead.length, byMs: Math.max(0, ...ahead.map((ms) => ms - page.atMs)) };
}

function createdTimes(rows: readonly ListedRow[]): number[] {
  return rows.flatMap((row) => (row.kind === 'record' ? row.createdAt.ms : []));
}

/** How many pages the total makes; at least one. Undefined when the service gave no total. */
export function pageCount(total: string | undefined, size: number): bigint | undefined {
  if (total === undefined) return undefined;
  const pages = (BigInt(total) + BigInt(size) - 1n) / BigInt(size);
  return pages > 0n ? pages : 1n;
}
