'use client';
import {
  createContext,
  use,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { announce } from '@/components/ui/announce';
import { useTicking } from '@/components/ui/clock';
import { fetchGatewayText } from '@/lib/core/gateway';
import { realTimers } from '@/lib/core/timers';
import type { FeedName, FeedsInitialData } from '@/lib/feeds/board-url';
import { type AlertState, judgeAlert, stepAlert, UNJUDGED } from '@/lib/feeds/feed-alerts';
import type { CadenceFloors, FeedCurrency } from '@/lib/feeds/feed-cadence';
import { useStoredValue } from '@/lib/watches/stored-value';
import { type FeedAlert, notifyUnseen, watchList } from '@/lib/watches/watch-list';
import { alertInputOf, currencyOf } from './alert-input';
import { alertText, soundAlert } from './alerts';
import { useFeedDirectory } from './directory';
import { fillPast, type PastState, type PastWanted } from './past';
import { FeedStore, type FeedView, type StreamView } from './store';
import { isTroubled } from './stream';

/** Delay of processing updates in a hidden page, which gets no animation frames. */
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

const browserEdges = {
  ...realTimers,
  create: (url: string) => new EventSource(url),
  random: Math.random,
  requestFrame,
};

/** Time in the background after which a tab closes its stream. */
const HIDDEN_CLOSE_MS = 5_000;
/** Web Lock under which one hidden tab keeps its stream: with HTTP/1.1 a browser has six connections to a host. */
const HIDDEN_LOCK = 'keeperscope-alerts';

/**
 * Opens the stream while the page is visible. With alerts one hidden tab of the browser keeps its stream, by a lock that passes
 * on; over plain HTTP there are no locks, and no notifications either. Returns a function that ends this.
 */
function followVisibility(store: FeedStore, hasAlerts: boolean): () => void {
  const life = new AbortController();
  let timer: number | undefined;
  let hiddenAtMs: number | undefined;
  let lock: AbortController | undefined;
  const stopWaiting = () => {
    window.clearTimeout(timer);
    lock?.abort();
  };
  const stayOpen = ({ signal }: AbortController) => {
    const onLock = () => {
      if (signal.aborted) return undefined;
      window.clearTimeout(timer);
      store.setPaused(false);
      return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    };
    navigator.locks?.request(HIDDEN_LOCK, { signal }, onLock).catch(() => {});
  };
  const onVisibility = () => {
    stopWaiting();
    if (document.hidden) {
      hiddenAtMs ??= Date.now();
      timer = window.setTimeout(() => store.setPaused(true), HIDDEN_CLOSE_MS);
      lock = new AbortController();
      if (hasAlerts) stayOpen(lock);
      return;
    }
    // Timers stop while a computer sleeps, so the close may be overdue.
    const slept = hiddenAtMs !== undefined && Date.now() - hiddenAtMs >= HIDDEN_CLOSE_MS;
    hiddenAtMs = undefined;
    if (slept) store.wake();
    else store.setPaused(false);
  };
  const leave = () => {
    stopWaiting();
    store.setPaused(true);
  };
  const options = { signal: life.signal };
  document.addEventListener('visibilitychange', onVisibility, options);
  document.addEventListener('freeze', leave, options);
  document.addEventListener('resume', onVisibility, options);
  window.addEventListener('pagehide', leave, options);
  window.addEventListener('pageshow', onVisibility, options);
  window.addEventListener('online', () => document.hidden || store.wake(), options);
  onVisibility();
  return () => {
    life.abort();
    stopWaiting();
  };
}

type AlertStates = ReadonlyMap<string, AlertState>;
export type FeedPageContext = {
  readonly store: FeedStore;
  readonly alertStates: AlertStates;
  readonly floors: CadenceFloors;
  /** Whether the past was loaded: absent updates are missing then. */
  readonly isFilled?: boolean;
};

const PageContext = createContext<FeedPageContext | undefined>(undefined);

export const FeedPageProvider = PageContext.Provider;

/** Store of the page. Its stream includes the feeds of alerts. @param perS updates of a feed per second; absent: all */
export function useFeedPage(
  { updates, floors }: Pick<FeedsInitialData, 'updates' | 'floors'>,
  feeds: readonly FeedName[],
  maxPoints: number,
  perS?: number,
): FeedPageContext {
  const { alerts } = useStoredValue(watchList);
  const [store] = useState(() => new FeedStore(browserEdges, updates, maxPoints));
  const key = [...new Set([...feeds.map(({ id }) => id), ...alerts.map(({ feedId }) => feedId)])].join(',');
  useEffect(() => store.watch(key === '' ? [] : key.split(','), perS), [store, key, perS]);
  const hasAlerts = alerts.length > 0;
  useEffect(() => followVisibility(store, hasAlerts), [store, hasAlerts]);
  useEffect(() => () => store.setPaused(true), [store]);
  const alertStates = useAlertWatch(store, floors, feeds);
  return useMemo(() => ({ store, alertStates, floors }), [store, alertStates, floors]);
}

/** Interval of checking alerts: staleness and endings come with time, not with an update. */
const ALERT_CHECK_INTERVAL_MS = 1_000;

function useAlertWatch(store: FeedStore, floors: CadenceFloors, feeds: readonly FeedName[]): AlertStates {
  const { alerts, sound } = useStoredValue(watchList);
  const [states, setStates] = useState<AlertStates>(new Map());
  const latest = useRef(states);
  // Feeds of alerts that are not on the page need their market's schedule too.
  const isElsewhere = ({ feedId, condition }: FeedAlert) =>
    condition.kind === 'stale' && !feeds.some(({ id }) => id === feedId);
  const directory = useFeedDirectory(alerts.some(isElsewhere));
  const checkAlerts = useEffectEvent(() => {
    const before = latest.current;
    const nowMs = Date.now() - store.stream().skewMs;
    const steps = alerts.map((alert) => {
      const listed = [...feeds, ...(directory.data?.feeds ?? [])].find(({ id }) => id === alert.feedId);
      const market = listed ?? (directory.isLoading ? 'unknown' : undefined);
      const seen = alertInputOf(store, alert, { nowMs, floors, market });
      const previous = before.get(alert.id) ?? UNJUDGED;
      const state = stepAlert(previous, seen && judgeAlert(alert.condition, seen), nowMs);
      return { alert, state, isNew: state.phase === 'raised' && previous.phase !== 'raised' };
    });
    if (steps.length !== before.size || steps.some(({ alert, state }) => before.get(alert.id) !== state)) {
      latest.current = new Map(steps.map(({ alert, state }) => [alert.id, state]));
      setStates(latest.current);
    }
    const raised = steps.filter(({ isNew }) => isNew);
    const [first, ...more] = raised;
    if (first === undefined) return;
    announce(`Alert: ${alertText(first.alert)}${more.length > 0 ? `, and ${more.length} more` : ''}`);
    const notices = raised.flatMap(({ alert, state }) => {
      const tag = `keeperscope-alert-${alert.id}`;
      return state.notifiedMs === nowMs ? { title: alertText(alert), body: 'Keeperscope feeds', tag } : [];
    });
    if (notices.length === 0) return;
    if (sound === 'yes') soundAlert();
    notifyUnseen(notices.length, notices);
  });
  useEffect(() => {
    const run = () => checkAlerts();
    run();
    if (alerts.length === 0) return;
    const end = store.subscribe(run);
    const timer = window.setInterval(run, ALERT_CHECK_INTERVAL_MS);
    return () => {
      end();
      window.clearInterval(timer);
    };
  }, [store, alerts]);
  return states;
}

export function usePage(): FeedPageContext {
  const page = use(PageContext);
  if (page === undefined) throw new Error('a feed is shown outside of a page of feeds');
  return page;
}

function useValueOf<T>(store: FeedStore, read: (store: FeedStore) => T): T {
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

const pastEdges = {
  get: fetchGatewayText,
  wait: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, Math.min(ms, 2 ** 31 - 1))),
};

