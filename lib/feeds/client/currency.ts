import { isTimeZone, zoneOffsetMs } from '@/lib/core/time-text';
import type { FeedName } from '@/lib/feeds/board-url';
import { type CadenceFloors, type FeedCurrency, feedCurrency, usualPauseS } from '@/lib/feeds/feed-cadence';
import {
  type MarketSchedule,
  type MarketState,
  marketStateAt,
  parseMarketSchedule,
} from '@/lib/feeds/market-schedule';
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
  readonly market?: Pick<FeedName, 'schedule' | 'state'>;
}): FeedCurrency {
  const { latest, points, nowMs, floors, market = {} } = facts;
  return feedCurrency({
    ageS: nowMs / 1000 - latest.t,
    pauseS: usualPauseOf(points),
    floors,
    market: market.schedule === undefined ? undefined : marketAt(market.schedule, nowMs),
    state: market.state,
  });
}

/** `state`: what was found, and the time for which it holds. */
type KnownMarket = {
  readonly schedule: MarketSchedule | undefined;
  state?: { readonly is: MarketState; readonly fromMs: number; readonly untilMs: number };
};

/** More than any board shows; the texts come from a service. */
const MOST_MARKETS = 300;
/** Where nothing changes for days, it is looked at again after so long. */
const LOOK_AGAIN_MS = 3_600_000;

const markets = new Map<string, KnownMarket>();

/** Whether a market trades at a moment, by the directory's text; undefined where that can't be read, or its zone is not known. */
export function marketAt(text: string, atMs: number): MarketState | undefined {
  const market = markets.get(text) ?? readMarket(text);
  const { schedule } = market;
  if (schedule === undefined) return undefined;
  if (market.state === undefined || atMs < market.state.fromMs || atMs >= market.state.untilMs) {
    const is = marketStateAt(schedule, atMs, (at) => zoneOffsetMs(at, schedule.timeZone));
    const changesAtMs = is.kind === 'open' ? is.closesAtMs : is.opensAtMs;
    market.state = { is, fromMs: atMs, untilMs: changesAtMs ?? atMs + LOOK_AGAIN_MS };
  }
  return market.state.is;
}

function readMarket(text: string): KnownMarket {
  const schedule = parseMarketSchedule(text);
  const isReadable = schedule !== undefined && isTimeZone(schedule.timeZone);
  const market: KnownMarket = { schedule: isReadable ? schedule : undefined };
  if (markets.size >= MOST_MARKETS) markets.clear();
  markets.set(text, market);
  return market;
}
