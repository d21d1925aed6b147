import type { FeedStore } from './feed-store';

/** The events of a browser page that decide whether its stream is worth a connection. */
export type PageEdges = {
  readonly on: (
    type: 'visibilitychange' | 'pagehide' | 'pageshow' | 'online' | 'freeze' | 'resume',
    listener: (event: { readonly persisted?: boolean }) => void,
  ) => () => void;
  readonly hidden: () => boolean;
  /** Whether updates are waited for even while nobody sees the page; absent: never. */
  readonly needed?: () => boolean;
  readonly now: () => number;
  readonly setTimer: (run: () => void, ms: number) => unknown;
  readonly clearTimer: (timer: unknown) => void;
};

/** A glance at another tab does not cost the stream; a tab that stays in the background gives it back. */
export const HIDDEN_CLOSE_MS = 5_000;

/**
 * Pauses the store while nobody can see the page (hidden for long, frozen, in the back-forward cache) and wakes it
 * after. Gives a function that ends this.
 */
export function followPageLife(
  store: Pick<FeedStore, 'pause' | 'resume' | 'wake'>,
  page: PageEdges,
): () => void {
  let timer: unknown;
  let hiddenSinceMs: number | undefined;

  const closeLater = () => {
    page.clearTimer(timer);
    timer = page.setTimer(() => (page.needed?.() === true ? closeLater() : store.pause()), HIDDEN_CLOSE_MS);
  };
  const hide = () => {
    hiddenSinceMs = page.now();
    closeLater();
  };
  const show = () => {
    page.clearTimer(timer);
    // Timers stand still while a computer sleeps: the pause may be due and not have happened.
    const slept = hiddenSinceMs !== undefined && page.now() - hiddenSinceMs >= HIDDEN_CLOSE_MS;
    hiddenSinceMs = undefined;
    if (slept) {
      store.wake();
    } else {
      store.resume();
    }
  };

  const ends = [
    page.on('visibilitychange', () => (page.hidden() ? hide() : show())),
    page.on('pagehide', ({ persisted }) => store.pause(persisted === true ? 'at once' : undefined)),
    page.on('pageshow', ({ persisted }) => persisted && store.resume()),
    page.on('freeze', () => store.pause()),
    page.on('resume', () => store.resume()),
    page.on('online', () => store.wake()),
  ];
  if (page.hidden()) {
    hide();
  }
  return () => {
    page.clearTimer(timer);
    for (const end of ends) {
      end();
    }
  };
}
