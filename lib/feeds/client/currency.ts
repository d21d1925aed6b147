import { isTimeZone, zoneOffsetMs } from '@/lib/core/time-text';
import type { FeedName } from '@/lib/feeds/board-url';
import { type CadenceFloors, type FeedCurrency, feedCurrency, usualPauseS } from '@/lib/feeds/feed-cadence';
import { type MarketState, marketStateAt, parseMarketSchedule } from '@/lib/feeds/market-schedule';
import type { CompactFeed } from '@/lib/feeds/stream-events';
import type { FeedPoint } from './history';

/** So many pauses are looked at, and one point more. */
const POINTS = 61;

/** The usual pause between two updates of a feed, seconds; undefined where its points do not tell it. */
export function usualPauseOf(points: readonly FeedPoint[]): number | undefined {
  return usualPauseS(points.slice(-POINTS).map(({ update }) => update));
}

/** How current a feed is at a moment of the publishing clock (unix ms), by its own cadence and the hours of its market. */
export function currencyOf(facts: {
  readonly latest: CompactFeed;
  /** Its last updates, oldest first: they tell its usual pause. */
  readonly points: readonly FeedPoint[];
  readonly nowMs: number;
  readonly floors: CadenceFloors;
  /** What the directory says of its market; absent where it says nothing. */
  readonly market?: Pick<FeedName, 'schedule' | 'state'> | undefined;
}): FeedCurrency {
  const { latest, points, nowMs, floors, market = {} } = facts;
  return feedCurrency({
    ageS: nowMs / 1000 - latest.t,
    pauseS: usualPauseOf(points),
    floors,
    market: () => marketAt(market.schedule, nowMs),
    state: market.state,
  });
}

/** Whether a market trades at a moment, by the directory's text; undefined where that can't be read, or its zone is not known. */
export function marketAt(text: string | undefined, atMs: number): MarketState | undefined {
  const schedule = text === undefined ? undefined : parseMarketSchedule(text);
  if (schedule === undefined || !isTimeZone(schedule.timeZone)) return undefined;
  return marketStateAt(schedule, atMs, (at) => zoneOffsetMs(at, schedule.timeZone));
}
