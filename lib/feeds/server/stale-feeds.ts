import type { FeedEntry, FeedId } from '@/lib/core/feed';
import { type CadenceFloors, feedCurrency, isTrading } from '@/lib/feeds/feed-cadence';
import type { CompactFeed } from '@/lib/feeds/price-update';
import type { FeedHub } from './hub';

type PublishedFeeds = Pick<FeedHub, 'connection' | 'lastTexts' | 'publishingNowMs'>;

/**
 * Watched feeds that are stale. None without a stream: then the service is the problem, and staleness is unknown; none
 * without a directory either, which has the market hours.
 */
export function staleFeedsOf(
  hub: PublishedFeeds | undefined,
  directory: readonly FeedEntry[] | undefined,
  floors: CadenceFloors,
): { id: FeedId; symbol: string; sinceMs: number; hasHours: boolean }[] {
  if (hub === undefined || directory === undefined) return [];
  const { state, failure } = hub.connection;
  if ((state !== 'live' && state !== 'quiet') || failure !== undefined) return [];
  const entries = new Map(directory.map((entry) => [entry.id, entry]));
  return hub.lastTexts.flatMap(([id, text]) => {
    const { t: publishTimeS, pp: prevPublishTimeS } = JSON.parse(text) as CompactFeed;
    const market = entries.get(id);
    const facts = {
      latestS: publishTimeS,
      ticks: [{ publishTimeS, prevPublishTimeS }],
      nowMs: hub.publishingNowMs,
      floors,
      market,
    };
    const { word, sinceMs = publishTimeS * 1000 } = feedCurrency(facts);
    return word === 'stale'
      ? [{ id, symbol: market?.symbol ?? id, sinceMs, hasHours: isTrading(market ?? {}, 0) !== undefined }]
      : [];
  });
}
