import { HIDDEN_CLOSE_MS, holdLock, watchTab } from '@/lib/core/tab-visibility';
import type { FeedStore } from './store';

/** Web Lock of the hidden tab whose stream stays open. With HTTP/1.1, a host has only six connections. */
const HIDDEN_LOCK = 'keeperscope-alerts';

/**
 * Opens the stream while the page is visible. With alerts, one hidden tab keeps its stream, by a lock that passes on when
 * it closes. Over plain HTTP there are no locks, but no notifications either. Returns a function that ends this.
 */
export function followVisibility(store: FeedStore, hasAlerts: boolean): () => void {
  const life = new AbortController();
  let hiddenAtMs: number | undefined;
  let lock: AbortController | undefined;
  let staysOpen = false;
  const release = () => {
    lock?.abort();
    staysOpen = false;
  };
  const stop = watchTab({
    onVisible: () => {
      release();
      // Timers stop while a computer sleeps, so the close may be overdue.
      const slept = hiddenAtMs !== undefined && Date.now() - hiddenAtMs >= HIDDEN_CLOSE_MS;
      hiddenAtMs = undefined;
      if (slept) store.wake();
      else store.setPaused(false);
    },
    onHide: () => {
      release();
      hiddenAtMs ??= Date.now();
      if (!hasAlerts) return;
      lock = new AbortController();
      holdLock(HIDDEN_LOCK, lock.signal, () => {
        staysOpen = true;
        store.setPaused(false);
      });
    },
    onHidden: () => {
      if (!staysOpen) store.setPaused(true);
    },
    onLeave: () => {
      release();
      store.setPaused(true);
    },
  });
  window.addEventListener('online', () => document.hidden || store.wake(), life);
  return () => {
    life.abort();
    stop();
    release();
  };
}
