import type { CompactFeed } from '@/lib/contract/codec/feed-stream';
import { type CadenceFloors, type FeedCurrency, feedCurrency, usualPauseS } from '@/lib/domain/feed-cadence';
import {
  type MarketSchedule,
  type MarketState,
  marketStateAt,
  parseMarketSchedule,
} from '@/lib/domain/market-schedule';
import type { FeedName } from './feed-directory';
import type { FeedPoint } from './feed-history';
import { isTimeZone, zoneOffsetMs } from './moment-text';

/** What is known of a feed when its currency is judged. */
export type CurrencyFacts = {
  readonly latest: CompactFeed;
  /** Its last updates, oldest first: they tell its usual pause. */
  readonly points: readonly FeedPoint[];
  /** The usual pause, ms, where the points do not tell it. */
  readonly rhythmMs?: number;
  /** How far the publishing clock is behind this one, ms. */
  readonly skewMs: number;
  readonly nowMs: number;
  readonly floors: CadenceFloors;
  /** What the directory says of its market; absent where it says nothing. */
  readonly market?: Pick<FeedName, 'schedule' | 'state'>;
};

/** So many pauses are looked at, and one point more. */
const POINTS = 61;

/** How current a feed is, by its own cadence and the hours of its market. */
export function currencyOf(facts: CurrencyFacts): FeedCurrency {
  const { latest, points, rhythmMs, skewMs, nowMs, floors, market = {} } = facts;
  const serviceMs = nowMs - skewMs;
  const ticks = points
    .slice(-POINTS)
    .flatMap(({ update }) => (update === undefined ? [] : { publishS: update.t, prevPublishS: update.pp }));
  const known = rhythmMs === undefined ? undefined : rhythmMs / 1000;
  return feedCurrency({
    ageS: serviceMs / 1000 - latest.t,
    pauseS: usualPauseS(ticks) ?? known,
    floors,
    market: market.schedule === undefined ? undefined : marketAt(market.schedule, serviceMs),
    state: market.state,
  });
}

type KnownMarket = {
  readonly schedule: MarketSchedule | undefined;
  /** What was found, and the time for which it holds. */
  state?: MarketState;
  fromMs: number;
  untilMs: number;
};

/** More than any board shows; the texts come from a service. */
const MOST_MARKETS = 300;
/** Where nothing changes for days, it is looked at again after so long. */
const LOOK_AGAIN_MS = 3_600_000;

const markets = new Map<string, KnownMarket>();

/** Whether a market trades at a moment, by the directory's text; undefined where that can't be read, or its zone is not known. */
export function marketAt(text: string, atMs: number): MarketState | undefined {
  const market = marketOf(text);
  const { schedule } = market;
  if (schedule === undefined) return undefined;
  if (market.state === undefined || atMs < market.fromMs || atMs >= market.untilMs) {
    const state = marketStateAt(schedule, atMs, (at) => zoneOffsetMs(at, schedule.timeZone));
    const changesAtMs = state.kind === 'open' ? state.closesAtMs : state.opensAtMs;
    market.state = state;
    market.fromMs = atMs;
    market.untilMs = changesAtMs ?? atMs + LOOK_AGAIN_MS;
  }
  return market.state;
}

function marketOf(text: string): KnownMarket {
  const known = markets.get(text);
  if (known !== undefined) return known;
  const schedule = parseMarketSchedule(text);
  const isReadable = schedule !== undefined && isTimeZone(schedule.timeZone);
  const market: KnownMarket = { schedule: isReadable ? schedule : undefined, fromMs: 0, untilMs: 0 };
  if (markets.size >= MOST_MARKETS) markets.clear();
  markets.set(text, market);
  return market;
}
