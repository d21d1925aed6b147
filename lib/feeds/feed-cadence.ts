import type { TickTimes } from './feed-gaps';
import type { MarketState } from './market-schedule';

/** A feed is late after this many of its own usual pauses, and stale after so many. */
export const LATE_PAUSES = 3;
export const STALE_PAUSES = 10;

/** Pauses of the last so many updates are looked at. */
const PAUSES = 60;

/**
 * The usual pause between two updates of a feed, seconds: the upper quartile of its last pauses, so that an outage or a
 * night among them does not move it. Pauses are those that the service tells (`prev_publish_time`), so updates that we
 * missed do not count as silence. Updates within one second count as a pause of one. Undefined before the first pause.
 */
export function usualPauseS(ticks: readonly TickTimes[]): number | undefined {
  const pauses: number[] = [];
  for (let at = ticks.length - 1; at >= 0 && pauses.length < PAUSES; at -= 1) {
    const tick = ticks[at];
    const before = tick?.pp ?? ticks[at - 1]?.t;
    if (tick === undefined || before === undefined || before > tick.t) continue;
    pauses.push(Math.max(1, tick.t - before));
  }
  const sorted = pauses.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * 0.75)];
}

/** Floors below which no feed is called late or stale, seconds (settings `FEED_LATE_S`, `FEED_STALE_S`). */
export type CadenceFloors = { readonly lateS: number; readonly staleS: number };

/** After how long a pause counts as silence of the feed, seconds. */
export function silentAfterS(pauseS: number | undefined, floors: CadenceFloors): number {
  return Math.max(floors.lateS, LATE_PAUSES * (pauseS ?? 0));
}

/**
 * How current a feed is. `closed`: late, and its market is closed by the directory's schedule. `inactive`: late, and the directory says that it is
 * not published (any more, or yet).
 */
export type FeedCurrency = {
  readonly word: 'fresh' | 'late' | 'stale' | 'closed' | 'inactive';
  /** Time since the last update by the publishing clock, seconds, never negative. */
  readonly ageS: number;
  /** What the age was judged by, seconds. */
  readonly lateAfterS: number;
  readonly staleAfterS: number;
  /** When the market opens again, unix milliseconds; with `closed` only, where it is known. */
  readonly opensAtMs?: number;
};

/** What the directory calls a feed that nobody publishes. */
const NOT_PUBLISHED: readonly string[] = ['inactive', 'coming_soon'];

/** Whether a feed is published at all, by the `state` that the directory gives it; so it is where none is given. */
export function isPublished(state: string | undefined): boolean {
  return state === undefined || !NOT_PUBLISHED.includes(state);
}

/** Judged by the feed's own cadence. A feed that publishes although its market is closed is as fresh as any. */
export function feedCurrency(facts: {
  readonly ageS: number;
  readonly pauseS: number | undefined;
  readonly floors: CadenceFloors;
  /** By the directory's schedule, looked up only for a feed that is late; undefined where none is given. */
  readonly market?: () => MarketState | undefined;
  /** The directory's `state`, as the service writes it. */
  readonly state?: string;
}): FeedCurrency {
  const ageS = Math.max(0, facts.ageS);
  const lateAfterS = silentAfterS(facts.pauseS, facts.floors);
  const staleAfterS = Math.max(facts.floors.staleS, STALE_PAUSES * (facts.pauseS ?? 0), lateAfterS);
  const judged = { ageS, lateAfterS, staleAfterS };
  if (ageS <= lateAfterS) return { word: 'fresh', ...judged };
  if (!isPublished(facts.state)) return { word: 'inactive', ...judged };
  const market = facts.market?.();
  if (market?.kind === 'closed') {
    const { opensAtMs } = market;
    return { word: 'closed', ...judged, ...(opensAtMs === undefined ? {} : { opensAtMs }) };
  }
  return { word: ageS > staleAfterS ? 'stale' : 'late', ...judged };
}
