'use client';
import { keepPreviousData, type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { fetchGatewayText } from '@/lib/client/gateway';
import {
  answerAfter,
  type LoadedRequests,
  loadRequests,
  type RequestsAnswer,
  type RequestsText,
  viewKeyOf,
} from '@/lib/client/requests';
import type { RequestsView } from '@/lib/requests/view';

/** The first answer, which the server asked for: there already, or still on its way in the same response. */
export type RequestsSeed = { viewKey: string; first: RequestsText | Promise<RequestsText> };

const QUERY = 'requests';

/** The seed of this very view, there already or not. */
export function seedOf(seed: RequestsSeed, viewKey: string): RequestsSeed['first'] | undefined {
  return seed.viewKey === viewKey ? seed.first : undefined;
}

/** The rows that came last, of whatever view. */
function newestPage(client: QueryClient): LoadedRequests | undefined {
  return client
    .getQueriesData<RequestsAnswer>({ queryKey: [QUERY] })
    .map(([, answer]) => answer?.page)
    .reduce((newest, page) => ((page?.atMs ?? 0) > (newest?.atMs ?? 0) ? page : newest), undefined);
}

/** Where the page after this one begins, kept under the key of that page. */
const CURSOR = 'requests-cursor';

function keepCursor(client: QueryClient, page: LoadedRequests | undefined): void {
  if (page?.cursor === undefined) return;
  const next = { ...page.view, asof: page.asof, page: page.view.page + 1 };
  client.setQueryData([CURSOR, viewKeyOf(next)], page.cursor);
}

/** The first time the server's own question is waited for, instead of asking a second one. */
async function ask(
  view: RequestsView,
  seed: RequestsSeed,
  client: QueryClient,
  signal: AbortSignal,
): Promise<RequestsAnswer> {
  const viewKey = viewKeyOf(view);
  const before = client.getQueryData<RequestsAnswer>([QUERY, viewKey]);
  const seeded = before === undefined ? seedOf(seed, viewKey) : undefined;
  const cursor = client.getQueryData<string>([CURSOR, viewKey]);
  const loaded =
    (await seeded) ??
    (await loadRequests(view, Date.now(), (path) => fetchGatewayText(path, signal), cursor));
  const kept = { page: before?.page ?? newestPage(client), trouble: before?.trouble };
  const answer = answerAfter(view, loaded, kept, Math.random());
  keepCursor(client, answer.page);
  return answer;
}

/**
 * The answer for a view: at first the server's, then the gateway's. While another view is on its way the rows of the
 * one before stay (`isPlaceholderData`). Asks again by itself at the moment that the answer's trouble names.
 */
export function useRequests(view: RequestsView, seed: RequestsSeed) {
  const viewKey = viewKeyOf(view);
  const first = seedOf(seed, viewKey);
  const ready = first === undefined || 'then' in first ? undefined : first;
  const query = useQuery({
    queryKey: [QUERY, viewKey],
    queryFn: ({ client, signal }) => ask(view, seed, client, signal),
    initialData: ready === undefined ? undefined : () => answerAfter(view, ready, undefined, 0),
    initialDataUpdatedAt: ready?.atMs,
    placeholderData: keepPreviousData,
    // A list that is pinned in time, or that somebody reads, does not move by itself, unless it is asked to.
    staleTime: 60_000,
    refetchInterval: view.live === undefined ? false : view.live * 1000,
  });
  useFirstCursor(query.data?.page);
  useNewerSeed(view, ready);
  useRetry(query.isPlaceholderData ? undefined : query.data?.trouble?.retryAtMs, query.refetch);
  return query;
}

/** The rows that came with the page itself name the next page as well. */
function useFirstCursor(page: LoadedRequests | undefined): void {
  const client = useQueryClient();
  useEffect(() => keepCursor(client, page), [client, page]);
}

/** Who comes back to this page by a link gets what the server asked just now, not what the cache still holds. */
function useNewerSeed(view: RequestsView, seeded: RequestsText | undefined): void {
  const client = useQueryClient();
  const viewKey = viewKeyOf(view);
  useEffect(() => {
    if (seeded === undefined) return;
    client.setQueryData<RequestsAnswer>([QUERY, viewKey], (cached) => {
      const cachedAtMs = Math.max(cached?.page?.atMs ?? 0, cached?.trouble?.atMs ?? 0);
      return cachedAtMs < seeded.atMs ? answerAfter(view, seeded, cached, 0) : undefined;
    });
  }, [client, view, viewKey, seeded]);
}

/** Timers take no longer waits than this, and run at once when they are given one. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Asks again at this moment, unix milliseconds. */
function useRetry(retryAtMs: number | undefined, refetch: () => unknown): void {
  useEffect(() => {
    if (retryAtMs === undefined) return;
    const timer = setTimeout(refetch, Math.min(LONGEST_TIMER_MS, Math.max(0, retryAtMs - Date.now())));
    return () => clearTimeout(timer);
  }, [retryAtMs, refetch]);
}
