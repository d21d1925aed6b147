import type { AlertInput } from '@/lib/feeds/feed-alerts';
import { type FeedCurrency, feedCurrency } from '@/lib/feeds/feed-cadence';
import type { FeedAlert } from '@/lib/watches/watch-list';
import { exactConf, exactPrice, extremesOf, pointsInView } from './history';
import type { FeedStore } from './store';
import { isConnected } from './stream';

export type Judged = Pick<Parameters<typeof feedCurrency>[0], 'nowMs' | 'floors' | 'market'>;

export function currencyOf(store: FeedStore, id: string, judged: Judged): FeedCurrency | undefined {
  const { latest } = store.feed(id);
  if (latest?.x !== undefined) return { word: 'misdated' };
  const ticks = store
    .points(id)
    .slice(-61)
    .map(({ update }) => update);
  return latest && feedCurrency({ latestS: latest.t, ticks, ...judged });
}

/**
 * What an alert is judged by; undefined where nothing is known. Staleness is judged as of the last sign of life of the stream:
 * what was published after it nobody here knows. @param market `unknown`: its schedule is still being fetched
 */
export function alertLook(
  store: FeedStore,
  { feedId, condition }: Pick<FeedAlert, 'feedId' | 'condition'>,
  judged: Omit<Judged, 'market'> & { readonly market: Judged['market'] | 'unknown' },
): AlertInput | undefined {
  const { latest } = store.feed(feedId);
  // Of a price whose time can't be right nobody knows whether it is the present one.
  if (latest === undefined || latest.x !== undefined) return undefined;
  const { nowMs, floors, market } = judged;
  const canTell = market !== 'unknown' && isConnected(store.stream().link);
  const currency = canTell
    ? currencyOf(store, feedId, { nowMs: store.heardNowMs(), floors, market })?.word
    : undefined;
  const look = { price: exactPrice(latest), conf: exactConf(latest), currency };
  if (condition.kind !== 'change') return look;
  // The price that was in force when the window began is one of the window.
  const range = { fromMs: nowMs - condition.windowS * 1000, toMs: Infinity };
  const { lowest, highest } = extremesOf(pointsInView(store.points(feedId), range)) ?? {};
  return {
    ...look,
    lowest: exactPrice(lowest?.update ?? latest),
    highest: exactPrice(highest?.update ?? latest),
  };
}