/** Loads the past of a page's charts, again after an interruption of the stream, and returns the progress. */
export function usePast(store: FeedStore, wanted: PastWanted): PastState {
  const [state, setState] = useState<PastState>({ kind: 'waiting' });
  // Unknown feeds are left out, since each of their moments would cost a call.
  const knownIds = useValueOf(store, () =>
    wanted.ids.filter((id) => store.feed(id).status === 'known').join(','),
  );
  const gaps = useValueOf(store, () => store.stream().gaps);
  const key = JSON.stringify([knownIds, wanted.spanMs, wanted.toMs, gaps]);
  const fill = useEffectEvent((signal: AbortSignal) =>
    fillPast(store, { ...wanted, ids: knownIds.split(',') }, pastEdges, signal, setState),
  );
  useEffect(() => {
    if (key.startsWith('[""')) return;
    const gone = new AbortController();
    fill(gone.signal).catch((error: unknown) => {
      if (!gone.signal.aborted) throw error;
    });
    return () => gone.abort();
  }, [key]);
  return state;
}

type FeedState = {
  readonly state: FeedCurrency['word'] | Exclude<FeedView['status'], 'known'> | 'unavailable';
  readonly opensAtMs?: number | undefined;
};

/** State of a feed, evaluated once a second; renders only when it changes. */
export function useFeedState(feed: FeedName): FeedState {
  const { store, floors } = usePage();
  const status = useStoreValue(() => store.feed(feed.id).status);
  const text = useTicking((nowMs) => {
    const judged = { nowMs: nowMs - store.stream().skewMs, floors, market: feed };
    return JSON.stringify(currencyOf(store, feed.id, judged) ?? { word: 'waiting' });
  });
  const { word, ...more }: { word: FeedState['state'] } = JSON.parse(text);
  const isDown = useStoreValue(() => isTroubled(store.stream().link));
  if (status === 'known') return { state: word, ...more };
  return { state: status === 'waiting' && isDown ? 'unavailable' : status };
}

