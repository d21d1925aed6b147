import type { FeedId } from '@/lib/core/feed';
import type { FeedDirectoryAnswer } from '@/lib/feeds/board-url';
import {
  CADENCE_UPDATES,
  type CadenceFloors,
  feedCurrency,
  isTrading,
  type TickTimes,
  typicalPauseS,
} from '@/lib/feeds/feed-cadence';
import type { CompactFeed } from '@/lib/feeds/price-update';
import type { FeedConnection } from '@/lib/feeds/stream-events';
import type { FeedHub } from './hub';

function timesOf(text: string): TickTimes {
  const { t: publishTimeS, pp: prevPublishTimeS } = JSON.parse(text) as CompactFeed;
  return { publishTimeS, prevPublishTimeS };
}

type PublishedFeeds = Pick<FeedHub, 'connectionOf' | 'lastTexts' | 'publishingNowMs' | 'recentTexts'>;

const isUp = ({ state, failure }: FeedConnection) =>
  (state === 'live' || state === 'quiet') && failure === undefined;

/** The last price of a feed says nothing about it while its stream is down. */
export const isFeedConnected = (hub: Pick<FeedHub, 'connectionOf'>, id: FeedId) =>
  isUp(hub.connectionOf([id]));

/** Whether every watched feed can be judged: nothing is known of one without a stream, nor of market hours without a directory. */
export function canJudgeFeeds(
  hub: Pick<FeedHub, 'connection'> | undefined,
  directory: Pick<FeedDirectoryAnswer, 'feeds'> | undefined,
): boolean {
  return hub !== undefined && directory !== undefined && isUp(hub.connection);
}

/**
 * Without feeds that can't be judged. While the directory lacks the list of a service, only feeds with hours are judged:
 * after a start on a weekend the others may be closed.
 */
export function staleFeedsOf(
  hub: PublishedFeeds | undefined,
  directory: Pick<FeedDirectoryAnswer, 'feeds' | 'isWhole'> | undefined,
  floors: CadenceFloors,
): { id: FeedId; symbol: string; sinceMs: number; hasHours: boolean }[] {
  if (hub === undefined || directory === undefined) return [];
  const entries = new Map(directory.feeds.map((entry) => [entry.id, entry]));
  return hub.lastTexts.flatMap(([id, text]) => {
    if (!isFeedConnected(hub, id)) return [];
    const nowMs = hub.publishingNowMs;
    const { publishTimeS: latestS } = timesOf(text);
    if (nowMs / 1000 - latestS <= floors.staleS) return [];
    const market = entries.get(id);
    const hasHours = isTrading(market ?? {}, 0) !== undefined;
    if (!hasHours && !directory.isWhole) return [];
    const ticks = hub.recentTexts(id, CADENCE_UPDATES).map(timesOf);
    // Without a known interval, no pause can be called too long.
    if (typicalPauseS(ticks, market) === undefined) return [];
    const { word, sinceMs = latestS * 1000 } = feedCurrency({ latestS, ticks, nowMs, floors, market });
    return word === 'stale' ? [{ id, symbol: market?.symbol ?? id, sinceMs, hasHours }] : [];
  });
}
