'use client';
import { createContext, useContext, useEffect, useState, useSyncExternalStore } from 'react';
import { DrawPacer } from './feed-draw-pacer';
import type { FeedView } from './feed-entry';
import { followPageLife, type PageEdges } from './feed-page-life';
import { type FeedSeed, FeedStore, type FeedStoreEdges, type StreamView } from './feed-store';

const timers = {
  setTimer: (run: () => void, ms: number): unknown => window.setTimeout(run, ms),
  clearTimer: (timer: unknown): void => window.clearTimeout(timer as number | undefined),
};

const browserEdges: FeedStoreEdges = {
  ...timers,
  create: (url) => new EventSource(url),
  now: Date.now,
  random: Math.random,
  requestFrame: (run) => {
    // A hidden page gets no frames: what it received is shown when it is seen again.
    window.requestAnimationFrame(run);
  },
};

const PAGE_EVENT_TARGET = {
  visibilitychange: 'document',
  freeze: 'document',
  resume: 'document',
  pagehide: 'window',
  pageshow: 'window',
  online: 'window',
} as const;

const browserPage: PageEdges = {
  ...timers,
  now: Date.now,
  hidden: () => document.hidden,
  on: (type, listener) => {
    const target: EventTarget = PAGE_EVENT_TARGET[type] === 'document' ? document : window;
    const heard = (event: Event) => listener({ persisted: 'persisted' in event && event.persisted === true });
    target.addEventListener(type, heard);
    return () => target.removeEventListener(type, heard);
  },
};

const pagePacer = new DrawPacer({ ...timers, pageHidden: () => document.hidden });

/** Puts a drawing into the page's round; gives a function that takes it out. */
export const joinDrawing = pagePacer.join;

const StoreContext = createContext<FeedStore | undefined>(undefined);

/** Gives the store to the components below it. */
export const FeedStoreProvider = StoreContext.Provider;

/** The store of this page: made once, begun with what the server knew. It connects when the page is shown, not before. */
export function useNewFeedStore(seeds: readonly FeedSeed[], ids: readonly string[]): FeedStore {
  const [store] = useState(() => new FeedStore(browserEdges, seeds));
  const key = ids.join(',');
  useEffect(() => store.watch(key === '' ? [] : key.split(',')), [store, key]);
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

/** What concerns all feeds of the page. */
export function useStream(): StreamView {
  const store = useFeedStore();
  const read = () => store.stream();
  return useSyncExternalStore(store.subscribe, read, read);
}
