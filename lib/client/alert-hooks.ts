'use client';
import { createContext, useContext, useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react';
import type { CompactFeed } from '@/lib/contract/codec/feed-stream';
import type { AlertBook } from './alert-book';
import { notifyAlerts, soundAlert } from './alert-signal';
import { type AlertHappening, type AlertStanding, AlertWatch, type FeedMoment } from './alert-watch';
import { raisedText } from './alert-words';
import { useAnnounce } from './announce';
import { currencyOf } from './feed-currency';
import type { FeedName } from './feed-directory';
import type { FreshnessFloors } from './feed-freshness';
import { isConnected } from './feed-link';
import { needUpdates } from './feed-need';
import type { FeedStore } from './feed-store';
import { isLookedAt, pageBadge } from './page-badge';

/** Staleness comes with time, and what is over is so after a while: neither with an update. */
const LOOK_EVERY_MS = 1_000;

/**
 * Watches the alerts of this browser over the feeds of one page, for as long as the component is on screen, and says what
 * is raised: in the title while nobody looks, aloud to screen readers, by sound and notification where they are wanted.
 */
export function useNewAlertWatch(
  store: FeedStore,
  book: AlertBook,
  { floors, feeds }: { readonly floors: FreshnessFloors; readonly feeds: readonly FeedName[] },
): AlertWatch {
  const announce = useAnnounce();
  const tell = useEffectEvent((happenings: readonly AlertHappening[]) => {
    const text = raisedText(happenings);
    if (text !== undefined) announce(text);
    const loud = happenings.filter(({ event }) => event.loud === 'yes');
    if (loud.length === 0) return;
    pageBadge().add(loud.length);
    if (book.sound === 'yes') soundAlert();
    if (book.notify === 'yes' && !isLookedAt()) notifyAlerts(loud);
  });
  // Made once: what it tells is heard by the effect below.
  const [heard] = useState(() => new Heard());
  const [names] = useState(() => new Map<string, FeedName>());
  const [watch] = useState(() => watchOf(store, { floors, names }, (happenings) => heard.say(happenings)));
  useEffect(() => {
    for (const feed of feeds) names.set(feed.id, feed);
  }, [names, feeds]);
  useEffect(() => heard.listen((happenings) => tell(happenings)), [heard]);
  useEffect(() => {
    const look = () => watch.look(Date.now() - store.stream().skewMs);
    watch.follow(book.alerts);
    if (book.alerts.length === 0) {
      look();
      return;
    }
    look();
    const ends = [store.subscribe(look), needUpdates()];
    const timer = window.setInterval(look, LOOK_EVERY_MS);
    return () => {
      for (const end of ends) end();
      window.clearInterval(timer);
    };
  }, [watch, store, book.alerts]);
  useBadgeLooked();
  return watch;
}

/** One listener, that may come later than what it listens to. */
class Heard {
  #listener: ((happenings: readonly AlertHappening[]) => void) | undefined;

  say(happenings: readonly AlertHappening[]): void {
    this.#listener?.(happenings);
  }

  listen(listener: (happenings: readonly AlertHappening[]) => void): () => void {
    this.#listener = listener;
    return () => {
      this.#listener = undefined;
    };
  }
}

function useBadgeLooked(): void {
  useEffect(() => {
    const look = () => pageBadge().look();
    document.addEventListener('visibilitychange', look);
    window.addEventListener('focus', look);
    return () => {
      document.removeEventListener('visibilitychange', look);
      window.removeEventListener('focus', look);
    };
  }, []);
}

/** What staleness is judged by. */
type Judging = { readonly floors: FreshnessFloors; readonly names: ReadonlyMap<string, FeedName> };

function watchOf(
  store: FeedStore,
  judging: Judging,
  tell: (happenings: readonly AlertHappening[]) => void,
): AlertWatch {
  return new AlertWatch(
    {
      moment: (feedId) => {
        const { latest, rhythmMs } = store.feed(feedId);
        return latest === undefined ? undefined : momentOf(latest, rhythmMs, store, judging);
      },
      past: (feedId) =>
        store
          .history(feedId)
          .points()
          .map(({ atMs, exact }) => ({
            atMs,
            price: { mantissa: BigInt(exact.p), expo: exact.e },
          })),
    },
    tell,
  );
}

function momentOf(
  latest: CompactFeed,
  rhythmMs: number | undefined,
  store: FeedStore,
  { floors, names }: Judging,
): FeedMoment {
  const { skewMs } = store.stream();
  const points = store.history(latest.id).points();
  const market = names.get(latest.id);
  const currency = currencyOf({ latest, points, rhythmMs, skewMs, nowMs: Date.now(), floors, market });
  return {
    key: `${latest.t} ${latest.s ?? ''} ${latest.r} ${latest.p} ${latest.c}`,
    price: { mantissa: BigInt(latest.p), expo: latest.e },
    conf: { mantissa: BigInt(latest.c), expo: latest.e },
    currency: isConnected(store.linkAt(Date.now())) ? currency.word : undefined,
  };
}

const WatchContext = createContext<AlertWatch | undefined>(undefined);

/** Gives the alerts' standings to the components below it. */
export const AlertWatchProvider = WatchContext.Provider;

const NO_STANDINGS: ReadonlyMap<string, AlertStanding> = new Map();
const nobody = () => () => {};

/** How each alert stands, by its id; none outside of a page that watches. */
export function useAlertStandings(): ReadonlyMap<string, AlertStanding> {
  const watch = useContext(WatchContext);
  return useSyncExternalStore(
    watch?.subscribe ?? nobody,
    watch?.standings ?? (() => NO_STANDINGS),
    () => NO_STANDINGS,
  );
}
