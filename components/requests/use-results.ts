'use client';
import { keepPreviousData, type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { announce } from '@/components/ui/announce';
import { fetchGatewayText } from '@/lib/core/gateway';
import { countOf } from '@/lib/core/numbers';
import type { Outcome } from '@/lib/core/outcome';
import type { Summary } from '@/lib/requests/answers';
import { readSummary } from '@/lib/requests/answers';
import { type Following, follow, NOTHING_FOLLOWED, takeWaiting } from '@/lib/requests/following';
import {
  answerAfter,
  type LoadedRequests,
  loadRequests,
  type RequestsAnswer,
  type RequestsText,
  viewKeyOf,
} from '@/lib/requests/load';
import { useRevision } from '@/lib/requests/use-revision';
import { defaultRequestsView, REQUESTS_PATH, type RequestsView } from '@/lib/requests/view';

export type RequestsSeed = { viewKey: string; first: RequestsText };

const ROWS = 'requests';
/** Where the pages beside this one begin, kept under the keys of those pages. */
const CURSOR = 'requests-cursor';

function keepCursors(client: QueryClient, page: LoadedRequests | undefined): void {
  if (page === undefined) return;
  const keep = (by: 1 | -1, cursor: string | undefined) => {
    const beside = { ...page.view, asof: page.asof, page: page.view.page + by };
    if (cursor !== undefined) client.setQueryData([CURSOR, viewKeyOf(beside)], cursor);
  };
  keep(1, page.cursor);
  keep(-1, page.previous);
}

/** The rows that came last, of whatever view: they stay, dimmed, where those of this view can't be had. */
function newestPage(client: QueryClient): LoadedRequests | undefined {
  return client
    .getQueriesData<RequestsAnswer>({ queryKey: [ROWS] })
    .map(([, answer]) => answer?.page)
    .reduce((newest, page) => ((page?.atMs ?? 0) > (newest?.atMs ?? 0) ? page : newest), undefined);
}

/** The rows of a view: at first the server's, then what our routes answer. Those of the view before stay until then. */
function useRows(view: RequestsView, seed: RequestsSeed) {
  const client = useQueryClient();
  const viewKey = viewKeyOf(view);
  const first = seed.viewKey === viewKey ? seed.first : undefined;
  const query = useQuery({
    queryKey: [ROWS, viewKey],
    queryFn: async ({ signal }): Promise<RequestsAnswer> => {
      const before = client.getQueryData<RequestsAnswer>([ROWS, viewKey]);
      const cursor = client.getQueryData<string>([CURSOR, viewKey]);
      const ask = (path: string) => fetchGatewayText(path, signal);
      const loaded = await loadRequests(view, Date.now(), ask, cursor);
      const kept = { page: before?.page ?? newestPage(client), trouble: before?.trouble };
      return answerAfter(view, loaded, kept, Math.random());
    },
    initialData: first === undefined ? undefined : () => answerAfter(view, first, undefined, 0),
    initialDataUpdatedAt: first?.atMs,
    placeholderData: keepPreviousData,
    staleTime: 5_000,
    refetchInterval: ({ state }) => {
      const retryAtMs = state.data?.trouble?.retryAtMs;
      return retryAtMs === undefined ? false : Math.min(60_000, Math.max(1, retryAtMs - Date.now()));
    },
    structuralSharing: false,
  });
  const { data } = query;
  useEffect(() => keepCursors(client, data?.page), [client, data]);
  // Who comes back to this page by a link gets what the server answered just now, not what the cache still holds.
  useEffect(() => {
    if (first === undefined) return;
    client.setQueryData<RequestsAnswer>([ROWS, viewKey], (cached) =>
      (cached?.page?.atMs ?? 0) < first.atMs ? answerAfter(view, first, cached, 0) : undefined,
    );
  }, [client, view, viewKey, first]);
  return query;
}

function countsAddress(page: Pick<LoadedRequests, 'view' | 'asof'>): string {
  const { size, sort } = defaultRequestsView();
  return viewKeyOf({ ...page.view, asof: page.asof, page: 1, size, sort });
}

type CountedAnswer = { of: string; outcome: Outcome<Summary> };

/** What is counted at an address, anew for each revision of the index; those of before stay until then. */
function useCounts(of: string | undefined, revision: number | undefined) {
  return useQuery({
    queryKey: ['requests-summary', of, revision],
    queryFn: async ({ signal }): Promise<CountedAnswer> => {
      const query = of?.slice(REQUESTS_PATH.length) ?? '';
      const text = await fetchGatewayText(`/api/view/requests/summary${query}`, signal);
      return { of: of ?? '', outcome: text.ok ? readSummary(text.value) : text };
    },
    enabled: of !== undefined,
    placeholderData: keepPreviousData,
    staleTime: 5_000,
    gcTime: 10_000,
  });
}

/** How soon after an answer the rows are asked for again where the index has moved on, in milliseconds. */
const LEAST_MS = { live: 500, still: 5_000 };

/** All that is known of a view: its rows and the counts of their moment. @param reading so that no row may move */
export function useResults(view: RequestsView, seed: RequestsSeed, reading: boolean) {
  const rows = useRows(view, seed);
  const [before, setBefore] = useState(NOTHING_FOLLOWED);
  const latest = rows.isPlaceholderData ? before.shown : rows.data?.page;
  const next = follow(before, latest, view.live !== undefined && !reading ? 'free' : 'held');
  const wanted = next.shown && countsAddress(next.shown);
  const counts = useCounts(wanted, latest?.revision);
  // Rows of the same view go on together with their counts, unless there were none.
  const isOther = next.shown?.viewKey !== before.shown?.viewKey || before.shown?.rows.length === 0;
  const following = isOther || counts.data === undefined || counts.data.of === wanted ? next : before;
  if (following !== before) setBefore(following);
  useMarksAnnounced(following);

  const { shown: page, marks, waiting } = following;
  const { outcome } = counts.data ?? {};
  const refresh = () => {
    void rows.refetch();
    if (outcome?.ok === false) void counts.refetch();
  };
  const isFetching = rows.isFetching || counts.isFetching;
  useRevisionTicks(rows, latest?.revision, isFetching, view.live === undefined ? 'still' : 'live');
  const of = page && countsAddress(page);
  const isOfPage = counts.data?.of === of;
  return {
    page,
    total: isOfPage && outcome?.ok ? String(outcome.value.total) : page?.total,
    isOutdated: page !== undefined && page.viewKey !== viewKeyOf(view),
    marks,
    waiting,
    take: () => setBefore(takeWaiting),
    trouble: rows.isPlaceholderData ? undefined : rows.data?.trouble,
    counts: outcome,
    /** None yet are not outdated. */
    countsAreOutdated:
      page !== undefined &&
      outcome !== undefined &&
      !(isOfPage && of === countsAddress({ view, asof: view.asof ?? page.asof })),
    refresh,
  };
}

export type Results = ReturnType<typeof useResults>;

/** Asks for the rows anew when the index has moved on since they came, and nothing is on its way. */
function useRevisionTicks(
  { dataUpdatedAt, refetch }: ReturnType<typeof useRows>,
  shownRevision: number | undefined,
  isFetching: boolean,
  pace: keyof typeof LEAST_MS,
): void {
  const revision = useRevision()?.revision;
  useEffect(() => {
    if (revision === undefined || revision === shownRevision || isFetching) return;
    // The first answer is dated by the server's clock.
    const waitMs = Math.max(0, Math.min(LEAST_MS[pace], dataUpdatedAt + LEAST_MS[pace] - Date.now()));
    const timer = setTimeout(() => void refetch(), waitMs);
    return () => clearTimeout(timer);
  }, [revision, shownRevision, isFetching, pace, dataUpdatedAt, refetch]);
}

function useMarksAnnounced({ marks }: Following): void {
  const newestMs = Math.max(0, ...[...marks.values()].map(({ sinceMs }) => sinceMs));
  const tell = useEffectEvent(() => {
    const newest = [...marks.values()].filter(({ sinceMs }) => sinceMs === newestMs);
    const added = newest.filter(({ mark }) => mark === 'new').length;
    announce(`${countOf(String(added), 'new request', 'new requests')}, ${newest.length - added} changed`);
  });
  useEffect(() => {
    if (newestMs > 0) tell();
  }, [newestMs]);
}
