'use client';
import { useQuery } from '@tanstack/react-query';
import { fetchGatewayText } from '@/lib/core/gateway';
import { DAY_MS, MINUTE_MS } from '@/lib/core/time';
import { MAX_PAST_FEEDS, readSamples, samplesPath } from '@/lib/feeds/past-response';
import type { PriceUpdate } from '@/lib/feeds/price-update';
import type { FeedStore } from './store';

/** Step of the base. The steps form a grid that all viewers share. */
const STEP_MS = 10 * MINUTE_MS;

/** Updates of a day ago by feed id: the base of a change over 24 hours. */
export type DayAgo = ReadonlyMap<string, PriceUpdate>;

/** @param atS requested moment; the service answers with the first update after it, even hours later */
export function readDayAgo(answer: string, atS: number): DayAgo {
  const updates = readSamples(answer)?.samples.flatMap(({ feeds }) => feeds) ?? [];
  const near = updates.filter(({ publishTimeS }) => publishTimeS - atS <= STEP_MS / 1000);
  return new Map(near.map((update) => [update.id, update]));
}

/** Whether a price is a day old, within two steps: a hidden tab keeps its prices without requesting others. */
export const isDayOld = (publishTimeS: number, nowMs: number): boolean =>
  Math.abs(nowMs - DAY_MS - publishTimeS * 1000) <= 2 * STEP_MS;

/** Feeds without a price then, as in a closed market, are left out. @param isReady false while charts load first */
export function useDayAgo(store: FeedStore, ids: readonly string[], isReady: boolean): DayAgo | undefined {
  const { data } = useQuery({
    queryKey: ['day-ago', ids.toSorted().join(',')],
    queryFn: async ({ signal }) => {
      const atMs = store.serviceNowMs(ids) - DAY_MS;
      const atS = (Math.ceil(atMs / STEP_MS) * STEP_MS) / 1000;
      const answer = await fetchGatewayText(samplesPath(ids.slice(0, MAX_PAST_FEEDS), [atS]), signal);
      return answer.ok ? readDayAgo(answer.value, atS) : new Map();
    },
    enabled: isReady && ids.length > 0,
    staleTime: STEP_MS,
    refetchInterval: STEP_MS,
    retry: false,
    refetchOnWindowFocus: true,
    // Structural sharing needs JSON, but updates contain bigints.
    structuralSharing: false,
  });
  return data;
}
