'use client';
import { keepPreviousData, type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useEffectEvent, useState } from 'react';
import { announce } from '@/components/ui/announce';
import { serverTime } from '@/components/ui/clock';
import { isRetryable } from '@/lib/core/explain-failure';
import { AnswerFailed, fetchGatewayText } from '@/lib/core/gateway';
import { countOf } from '@/lib/core/numbers';
import type { Outcome } from '@/lib/core/outcome';
import { type Following, follow, NOT_FOLLOWING, showWaiting } from '@/lib/requests/client/following';
import { RETRIES, useFollowed } from '@/lib/requests/client/use-followed';
import { type LoadedRequests, loadRequests, pageOf, type RequestsText, viewKeyOf } from '@/lib/requests/load';
import type { Summary } from '@/lib/requests/requests-response';
import { readSummary } from '@/lib/requests/requests-response';
import { defaultRequestsView, REQUESTS_PATH, type RequestsView } from '@/lib/requests/view';

const ROWS = 'requests';
/** Cursors of the neighbouring pages, cached under the keys of those pages. */
const CURSOR = 'requests-cursor';
/**
 * A cached answer this fresh is shown without a refetch: a row list prefetched on hover and then clicked, or the previous
 * view. New revisions of the index refetch it in any case.
 */
const STALE_MS = 5_000;
/** Counts of a moment and revision that no page shows any more are dropped this soon: new ones have another key. */
const COUNTS_KEPT_MS = 10_000;
/** Time from an answer to the next refetch, so that rows don't move all the time under a reader. */
const REFETCH_MS = 5_000;
/** Time from an answer to the next refetch if somebody waits for rows: in live mode, or while the table is empty. */
const EAGER_REFETCH_MS = 500;

function cacheCursors(client: QueryClient, page: LoadedRequests | undefined): void {
  if (page === undefined) return;
  const cache = (by: 1 | -1, cursor: string | undefined) => {
    const neighbour = { ...page.view, asof: page.asof, page: page.view.page + by };
    if (cursor !== undefined) client.setQueryData([CURSOR, viewKeyOf(neighbour)], cursor);
  };
  cache(1, page.cursor);
  cache(-1, page.previous);
}

function rowsQuery(client: QueryClient, view: RequestsView) {
  const viewKey = viewKeyOf(view);
  return {
    queryKey: [ROWS, viewKey],
    queryFn: async ({ signal }: { signal: AbortSignal }): Promise<LoadedRequests> => {
      const cursor = client.getQueryData<string>([CURSOR, viewKey]);
      const fetchText = (path: string) => fetchGatewayText(path, signal);
      const page = pageOf(view, await loadRequests(view, serverTime(Date.now()), fetchText, cursor));
      if (!page.ok) throw new AnswerFailed(page.failure);
      return page.value;
    },
    ...RETRIES,
    staleTime: STALE_MS,
    // A deep comparison of up to 1,000 rows with each answer would be wasted: `follow` compares the JSON of each.
    structuralSharing: false,
  };
}

export function usePrefetch(): (view: RequestsView) => void {
  const client = useQueryClient();
  return useCallback((view) => void client.prefetchQuery(rowsQuery(client, view)), [client]);
}

/** The previous view's rows stay until new ones arrive, and while the service fails, unless it refuses this view. */
function useRows(view: RequestsView, initial: RequestsText) {
  const client = useQueryClient();
  const viewKey = viewKeyOf(view);
  const first = initial.viewKey === viewKey ? initial : undefined;
  const query = useQuery({
    ...rowsQuery(client, view),
    initialData: first && (() => readPage(view, first)),
    initialDataUpdatedAt: first?.atMs,
    placeholderData: keepPreviousData<LoadedRequests>,
  });
  const { data, failureReason } = query;
  useEffect(() => cacheCursors(client, data), [client, data]);
  // The cache may have an older answer than the navigation.
  useEffect(() => {
    if (first === undefined) return;
    client.setQueryData<LoadedRequests>([ROWS, viewKey], (cached) =>
      (cached?.atMs ?? 0) < first.atMs ? readPage(view, first) : undefined,
    );
  }, [client, view, viewKey, first]);
  const failedFirst = data === undefined && first?.text.ok === false ? first.text.failure : undefined;
  const retryAtMs = failureReason instanceof AnswerFailed ? failureReason.retryAtMs : undefined;
  return { query, retryAtMs, failedFirst };
}

function readPage(view: RequestsView, text: RequestsText): LoadedRequests | undefined {
  const page = pageOf(view, text);
  return page.ok ? page.value : undefined;
}

