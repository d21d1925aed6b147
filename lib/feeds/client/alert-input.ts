import type { AlertInput } from '@/lib/feeds/feed-alerts';
import { CADENCE_UPDATES, type FeedCurrency, feedCurrency } from '@/lib/feeds/feed-cadence';
import type { FeedAlert } from '@/lib/watches/client/watch-list';
import { windowExtremes } from './history';
import type { FeedStore } from './store';
import { isConnected } from './stream';

type Judged = Pick<Parameters<typeof feedCurrency>[0], 'nowMs' | 'floors' | 'market'>;

export function currencyOf(store: FeedStore, id: string, judged: Judged): FeedCurrency | undefined {
  const { latest } = store.feed(id);
  if (latest?.misdating !== undefined) return { word: 'misdated' };
  const ticks = store
    .points(id)
    .slice(-CADENCE_UPDATES)
    .map(({ update }) => update);
  return latest && feedCurrency({ latestS: latest.publishTimeS, ticks, ...judged });
}

/**
 * Undefined if a fact is unknown. Staleness is judged at the time of the stream's last event, because later updates may
 * have been missed. @param market `unknown` while its schedule is loading
 */
export function alertInputOf(
  store: FeedStore,
  { feedId, condition }: Pick<FeedAlert, 'feedId' | 'condition'>,
  judged: Omit<Judged, 'market'> & { readonly market: Judged['market'] | 'unknown' },
): AlertInput | undefined {
  const { latest } = store.feed(feedId);
  // A price without a stream, or with an impossible publish time, may not be current.
  if (latest === undefined || latest.misdating !== undefined || !isConnected(store.stream().link))
    return undefined;
  const { nowMs, floors, market } = judged;
  const currency =
    market === 'unknown'
      ? undefined
      : currencyOf(store, feedId, { nowMs: store.serviceTimeOfLastEventMs(), floors, market })?.word;
  const input = { price: latest.price, conf: latest.conf, currency };
  if (condition.kind !== 'change') return input;
  const fromMs = nowMs - condition.windowS * 1000;
  const { lowest, highest } = windowExtremes(store.points(feedId), fromMs) ?? {};
  return {
    ...input,
    lowest: (lowest?.update ?? latest).price,
    highest: (highest?.update ?? latest).price,
  };
}
