'use client';
import { createContext, useContext, useSyncExternalStore } from 'react';
import { fetchGatewayText } from './gateway';
import { isLookedAt, pageBadge } from './page-badge';
import {
  EMPTY_BOOK,
  isWatched,
  type WatchBook,
  type Watched,
  withoutWatched,
  withWatched,
} from './watch-book';
import { askToNotify, notifyOf } from './watch-notice';
import { WatchPoller, type WatchStanding } from './watch-poller';
import { WATCH_KEY, WatchStore } from './watch-store';
import type { TitleBadge } from './watch-title';

type OfTab = { store: WatchStore; poller: WatchPoller; badge: TitleBadge; begun: 'yes' | 'no' };

let ofTab: OfTab | undefined;

/**
 * The one of this tab: made when something that watches is first on screen, since a browser may forbid even to look at its
 * storage.
 */
function watchOfTab(): OfTab {
  ofTab ??= made();
  return ofTab;
}

function made(): OfTab {
  const store = new WatchStore(storageOrNone());
  const badge = pageBadge();
  const poller = new WatchPoller(store, {
    ask: fetchGatewayText,
    now: Date.now,
    setTimer: (run, ms) => setTimeout(run, ms),
    clearTimer: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout> | undefined),
    random: Math.random,
    isHidden: () => document.hidden,
    onChanges: (changes) => {
      badge.add(changes.length);
      if (store.read().notify === 'yes' && !isLookedAt()) notifyOf(changes);
    },
  });
  return { store, poller, badge, begun: 'no' };
}

/** From the first listener on, and for as long as the tab lives: what is watched is watched on every page. */
function begin(tab: OfTab): void {
  if (tab.begun === 'yes') return;
  tab.begun = 'yes';
  const { store, poller, badge } = tab;
  window.addEventListener('storage', ({ key }) => {
    if (key === WATCH_KEY || key === null) store.reload();
  });
  document.addEventListener('visibilitychange', () => {
    badge.look();
    if (!document.hidden) poller.wake();
  });
  window.addEventListener('focus', () => badge.look());
  poller.start();
}

function subscribe(listener: () => void): () => void {
  const tab = watchOfTab();
  begin(tab);
  const ends = [tab.store.subscribe(listener), tab.poller.subscribe(listener)];
  return () => {
    for (const end of ends) end();
  };
}

function storageOrNone(): Storage | undefined {
  try {
    return window.localStorage;
  } catch {
    return undefined;
  }
}

const IDLE: WatchStanding = { kind: 'idle' };

/** What is watched, what was seen of it, and what can be done with it. */
export type Watch = { readonly book: WatchBook; readonly standing: WatchStanding } & typeof ACTIONS;

const GivenContext = createContext<Watch | undefined>(undefined);

/** Gives everything below it another list than that of this browser, which is then neither read nor asked about. */
export const WatchGiven = GivenContext.Provider;

const nobody = () => () => {};

/** What this browser watches and what it has seen, and what can be done with it. */
export function useWatch(): Watch {
  const given = useContext(GivenContext);
  const listen = given === undefined ? subscribe : nobody;
  const book = useSyncExternalStore(
    listen,
    () => given?.book ?? watchOfTab().store.read(),
    () => given?.book ?? EMPTY_BOOK,
  );
  const standing = useSyncExternalStore(
    listen,
    () => given?.standing ?? watchOfTab().poller.standing(),
    () => given?.standing ?? IDLE,
  );
  return given ?? { book, standing, ...ACTIONS };
}

const change = (make: Parameters<WatchStore['change']>[0]) => watchOfTab().store.change(make);

const ACTIONS = {
  /** @returns `full` when so many are watched that one has to be taken away first */
  watch: (one: Watched): 'watched' | 'full' =>
    watchOfTab().store.change((book) => {
      const next = withWatched(book, one);
      return { book: next, result: isWatched(next, one.id) ? 'watched' : 'full' };
    }),
  unwatch: (id: string): void => {
    change((book) => ({ book: withoutWatched(book, id), result: undefined }));
  },
  refusal: (id: string) => watchOfTab().poller.refusal(id),
  askAgain: (): void => watchOfTab().poller.wake(),
  /** Only from a click: browsers ask the person then. */
  notify: async (): Promise<'yes' | 'refused'> => {
    const allowed = await askToNotify();
    if (allowed === 'yes') change((book) => ({ book: { ...book, notify: 'yes' }, result: undefined }));
    return allowed;
  },
  dontNotify: (): void => {
    change((book) => ({ book: { ...book, notify: 'no' }, result: undefined }));
  },
} as const;
