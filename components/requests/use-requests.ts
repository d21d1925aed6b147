'use client';
import { keepPreviousData, type QueryClient, useQuery } from '@tanstack/react-query';
import { use, useEffect } from 'react';
import { fetchGatewayText } from '@/lib/client/gateway';
import {
  answerAfter,
  type LoadedRequests,
  loadRequests,
  type RequestsAnswer,
  type RequestsText,
  viewKeyOf,
} from '@/lib/client/requests';
import type { RequestsView } from '@/lib/contract/codec/requests-url';

/** The first answer, which the server asked for: there already, or still on its way in the same response. */
export type RequestsSeed = { viewKey: string; first: RequestsText | Promise<RequestsText> };

const QUERY = 'requests';

/** The rows that came last, of whatever view. */
function newestPage(client: QueryClient): LoadedRequests | undefined {
  return client
    .getQueriesData<RequestsAnswer>({ queryKey: [QUERY] })
    .map(([, answer]) => answer?.page)
    .reduce((newest, page) => ((page?.atMs ?? 0) > (newest?.atMs ?? 0) ? page : newest), undefined);
}

async function ask(view: RequestsView, client: QueryClient, signal: AbortSignal): Promise<RequestsAnswer> {
  const viewKey = viewKeyOf(view);
  const loaded = await loadRequests(view, Date.now(), (query) =>
    fetchGatewayText(`/api/logs/v1/logs?${query}`, signal),
  );
  const before = client.getQueryData<RequestsAnswer>([QUERY, viewKey]);
  const kept = { page: before?.page ?? newestPage(client), trouble: before?.trouble };
  return answerAfter(view, loaded, kept, Math.random());
}

/**
 * The answer for a view: at first the server's, then the gateway's. While another view is on its way the rows of the
 * one before stay (`isPlaceholderData`). Asks again by itself at the moment that the answer's trouble names.
 * Suspends while the server's first answer for this view is still on its way.
 */
export function useRequests(view: RequestsView, seed: RequestsSeed) {
  const viewKey = viewKeyOf(view);
  const first = seed.viewKey === viewKey ? seed.first : undefined;
  const seeded = first !== undefined && 'then' in first ? use(first) : first;
  const query = useQuery({
    queryKey: [QUERY, viewKey],
    queryFn: ({ client, signal }) => ask(view, client, signal),
    initialData: seeded === undefined ? undefined : () => answerAfter(view, seeded, undefined, 0),
    initialDataUpdatedAt: seeded?.atMs,
    placeholderData: keepPreviousData,
    // A list that is pinned in time, or that somebody reads, does not move by itself.
    staleTime: 60_000,
  });
  const { refetch } = query;
  const retryAtMs = query.isPlaceholderData ? undefined : query.data?.trouble?.retryAtMs;
  useEffect(() => {
    if (retryAtMs === undefined) return;
    const timer = setTimeout(() => refetch(), Math.max(0, retryAtMs - Date.now()));
    return () => clearTimeout(timer);
  }, [retryAtMs, refetch]);
  return query;
}
