import type { FeedEntry } from '@/lib/core/feed';
import type { TickTimes } from './feed-gaps';
import { marketAt } from './market-schedule';

/** A feed is late after this many of its own usual pauses, and stale after so many. */
const LATE_PAUSES = 3;
const STALE_PAUSES = 10;

const PAUSES = 60;

/**
 * The usual pause between two updates of a feed, seconds: the upper quartile of its last pauses, so that an outage or a
 * night among them does not move it. Pauses are those that the service tells (`prev_publish_time`), so updates that we
 * missed do not count as silence. Updates within one second count as a pause of one. Undefined before the first pause.
 */
export function usualPauseS(ticks: readonly TickTimes[]): number | undefined {
  const pauses = ticks.flatMap(({ t, pp }, at) => {
    const before = pp ?? ticks[at - 1]?.t;
    return before === undefined || before > t ? [] : Math.max(1, t - before);
  });
  const sorted = pauses.slice(-PAUSES).sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * 0.75)];
}

/** Floors below which no feed is called late or stale, seconds (settings `FEED_LATE_S`, `FEED_STALE_S`). */
export type CadenceFloors = { readonly lateS: number; readonly staleS: number };

/** After how long a pause counts as silence of the feed, seconds. */
export function silentAfterS(pauseS: number | undefined, floors: CadenceFloors): number {
  return Math.max(floors.lateS, LATE_PAUSES * (pauseS ?? 0));
}

/** `closed`: late, and its market is closed. `inactive`: late, and not published, by the directory. */
export type FeedCurrency = {
  readonly word: 'fresh' | 'late' | 'stale' | 'closed' | 'inactive';
  /** When the market opens again, unix milliseconds; with `closed` only, where it is known. */
  readonly opensAtMs?: number | undefined;
};

const NOT_PUBLISHED: readonly string[] = ['inactive', 'coming_soon'];

/** Whether a feed is published at all, by the `state` that the directory gives it; so it is where none is given. */
function isPublished(state: string | undefined): boolean {
  return state === undefined || !NOT_PUBLISHED.includes(state);
}

type Market = Pick<FeedEntry, 'schedule' | 'state'>;

/** Whether prices are to be expected at a moment (unix ms). Undefined where the directory says nothing. */
export function isTrading({ schedule, state }: Market, atMs: number): boolean | undefined {
  if (!isPublished(state)) return false;
  const market = marketAt(schedule, atMs);
  return market && market.kind === 'open';
}

/** Judged by the feed's own cadence. A feed that publishes although its market is closed is as fresh as any. */
export function feedCurrency(facts: {
  readonly latestS: number;
  /** Its last updates, oldest first: they tell its usual pause. */
  readonly ticks: readonly TickTimes[];
  /** By the publishing clock, unix milliseconds. */
  readonly nowMs: number;
  readonly floors: CadenceFloors;
  /** What the directory says of its market; absent where it says nothing. */
  readonly market?: Market | undefined;
}): FeedCurrency {
  const { latestS, ticks, nowMs, floors, market = {} } = facts;
  const ageS = nowMs / 1000 - latestS;
  const pauseS = usualPauseS(ticks.slice(-PAUSES - 1));
  const lateAfterS = silentAfterS(pauseS, floors);
  if (ageS <= lateAfterS) return { word: 'fresh' };
  if (!isPublished(market.state)) return { word: 'inactive' };
  const now = marketAt(market.schedule, nowMs);
  if (now?.kind === 'closed') return { word: 'closed', opensAtMs: now.opensAtMs };
  const staleAfterS = Math.max(floors.staleS, STALE_PAUSES * (pauseS ?? 0), lateAfterS);
  return { word: ageS > staleAfterS ? 'stale' : 'late' };
}
