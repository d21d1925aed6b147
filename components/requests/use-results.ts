'use client';
import { keepPreviousData, type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useAnnounce } from '@/components/ui/announce';
import { fetchGatewayText } from '@/lib/core/gateway';
import { countOf } from '@/lib/core/numbers';
import type { Outcome } from '@/lib/core/outcome';
import { readSummary, type Summary } from '@/lib/requests/answers';
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
import { defaultRequestsView } from '@/lib/requests/view';
import type { RequestsView } from '@/lib/requests/view-shape';

/** The first answer, which the server put into the page. */
export type RequestsSeed = { viewKey: string; first: RequestsText };

const ROWS = 'requests';
const SUMMARY = 'requests-summary';
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
    structuralSharing: false,
  });
  const { data, refetch, isPlaceholderData } = query;
  useEffect(() => keepCursors(client, data?.page), [client, data]);
  // Who comes back to this page by a link gets what the server answered just now, not what the cache still holds.
  useEffect(() => {
    if (first === undefined) return;
    client.setQueryData<RequestsAnswer>([ROWS, viewKey], (cached) =>
      (cached?.page?.atMs ?? 0) < first.atMs ? answerAfter(view, first, cached, 0) : undefined,
    );
  }, [client, view, viewKey, first]);
  const retryAtMs = isPlaceholderData ? undefined : data?.trouble?.retryAtMs;
  useEffect(() => {
    if (retryAtMs === undefined) return;
    const timer = setTimeout(refetch, Math.min(60_000, Math.max(0, retryAtMs - Date.now())));
    return () => clearTimeout(timer);
  }, [retryAtMs, refetch]);
  return query;
}

/** The filters of a view, and the moment it is pinned to: all that its counts depend on. */
function countedKey(view: RequestsView): string {
  const { size, sort } = defaultRequestsView();
  return viewKeyOf({ ...view, page: 1, size, sort });
}

type CountedAnswer = { of: string; outcome: Outcome<Summary> };

function useCounts(view: RequestsView) {
  const of = countedKey(view);
  return useQuery({
    queryKey: [SUMMARY, of],
    queryFn: async ({ signal }): Promise<CountedAnswer> => {
      const text = await fetchGatewayText(
        `/api/view/requests/summary${of.slice('/requests'.length)}`,
        signal,
      );
      return { of, outcome: text.ok ? readSummary(text.value) : text };
    },
    placeholderData: keepPreviousData,
    staleTime: 5_000,
  });
}

/** Where nothing is followed the rows are looked at anew this often at most: what they say changes in its place. */
const STILL_MS = 5_000;

type Shown = { rows: Following; counts: CountedAnswer | undefined };

const NOTHING: Shown = { rows: NOTHING_FOLLOWED, counts: undefined };

/** Rows are shown together with counts of their revision or a later one, where there will be any. */
function follows(
  before: Shown,
  latest: LoadedRequests | undefined,
  counts: CountedAnswer | undefined,
  hold: 'held' | 'free',
): Shown {
  const isOther = latest?.viewKey !== before.rows.shown?.viewKey;
  const isBehind = counts?.outcome.ok === true && counts.outcome.value.revision < (latest?.revision ?? 0);
  const mayMove = isOther || !isBehind || before.counts === undefined;
  const rows = mayMove ? follow(before.rows, latest, hold) : before.rows;
  const isHeld = hold === 'held' && before.counts?.of === counts?.of && rows.shown === before.rows.shown;
  const shownCounts = isHeld && before.counts !== undefined ? before.counts : counts;
  const isSame = rows === before.rows && shownCounts === before.counts;
  return isSame ? before : { rows, counts: shownCounts };
}

/**
 * All that is known of a view: its rows and its counts, from the server's first answer to the latest revision.
 * @param reading whether somebody is reading in the table, so that no row may move
 */
export function useResults(view: RequestsView, seed: RequestsSeed, reading: boolean) {
  const rows = useRows(view, seed);
  const counts = useCounts(view);
  const hold = view.live !== undefined && !reading ? 'free' : 'held';
  const [before, setBefore] = useState(NOTHING);
  const latest = rows.isPlaceholderData ? before.rows.shown : rows.data?.page;
  const shown = follows(before, latest, counts.isPlaceholderData ? before.counts : counts.data, hold);
  if (shown !== before) setBefore(shown);
  useMarksAnnounced(shown.rows);

  const refresh = () => void Promise.all([rows.refetch(), counts.refetch()]);
  useRevisionTicks(view.live !== undefined, shown.rows.shown?.revision, refresh);
  const page = shown.rows.shown;
  return {
    /** Undefined before any rows came. */
    page,
    isOutdated: page !== undefined && page.viewKey !== viewKeyOf(view),
    marks: shown.rows.marks,
    waiting: shown.rows.waiting,
    /** Shows what waits. */
    take: () => setBefore((now) => ({ rows: takeWaiting(now.rows), counts: counts.data ?? now.counts })),
    /** Of this very view; what is shown of another one while this is on its way has its own. */
    trouble: rows.isPlaceholderData ? undefined : rows.data?.trouble,
    counts: shown.counts?.outcome,
    countsAreOutdated: shown.counts !== undefined && shown.counts.of !== countedKey(view),
    refresh,
    isLoading: rows.isFetching,
  };
}

export type Results = ReturnType<typeof useResults>;

/** Asks anew when the index has moved on: at once while rows are followed, else once in a while. */
function useRevisionTicks(isLive: boolean, shownRevision: number | undefined, refresh: () => void): void {
  const revision = useRevision()?.revision;
  const askedAtMs = useRef(0);
  const tick = useEffectEvent(() => {
    askedAtMs.current = Date.now();
    refresh();
  });
  useEffect(() => {
    if (revision === undefined || revision === shownRevision) return;
    const waitMs = isLive ? 0 : Math.max(0, askedAtMs.current + STILL_MS - Date.now());
    const timer = setTimeout(() => tick(), waitMs);
    return () => clearTimeout(timer);
    // The revision that is shown follows: it asks for nothing by itself.
  }, [revision, isLive, shownRevision]);
}

function useMarksAnnounced({ marks }: Following): void {
  const announce = useAnnounce();
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