/** The worst state of the alerts of one feed. */
export type AlertPhaseOfFeed = 'none' | 'set' | 'raised';

export function useFeedAlerts(feedId: string): AlertPhaseOfFeed {
  const { alerts } = useStoredValue(watchList);
  const { alertStates } = usePage();
  const feedAlerts = alerts.filter((alert) => alert.feedId === feedId);
  if (feedAlerts.some(({ id }) => alertStates.get(id)?.phase === 'raised')) return 'raised';
  return feedAlerts.length > 0 ? 'set' : 'none';
}

/** Interval in which all charts of a page are redrawn once, each in a task of its own. */
const REDRAW_INTERVAL_MS = 1_000;
/** Minimum time between two charts, which makes the interval longer if they are many. */
const MIN_REDRAW_GAP_MS = 100;

const redrawQueue: (() => void)[] = [];
let nextRedraw = 0;
let redrawTimer: number | undefined;

function scheduleNext(): void {
  const waitMs = Math.max(MIN_REDRAW_GAP_MS, REDRAW_INTERVAL_MS / redrawQueue.length);
  redrawTimer = window.setTimeout(() => {
    scheduleNext();
    if (document.hidden) return;
    nextRedraw = (nextRedraw + 1) % redrawQueue.length;
    redrawQueue[nextRedraw]?.();
  }, waitMs);
}

/** Adds a chart to the page's redraw queue, which spreads redraws over time. Returns a function that removes it. */
export function joinRedrawQueue(draw: () => void): () => void {
  redrawQueue.push(draw);
  if (redrawQueue.length === 1) scheduleNext();
  return () => {
    const at = redrawQueue.indexOf(draw);
    if (at >= 0) redrawQueue.splice(at, 1);
    if (redrawQueue.length === 0) window.clearTimeout(redrawTimer);
  };
}
