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
import type { Settings } from '@/lib/platform/settings';
import type { FeedHub } from './hub';

function timesOf(text: string): TickTimes {
  const { t: publishTimeS, pp: prevPublishTimeS } = JSON.parse(text) as CompactFeed;
  return { publishTimeS, prevPublishTimeS };
}

type PublishedFeeds = Pick<FeedHub, 'connectionOf' | 'lastTexts' | 'publishingNowMs' | 'recentTexts'>;

const isUp = ({ state, failure }: FeedConnection) =>
  (state === 'live' || state === 'quiet') && failure === undefined;

/** Whether every watched feed can be judged: nothing is known of one without a stream, nor of market hours without a directory. */
export function canJudgeFeeds(
  hub: Pick<FeedHub, 'connection'> | undefined,
  directory: Pick<FeedDirectoryAnswer, 'feeds'> | undefined,
): boolean {
  return hub !== undefined && directory !== undefined && isUp(hub.connection);
}

export const cadenceFloors = ({ feedLateS, feedStaleS }: Pick<Settings, 'feedLateS' | 'feedStaleS'>) => {
  return { lateS: feedLateS, staleS: feedStaleS };
};

/** A feed that can be judged; `staleSinceMs` is absent while it is not stale. */
export type JudgedFeed = { id: FeedId; symbol: string; hasHours: boolean; staleSinceMs?: number | undefined };

/**
 * Feeds that can be judged: not those whose stream is down, of whose last price nothing follows. While the directory
 * lacks the list of a service, an old price is judged only with market hours: after a start on a weekend the feed may
 * be closed.
 */
export function judgedFeeds(
  hub: PublishedFeeds | undefined,
  directory: Pick<FeedDirectoryAnswer, 'feeds' | 'isWhole'> | undefined,
  floors: CadenceFloors,
): JudgedFeed[] {
  if (hub === undefined || directory === undefined) return [];
  const entries = new Map(directory.feeds.map((entry) => [entry.id, entry]));
  return hub.lastTexts.flatMap(([id, text]) => {
    if (!isUp(hub.connectionOf([id]))) return [];
    const nowMs = hub.publishingNowMs;
    const { publishTimeS: latestS } = timesOf(text);
    const market = entries.get(id);
    const hasHours = isTrading(market ?? {}, 0) !== undefined;
    const judged = { id, symbol: market?.symbol ?? id, hasHours };
    if (nowMs / 1000 - latestS <= floors.staleS) return [judged];
    if (!hasHours && !directory.isWhole) return [];
    const ticks = hub.recentTexts(id, CADENCE_UPDATES).map(timesOf);
    // Without a known interval, no pause can be called too long.
    if (typicalPauseS(ticks, market) === undefined) return [];
    const { word, sinceMs = latestS * 1000 } = feedCurrency({ latestS, ticks, nowMs, floors, market });
    return [{ ...judged, ...(word === 'stale' && { staleSinceMs: sinceMs }) }];
  });
}

type StaleFeedOfHub = Pick<JudgedFeed, 'id' | 'symbol' | 'hasHours'> & { sinceMs: number };

export function staleFeedsOf(...facts: Parameters<typeof judgedFeeds>): StaleFeedOfHub[] {
  return judgedFeeds(...facts).flatMap(({ staleSinceMs: sinceMs, ...feed }) =>
    sinceMs === undefined ? [] : [{ ...feed, sinceMs }],
  );
}
