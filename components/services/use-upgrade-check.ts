'use client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useSearchParams } from 'next/navigation';
import { useMemo, useState } from 'react';
import { askAgain } from '@/lib/client/ask-again';
import { fetchFeedDirectory } from '@/lib/client/feed-directory';
import { fetchFirstEvent } from '@/lib/client/first-event';
import { fetchGatewayText } from '@/lib/client/gateway';
import { runUpgradeCheck, type UpgradeProgress, type UpgradeRunEdges } from '@/lib/client/upgrade-check-run';
import { queryNow, setAddress } from '@/lib/client/use-address';
import { formatUpgradeUrl, parseUpgradeUrl, type UpgradeView } from '@/lib/contract/codec/upgrade-check-url';
import { type FeedEntry, type FeedId, findFeed } from '@/lib/domain/feed';
import { unixMillis } from '@/lib/domain/units';
import { judgeUpgrade } from '@/lib/domain/upgrade-check-verdict';

const EDGES: UpgradeRunEdges = {
  ask: fetchGatewayText,
  firstEvent: (stream, signal) => fetchFirstEvent(stream, signal),
  now: () => unixMillis(Date.now()),
  pause: () => new Promise((resolve) => setTimeout(resolve)),
};

/** The feeds by name, for symbols of the address and for the field; fetched once the section is there. */
export function useFeedNames() {
  return useQuery({
    queryKey: ['feed-directory'],
    queryFn: ({ signal }) => fetchFeedDirectory(signal),
    staleTime: 10 * 60_000,
    refetchOnWindowFocus: false,
  });
}

/** The ids of the feeds that are asked for, and the names that no feed has. */
export type NamedFeeds = { readonly ids: readonly FeedId[]; readonly unknown: readonly string[] };

function namedFeeds(view: UpgradeView, entries: readonly FeedEntry[]): NamedFeeds {
  const ids = new Set<FeedId>();
  const unknown: string[] = [];
  for (const feed of view.feeds) {
    const id = feed.kind === 'id' ? feed.id : findFeed(entries, feed.symbol)?.id;
    if (id === undefined && feed.kind === 'symbol') unknown.push(feed.symbol);
    else if (id !== undefined) ids.add(id);
  }
  return { ids: [...ids], unknown };
}

/** The check that the address asks for: what it says, how far it is, and how to ask for another one. */
export function useUpgradeCheck() {
  const query = useSearchParams()?.toString() ?? '';
  const { view, problems } = useMemo(() => parseUpgradeUrl(new URLSearchParams(query)), [query]);
  const names = useFeedNames();
  const entries = (names.data?.feeds ?? []) as readonly FeedEntry[];
  const feeds = view === undefined ? undefined : namedFeeds(view, entries);
  const isNaming = names.isPending && (feeds?.unknown.length ?? 0) > 0;
  const run = useRun(view, isNaming ? [] : (feeds?.ids ?? []));
  /** Pressed again for the same question, it asks once more. */
  const check = (next: UpgradeView) => {
    const now = queryNow();
    const address = formatUpgradeUrl(next, now);
    const here = view === undefined ? undefined : formatUpgradeUrl(view, now);
    if (address === here) run.again();
    else setAddress(address, 'push');
  };
  return { view, problems, entries, unknown: isNaming ? [] : (feeds?.unknown ?? []), run, check };
}

function useRun(view: UpgradeView | undefined, ids: readonly FeedId[]) {
  const client = useQueryClient();
  const [progress, setProgress] = useState<UpgradeProgress>();
  const at = view?.at;
  const deprecated = view?.extra === 'deprecated' ? 'asked' : 'left out';
  const queryKey = ['upgrade-check', ids.join(','), at, deprecated];
  const result = useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      const watch = { signal, onProgress: setProgress };
      const evidence = await runUpgradeCheck({ ids, at, deprecated }, EDGES, watch);
      return { evidence, verdict: judgeUpgrade(evidence, unixMillis(Date.now())) };
    },
    enabled: ids.length > 0,
    // Only a person asks again: each time costs calls of both hosts.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 10 * 60_000,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  return {
    checked: result.data,
    error: result.error,
    progress: result.isFetching ? progress : undefined,
    standing: result.isFetching ? ('running' as const) : ('resting' as const),
    again: () => askAgain(() => ids.length > 0 && result.refetch()),
    cancel: () => void client.cancelQueries({ queryKey }),
  };
}

export type UpgradeCheckState = ReturnType<typeof useUpgradeCheck>;