function countsAddress(page: Pick<LoadedRequests, 'view' | 'asof'>): string {
  const { size, sort } = defaultRequestsView();
  return viewKeyOf({ ...page.view, asof: page.asof, page: 1, size, sort });
}

type CountedAnswer = { address: string; outcome: Outcome<Summary> };

/** Refetched for each revision of the index. The previous counts stay until then. */
function useCounts(address: string | undefined, revision: number | undefined) {
  return useQuery({
    queryKey: ['requests-summary', address, revision],
    queryFn: async ({ signal }): Promise<CountedAnswer> => {
      const query = address?.slice(REQUESTS_PATH.length) ?? '';
      const text = await fetchGatewayText(`/api/view/requests/summary${query}`, signal);
      return { address: address ?? '', outcome: text.ok ? readSummary(text.value) : text };
    },
    enabled: address !== undefined,
    placeholderData: keepPreviousData,
    staleTime: STALE_MS,
    gcTime: COUNTS_KEPT_MS,
  });
}

/** Rows of the view, with the counts of the same moment. While `reading`, rows must not move. */
export function useResults(view: RequestsView, initial: RequestsText, reading: boolean) {
  const client = useQueryClient();
  const { query: rows, retryAtMs, failedFirst } = useRows(view, initial);
  const [before, setBefore] = useState(NOT_FOLLOWING);
  const loaded = rows.isPlaceholderData ? before.shown : rows.data;
  const next = follow(before, loaded, view.live !== undefined && !reading ? 'free' : 'held');
  const wanted = next.shown && countsAddress(next.shown);
  const counts = useCounts(wanted, loaded?.revision);
  // New rows of the same view wait for their counts, unless the table was empty.
  const isOther = next.shown?.viewKey !== before.shown?.viewKey || before.shown?.rows.length === 0;
  const following = isOther || counts.data === undefined || counts.data.address === wanted ? next : before;
  if (following !== before) setBefore(following);
  useMarksAnnounced(following);

  const { shown: page, marks, waiting } = following;
  const { outcome } = counts.data ?? {};
  const refresh = async () => {
    await client.cancelQueries({ queryKey: [ROWS] });
    void rows.refetch();
    if (outcome?.ok === false) void counts.refetch();
  };
  // An empty table may be that of an index which is just being read.
  const isEmpty = rows.data?.rows.length === 0;
  const minMs = view.live === undefined && !isEmpty ? REFETCH_MS : EAGER_REFETCH_MS;
  // Without waiting for the counts, new rows would never be shown.
  const isBusy = () => counts.isFetching || rows.isPlaceholderData;
  const { trouble = failedFirst } = useFollowed(rows, {
    minMs,
    isPaused: isBusy,
    // Rows don't change with time, unlike ages and counts by age.
    maxAgeMs: Number.POSITIVE_INFINITY,
  });
  const address = page && countsAddress(page);
  const isOfPage = counts.data?.address === address;
  return {
    page,
    total: isOfPage && outcome?.ok ? String(outcome.value.total) : page?.total,
    /** 0 until it is counted. */
    pendingGone: isOfPage && outcome?.ok ? outcome.value.figures.pendingGone : 0,
    isOutdated: page !== undefined && page.viewKey !== viewKeyOf(view),
    marks,
    waiting,
    showNew: () => setBefore(showWaiting),
    /** `retryAtMs` is the time of the next automatic attempt; undefined if there will be none. */
    trouble: trouble && { failure: trouble, retryAtMs: isRetryable(trouble) ? retryAtMs : undefined },
    counts: outcome,
    /** False if there are no counts yet. */
    countsAreOutdated:
      page !== undefined &&
      outcome !== undefined &&
      !(isOfPage && address === countsAddress({ view, asof: view.asof ?? page.asof })),
    refresh,
  };
}

export type Results = ReturnType<typeof useResults>;

function useMarksAnnounced({ marks }: Following): void {
  const newestMs = Math.max(0, ...[...marks.values()].map(({ sinceMs }) => sinceMs));
  const announceMarks = useEffectEvent(() => {
    const newest = [...marks.values()].filter(({ sinceMs }) => sinceMs === newestMs);
    const added = newest.filter(({ mark }) => mark === 'new').length;
    announce(`${countOf(String(added), 'new request', 'new requests')}, ${newest.length - added} changed`);
  });
  useEffect(() => {
    if (newestMs > 0) announceMarks();
  }, [newestMs]);
}
