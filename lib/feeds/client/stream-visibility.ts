import type { FeedStore } from './store';

/** Time in the background after which a stream closes. */
const HIDDEN_CLOSE_MS = 5_000;
/** Web Lock of the hidden tab whose stream stays open. With HTTP/1.1, a host has only six connections. */
const HIDDEN_LOCK = 'keeperscope-alerts';

/**
 * Opens the stream while the page is visible. With alerts, one hidden tab keeps its stream, by a lock that passes on when
 * it closes. Over plain HTTP there are no locks, but no notifications either. Returns a function that ends this.
 */
export function followVisibility(store: FeedStore, hasAlerts: boolean): () => void {
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
