/** Time in the background after which a tab closes its stream. */
export const HIDDEN_CLOSE_MS = 5_000;

type TabHandlers = {
  /** The page is on screen, first or again. */
  onVisible: () => void;
  onHide?: () => void;
  /** The page has been hidden for `HIDDEN_CLOSE_MS`. */
  onHidden: () => void;
  /** The page is left or frozen, and may come back. */
  onLeave: () => void;
};

/** Returns a function that ends the watch. */
export function watchTab({ onVisible, onHide, onHidden, onLeave }: TabHandlers): () => void {
  const life = new AbortController();
  let timer: number | undefined;
  const onVisibility = () => {
    window.clearTimeout(timer);
    if (!document.hidden) return onVisible();
    onHide?.();
    timer = window.setTimeout(onHidden, HIDDEN_CLOSE_MS);
  };
  const leave = () => {
    window.clearTimeout(timer);
    onLeave();
  };
  document.addEventListener('visibilitychange', onVisibility, life);
  document.addEventListener('freeze', leave, life);
  document.addEventListener('resume', onVisibility, life);
  window.addEventListener('pagehide', leave, life);
  window.addEventListener('pageshow', onVisibility, life);
  onVisibility();
  return () => {
    life.abort();
    window.clearTimeout(timer);
  };
}

/**
 * Holds a Web Lock, which only one tab has, until the signal aborts. It then passes to the next tab that waits for it.
 * A page over plain HTTP from another machine has no locks, and `onHeld` is never called.
 */
export function holdLock(name: string, signal: AbortSignal, onHeld: () => void): void {
  const hold = () => {
    if (signal.aborted) return undefined;
    onHeld();
    return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  };
  navigator.locks?.request(name, { signal }, hold).catch(() => undefined);
}
