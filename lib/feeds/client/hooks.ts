'use client';
import { createContext, use, useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react';
import { useAnnounce } from '@/components/ui/announce';
import { useTicking } from '@/components/ui/clock';
import { tellUnseen, watchList } from '@/lib/alerts/watch-list';
import { failureOfAnswer, fetchGatewayText } from '@/lib/core/gateway';
import type { FeedName } from '@/lib/feeds/board-url';
import type { AlertState } from '@/lib/feeds/feed-alerts';
import type { CadenceFloors, FeedCurrency } from '@/lib/feeds/feed-cadence';
import { readHistory, readSamples } from '@/lib/feeds/past-answers';
import type { CompactFeed } from '@/lib/feeds/stream-events';
import { AlertWatch, alertText, soundAlert } from './alerts';
import { currencyOf } from './currency';
import { exactConf, exactPrice, extremesOf, pointsInView } from './history';
import { useKept } from './kept-value';
import type { PastEdges, PastState } from './past';
import { FeedStore, type FeedView, type StreamView } from './store';
import { isConnected } from './stream';

const pageTimers = {
  setTimer: (run: () => void, ms: number): unknown => window.setTimeout(run, ms),
  clearTimer: (timer: unknown): void => window.clearTimeout(timer as number | undefined),
};

/** How late a page that gets no frames, since it is hidden, works in what it received. */
const HIDDEN_FRAME_MS = 1_000;

function requestFrame(run: () => void): void {
  let isDone = false;
  const once = () => {
    if (isDone) return;
    isDone = true;
    window.clearTimeout(timer);
    run();
  };
  const timer = window.setTimeout(once, HIDDEN_FRAME_MS);
  window.requestAnimationFrame(once);
}

const history: PastEdges['history'] = async (path, signal) => {
  const text = await fetchGatewayText(path, signal).catch(() => undefined);
  return text?.ok ? readHistory(text.value) : undefined;
};

const samples: PastEdges['samples'] = async (path, signal) => {
  const text = await fetchGatewayText(path, signal).catch(() => undefined);
  const answer = text?.ok ? readSamples(text.value) : undefined;
  const failure = text?.ok === false ? text.failure : failureOfAnswer('', 200);
  return answer ?? { samples: [], failure };
};

const browserEdges = {
  ...pageTimers,
  create: (url: string) => new EventSource(url),
  now: Date.now,
  random: Math.random,
  requestFrame,
  history,
  samples,
};

/** A glance at another tab does not cost the stream; a tab that stays in the background gives it back. */
const HIDDEN_CLOSE_MS = 5_000;
/** Over HTTP/1.1 a browser has six connections to a host: of its hidden tabs one at most may keep a stream. */
const HIDDEN_LOCK = 'keeperscope-alerts';

/**
 * Opens the stream while the page is seen, and closes it when it has been hidden for a while, frozen, or put into the
 * back-forward cache. A tab that is opened in the background opens none. With alerts one tab of the browser keeps its
 * stream while hidden, by a lock that passes on when that tab is shown or closed. Gives a function that ends this.
 */
function followVisibility(store: FeedStore, hasAlerts: boolean): () => void {
  const life = new AbortController();
  let timer: number | undefined;
  let hiddenAtMs: number | undefined;
  let letGo: AbortController | undefined;
  const hold = () => {
    // Only where the page is secure: over plain HTTP there are no locks, and no notifications either.
    if (!hasAlerts || navigator.locks === undefined) return;
    const own = new AbortController();
    letGo = own;
    const held = () => {
      if (own.signal.aborted) return undefined;
      window.clearTimeout(timer);
      store.resume();
      return new Promise<void>((resolve) => own.signal.addEventListener('abort', () => resolve()));
    };
    navigator.locks.request(HIDDEN_LOCK, { signal: own.signal }, held).catch(() => {});
  };
  const hide = () => {
    hiddenAtMs ??= Date.now();
    window.clearTimeout(timer);
    timer = window.setTimeout(() => store.pause(), HIDDEN_CLOSE_MS);
    letGo?.abort();
    hold();
  };
  const show = () => {
    window.clearTimeout(timer);
    letGo?.abort();
    // Timers stand still while a computer sleeps: the pause may be due and not have happened.
    const slept = hiddenAtMs !== undefined && Date.now() - hiddenAtMs >= HIDDEN_CLOSE_MS;
    hiddenAtMs = undefined;
    if (slept) store.wake();
    else store.resume();
  };
  const look = () => (document.hidden ? hide() : show());
  const leave = () => {
    letGo?.abort();
    store.pause();
  };
  const options = { signal: life.signal };
  document.addEventListener('visibilitychange', look, options);
  document.addEventListener('freeze', leave, options);
  document.addEventListener('resume', look, options);
  window.addEventListener('pagehide', leave, options);
  window.addEventListener('pageshow', look, options);
  window.addEventListener('online', () => document.hidden || store.wake(), options);
  look();
  return () => {
    life.abort();
    letGo?.abort();
    window.clearTimeout(timer);
  };
}

/** How late and how stale feeds may be, and when the server wrote the page (unix ms). */
export type FeedTimes = { readonly writtenAtMs: number; readonly floors: CadenceFloors };

type OfPage = { readonly store: FeedStore; readonly alerts: AlertWatch };

const PageContext = createContext<OfPage | undefined>(undefined);

/** Gives the store to the components below it. */
export const FeedPageProvider = PageContext.Provider;

export type PageManner = {
  readonly times: FeedTimes;
  /** Points kept of each feed. */
  readonly mostPoints: number;
  /** At most so many updates of a feed per second; absent: every one. */
  readonly perS?: number;
};

/**
 * The store of this page, begun with what the server knew, and the alerts of the browser, which are watched on any page with
 * feeds: their feeds come on its stream too.
 */
export function useFeedPage(
  seeds: readonly CompactFeed[],
  feeds: readonly FeedName[],
  { times, mostPoints, perS }: PageManner,
): OfPage {
  const { alerts } = useKept(watchList);
  const [store] = useState(() => new FeedStore(browserEdges, seeds, mostPoints));
  const key = [...new Set([...feeds.map(({ id }) => id), ...alerts.map(({ feedId }) => feedId)])].join(',');
  useEffect(() => store.watch(key === '' ? [] : key.split(','), perS), [store, key, perS]);
  const hasAlerts = alerts.length > 0;
  useEffect(() => followVisibility(store, hasAlerts), [store, hasAlerts]);
  useEffect(() => () => store.pause(), [store]);
  return { store, alerts: useAlertWatch(store, times.floors, feeds) };
}

/** Staleness comes with time, and what is over is so after a while: neither with an update. */
const LOOK_EVERY_MS = 1_000;

function useAlertWatch(store: FeedStore, floors: CadenceFloors, feeds: readonly FeedName[]): AlertWatch {
  const announce = useAnnounce();
  const list = useKept(watchList);
  const [market] = useState(() => new Map<string, FeedName>());
  const [watch] = useState(() => alertWatchOf(store, floors, market));
  const look = useEffectEvent(() => {
    const happenings = watch.look(Date.now() - store.stream().skewMs);
    const [first, ...more] = happenings.filter(({ event }) => event.kind === 'raised');
    if (first === undefined) return;
    announce(`Alert: ${alertText(first.alert)}${more.length > 0 ? `, and ${more.length} more` : ''}`);
    const loud = happenings.filter(({ event }) => event.loud).map(({ alert }) => alert);
    if (loud.length === 0) return;
    if (list.sound === 'yes') soundAlert();
    tellUnseen(
      loud.length,
      loud.map((alert) => ({
        title: alertText(alert),
        body: 'Keeperscope feeds',
        tag: `keeperscope-alert-${alert.id}`,
      })),
    );
  });
  useEffect(() => {
    for (const feed of feeds) market.set(feed.id, feed);
  }, [market, feeds]);
  useEffect(() => {
    watch.follow(list.alerts);
    look();
    if (list.alerts.length === 0) return;
    const run = () => look();
    const end = store.subscribe(run);
    const timer = window.setInterval(run, LOOK_EVERY_MS);
    return () => {
      end();
      window.clearInterval(timer);
    };
  }, [watch, store, list.alerts]);
  return watch;
}

function alertWatchOf(
  store: FeedStore,
  floors: CadenceFloors,
  market: ReadonlyMap<string, FeedName>,
): AlertWatch {
  return new AlertWatch(({ feedId, condition }) => {
    const { latest } = store.feed(feedId);
    if (latest === undefined) return undefined;
    const nowMs = Date.now() - store.stream().skewMs;
    const points = store.points(feedId);
    const { word } = currencyOf({ latest, points, nowMs, floors, market: market.get(feedId) });
    const price = exactPrice(latest);
    const currency = isConnected(store.stream().link) ? word : undefined;
    const look = { price, conf: exactConf(latest), currency };
    if (condition.kind !== 'change') return look;
    // The price that was in force when the window began is one of the window.
    const { lowest, highest } =
      extremesOf(pointsInView(points, { fromMs: nowMs - condition.windowS * 1000 })) ?? {};
    const exact = (point: typeof lowest) => (point === undefined ? price : exactPrice(point.update));
    return { ...look, lowest: exact(lowest), highest: exact(highest) };
  });
}

function usePage(): OfPage {
  const page = use(PageContext);
  if (page === undefined) throw new Error('a feed is shown outside of a page of feeds');
  return page;
}

export function useFeedStore(): FeedStore {
  return usePage().store;
}

function useStoreValue<T>(read: (store: FeedStore) => T): T {
  const store = useFeedStore();
  const value = () => read(store);
  return useSyncExternalStore(store.subscribe, value, value);
}

/** One feed, drawn again only when this feed changed. */
export function useFeed(id: string): FeedView {
  return useStoreValue((store) => store.feed(id));
}

/** Whether a feed is known: drawn again when that changes, not with every update. */
export function useFeedStatus(id: string): FeedView['status'] {
  return useStoreValue((store) => store.feed(id).status);
}

/** What concerns all feeds of the page. */
export function useStream(): StreamView {
  return useStoreValue((store) => store.stream());
}

/** How far the past of the charts is. */
export function usePastState(): PastState {
  return useStoreValue((store) => store.past.state);
}

/** How current a feed is, in a word, and when its closed market opens, where that is known. Unix milliseconds. */
export type CurrencyNow = { readonly word: FeedCurrency['word']; readonly opensAtMs?: number };

/** Judged once a second; whoever asks is drawn again only when the judgement changes. Undefined before the first price. */
export function useCurrency(feed: FeedName, { writtenAtMs, floors }: FeedTimes): CurrencyNow | undefined {
  const store = useFeedStore();
  const text = useTicking((nowMs) => {
    const { latest } = store.feed(feed.id);
    if (latest === undefined) return undefined;
    const serviceMs = nowMs - store.stream().skewMs;
    const points = store.points(feed.id);
    const { word, opensAtMs } = currencyOf({ latest, points, nowMs: serviceMs, floors, market: feed });
    return JSON.stringify({ word, opensAtMs });
  }, writtenAtMs);
  return text === undefined ? undefined : (JSON.parse(text) as CurrencyNow);
}

const NO_STATES: ReadonlyMap<string, AlertState> = new Map();

/** How each alert stands, by its id. */
export function useAlertStates(): ReadonlyMap<string, AlertState> {
  const { alerts } = usePage();
  return useSyncExternalStore(alerts.subscribe, alerts.states, () => NO_STATES);
}

/** How the alerts of one feed stand together. */
export type AlertLooks = 'none' | 'set' | 'raised';

export function useFeedAlerts(feedId: string): AlertLooks {
  const { alerts } = useKept(watchList);
  const states = useAlertStates();
  const own = alerts.filter((alert) => alert.feedId === feedId);
  if (own.some(({ id }) => states.get(id)?.phase === 'raised')) return 'raised';
  return own.length > 0 ? 'set' : 'none';
}

/** A chart is drawn twice a second while there are few of them; two drawings never share a task, however many there are. */
const SHORTEST_TURN_MS = 500;
const BETWEEN_DRAWINGS_MS = 50;

const drawings: (() => void)[] = [];
let nextDrawing = 0;
let turnTimer: number | undefined;

function planTurn(): void {
  const waitMs = Math.max(BETWEEN_DRAWINGS_MS, SHORTEST_TURN_MS / drawings.length);
  turnTimer = window.setTimeout(() => {
    planTurn();
    if (document.hidden) return;
    nextDrawing = (nextDrawing + 1) % drawings.length;
    drawings[nextDrawing]?.();
  }, waitMs);
}

/** Puts a drawing into the page's round: one after the other, so that they never all come due at once. Gives a function that takes it out. */
export function joinDrawing(draw: () => void): () => void {
  drawings.push(draw);
  if (drawings.length === 1) planTurn();
  return () => {
    const at = drawings.indexOf(draw);
    if (at >= 0) drawings.splice(at, 1);
    if (drawings.length === 0) window.clearTimeout(turnTimer);
  };
}
