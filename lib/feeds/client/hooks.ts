'use client';
import { createContext, use, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { useTicking } from '@/components/ui/clock';
import { browserSourceDeps } from '@/lib/core/reconnecting-source';
import type { FeedName, FeedsInitialData } from '@/lib/feeds/board-url';
import type { CadenceFloors, FeedCurrency } from '@/lib/feeds/feed-cadence';
import { decodeCompactUpdate } from '@/lib/feeds/price-update';
import { useStoredValue } from '@/lib/watches/client/stored-value';
import { watchList } from '@/lib/watches/client/watch-list';
import { currencyOf } from './alert-input';
import type { DayAgo } from './day-ago';
import { FeedStore, type FeedView, type StreamView } from './store';
import { isTroubled } from './stream';
import { followVisibility } from './stream-visibility';
import { type AlertStates, useAlertWatch } from './use-alert-watch';

/** Delay of updates in a hidden page, which gets no animation frames. */
const HIDDEN_FRAME_MS = 1_000;

function requestFrame(run: () => void): void {
  const once = () => {
    window.clearTimeout(timer);
    window.cancelAnimationFrame(frame);
    run();
  };
  const timer = window.setTimeout(once, HIDDEN_FRAME_MS);
  const frame = window.requestAnimationFrame(once);
}

const browserDeps = { ...browserSourceDeps, requestFrame };

export type FeedPageContext = {
  readonly store: FeedStore;
  readonly alertStates: AlertStates;
  readonly floors: CadenceFloors;
  /** Once the past is loaded, absent updates are missing. */
  readonly isFilled?: boolean;
  readonly dayAgo?: DayAgo | undefined;
};

const PageContext = createContext<FeedPageContext | undefined>(undefined);

export const FeedPageProvider = PageContext.Provider;

/** The store's stream includes the feeds of alerts. @param perS updates of a feed per second; if absent, all */
export function useFeedPage(
  { updates, floors }: Pick<FeedsInitialData, 'updates' | 'floors'>,
  feeds: readonly FeedName[],
  maxPoints: number,
  perS?: number,
): FeedPageContext {
  const { alerts } = useStoredValue(watchList);
  const [store] = useState(() => new FeedStore(browserDeps, updates.map(decodeCompactUpdate), maxPoints));
  const key = [...new Set([...feeds.map(({ id }) => id), ...alerts.map(({ feedId }) => feedId)])].join(',');
  useEffect(() => store.watch(key === '' ? [] : key.split(','), perS), [store, key, perS]);
  const hasAlerts = alerts.length > 0;
  useEffect(() => followVisibility(store, hasAlerts), [store, hasAlerts]);
  useEffect(() => () => store.setPaused(true), [store]);
  const alertStates = useAlertWatch(store, floors, feeds);
  return useMemo(() => ({ store, alertStates, floors }), [store, alertStates, floors]);
}

export function usePage(): FeedPageContext {
  const page = use(PageContext);
  if (page === undefined) throw new Error('a feed is shown outside of a page of feeds');
  return page;
}

/** Renders only when the value changes. */
export function useValueOf<T>(store: FeedStore, read: (store: FeedStore) => T): T {
  const value = () => read(store);
  return useSyncExternalStore(store.subscribe, value, value);
}

const useStoreValue = <T>(read: (store: FeedStore) => T): T => useValueOf(usePage().store, read);

export function useFeed(id: string): FeedView {
  return useStoreValue((store) => store.feed(id));
}

export function useStream(): StreamView {
  return useStoreValue((store) => store.stream());
}

/** `held`: the last price is shown while the stream is down, whatever the state of the feed. */
type FeedState = {
  readonly state: FeedCurrency['word'] | Exclude<FeedView['status'], 'known'> | 'unavailable' | 'held';
  readonly opensAtMs?: number | undefined;
};

function stateOf(status: FeedView['status'], currency: FeedCurrency | undefined, isDown: boolean): FeedState {
  if (status !== 'known') return { state: status === 'waiting' && isDown ? 'unavailable' : status };
  const { word, opensAtMs } = currency ?? { word: 'waiting' as const };
  const isAgeing = word === 'fresh' || word === 'late' || word === 'stale';
  return { state: isAgeing && isDown ? 'held' : word, opensAtMs };
}

/** Evaluated once a second. Renders only on a change: equal texts, unlike equal objects, are the same value. */
export function useFeedState(feed: FeedName): FeedState {
  const { store, floors } = usePage();
  const status = useStoreValue(() => store.feed(feed.id).status);
  const text = useTicking((nowMs) => {
    const judged = { nowMs: nowMs - store.stream().skewMs, floors, market: feed };
    return JSON.stringify(currencyOf(store, feed.id, judged) ?? null);
  });
  const currency: FeedCurrency | undefined = JSON.parse(text) ?? undefined;
  const isDown = useStoreValue(() => isTroubled(store.stream().link));
  return stateOf(status, currency, isDown);
}

/** The most frequent state first, evaluated once a second. */
export function useStateCounts(feeds: readonly FeedName[]): [FeedState['state'], number][] {
  const { store, floors } = usePage();
  const text = useTicking((nowMs) => {
    const isDown = isTroubled(store.stream().link);
    const counts = new Map<FeedState['state'], number>();
    for (const feed of feeds) {
      const judged = { nowMs: nowMs - store.stream().skewMs, floors, market: feed };
      const { state } = stateOf(store.feed(feed.id).status, currencyOf(store, feed.id, judged), isDown);
      counts.set(state, (counts.get(state) ?? 0) + 1);
    }
    return JSON.stringify([...counts].sort(([, a], [, b]) => b - a));
  });
  return JSON.parse(text);
}

/** The worst state of the feed's alerts. */
export type AlertPhaseOfFeed = 'none' | 'set' | 'raised';

export function useFeedAlerts(feedId: string): AlertPhaseOfFeed {
  const { alerts } = useStoredValue(watchList);
  const { alertStates } = usePage();
  const feedAlerts = alerts.filter((alert) => alert.feedId === feedId);
  if (feedAlerts.some(({ id }) => alertStates.get(id)?.phase === 'raised')) return 'raised';
  return feedAlerts.length > 0 ? 'set' : 'none';
}
