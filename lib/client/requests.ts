import { formatRequestsUrl, logsQueryOf, type RequestsView } from '@/lib/contract/codec/requests-url';
import { recogniseQuery } from '@/lib/domain/log-query';
import { type Failure, failed, type Outcome } from '@/lib/domain/outcome';
import { type LogRow, readLogPage, serviceClockAheadMs } from '@/lib/domain/request-record';
import { nextAttemptMs } from './explain-failure';

/** The text of one answer of the log service, and when it was asked for (unix milliseconds, our clock). */
export type RequestsText = { viewKey: string; text: Outcome<string>; atMs: number };

/** One page of rows as it was at `atMs`; `viewKey` names the view that it belongs to. */
export type LoadedRequests = {
  viewKey: string;
  view: RequestsView;
  rows: LogRow[];
  /** Decimal digits; undefined when the service gave none. */
  total: string | undefined;
  atMs: number;
};

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

/** The identity of a view's rows: its address without the row that is open. */
export function viewKeyOf(view: RequestsView): string {
  return formatRequestsUrl({ ...view, open: undefined });
}

/**
 * Asks for a view at `atMs` by `ask` (a query of the gateway's log route to its text). Search text that can't be
 * searched for is not asked: the service would only say so.
 */
export async function loadRequests(
  view: RequestsView,
  atMs: number,
  ask: (query: URLSearchParams) => Promise<Outcome<string>>,
): Promise<RequestsText> {
  const searchable = recogniseQuery(view.q).kind !== 'none';
  const text = searchable ? await ask(logsQueryOf(view, atMs)) : failed(NOT_SEARCHABLE);
  return { viewKey: viewKeyOf(view), text, atMs };
}

const NOT_SEARCHABLE: Failure = {
  kind: 'bad-request',
  detail: 'The search text is not a transaction hash, an address or a sequence number, so nothing was asked.',
};

function readText(view: RequestsView, loaded: RequestsText): Outcome<LoadedRequests> {
  if (!loaded.text.ok) return loaded.text;
  const page = readLogPage(loaded.text.value);
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

/** A row from further ahead than this says more about itself than about the service's clock. */
const CLOCK_LIMIT_MS = 86_400_000;

/** How far the service's clock is ahead of ours at least, by the rows of a page, milliseconds; 0 when it is not. */
export function clockAheadMs(page: Pick<LoadedRequests, 'rows' | 'atMs'>): number {
  const believable = page.rows.filter(
    (row) => row.kind === 'record' && row.createdAt.ms - page.atMs < CLOCK_LIMIT_MS,
  );
  return serviceClockAheadMs(believable, page.atMs);
}

/**
 * The moment to pin a listing to when its first page is left: when it was asked for, or its newest row, if the
 * service's clock is ahead of ours.
 */
export function pinMoment(page: LoadedRequests): number {
  return page.atMs + clockAheadMs(page);
}

/** How many pages the total makes; at least one. Undefined when the service gave no total. */
export function pageCount(total: string | undefined, size: number): bigint | undefined {
  if (total === undefined) return undefined;
  const pages = (BigInt(total) + BigInt(size) - 1n) / BigInt(size);
  return pages > 0n ? pages : 1n;
}
