'use client';
import { createContext, useContext, useEffect, useState, useSyncExternalStore } from 'react';
import type { FeedMark } from '@/lib/contract/codec/feed-marks';
import { useTicking } from './clock';
import { browserEdges, browserPage, pageTimers } from './feed-browser';
import { DrawPacer } from './feed-draw-pacer';
import type { FeedView } from './feed-entry';
import type { HistoryBounds } from './feed-history';
import type { FeedLink } from './feed-link';
import { followPageLife } from './feed-page-life';
import { FeedStore } from './feed-store';
import type { FeedSeed, StreamView, WatchManner } from './feed-watching';

const pagePacer = new DrawPacer({ ...pageTimers, pageHidden: () => document.hidden });

/** Puts a drawing into the page's round; gives a function that takes it out. */
export const joinDrawing = pagePacer.join;

const StoreContext = createContext<FeedStore | undefined>(undefined);

/** Gives the store to the components below it. */
export const FeedStoreProvider = StoreContext.Provider;

/** How a page wants its feeds, and how much of them it keeps. */
export type StoreManner = WatchManner & { readonly keeps?: HistoryBounds };

/** The store of this page: made once, begun with what the server knew. It connects when the page is shown, not before. */
export function useNewFeedStore(
  seeds: readonly FeedSeed[],
  ids: readonly string[],
  { keeps, rate, options }: StoreManner = {},
): FeedStore {
  const [store] = useState(() => new FeedStore(browserEdges, seeds, keeps));
  const key = ids.join(',');
  const { unordered, benchmarks, invalidIds } = options ?? {};
  useEffect(
    () =>
      store.watch(key === '' ? [] : key.split(','), { rate, options: { unordered, benchmarks, invalidIds } }),
    [store, key, rate, unordered, benchmarks, invalidIds],
  );
  useEffect(() => {
    store.resume();
    const end = followPageLife(store, browserPage);
    return () => {
      end();
      store.pause();
    };
  }, [store]);
  return store;
}

/** The store of the board this component stands in. */
export function useFeedStore(): FeedStore {
  const store = useContext(StoreContext);
  if (store === undefined) {
    throw new Error('a feed is shown outside of a feed board');
  }
  return store;
}

/** One feed, drawn again only when this feed changed. */
export function useFeed(id: string): FeedView {
  const store = useFeedStore();
  const read = () => store.feed(id);
  return useSyncExternalStore(store.subscribe, read, read);
}

/** Whether a feed is known: drawn again when that changes, not with every update. */
export function useFeedStanding(id: string): FeedView['standing'] {
  const store = useFeedStore();
  const read = () => store.feed(id).standing;
  return useSyncExternalStore(store.subscribe, read, read);
}

/** What concerns all feeds of the page. */
export function useStream(): StreamView {
  const store = useFeedStore();
  const read = () => store.stream();
  return useSyncExternalStore(store.subscribe, read, read);
}

/** The link as it may be shown now: prices that no longer come are not called live. */
export function useStreamLink(renderedAtMs: number): FeedLink {
  const store = useFeedStore();
  const { link } = useStream();
  const told = JSON.stringify(link);
  const shown = useTicking((nowMs) => JSON.stringify(store.linkAt(nowMs)), renderedAtMs);
  return told === shown ? link : (JSON.parse(shown) as FeedLink);
}

/** What happened to the streams in the last 30 minutes, for charts. */
export function useFeedMarks(): readonly FeedMark[] {
  const store = useFeedStore();
  const read = () => store.marks();
  return useSyncExternalStore(store.subscribe, read, read);
}
