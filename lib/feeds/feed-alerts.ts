import { compareScaled, type ScaledInteger, subtractScaled } from '@/lib/core/numbers';
import type { FeedCurrency } from './feed-cadence';

/** What an alert waits for. Numbers are exact, and so is every comparison with them. */
export type AlertCondition =
  /** The price is above (below) this one; equal is neither. */
  | { readonly kind: 'above' | 'below'; readonly price: ScaledInteger }
  /** The price is so many percent above the lowest or below the highest of the last `windowS` seconds. */
  | { readonly kind: 'change'; readonly percent: ScaledInteger; readonly windowS: number }
  /** The confidence is wider than so many basis points of the price. */
  | { readonly kind: 'wide'; readonly bps: ScaledInteger }
  /** The feed is stale by its own cadence; a closed market is not. */
  | { readonly kind: 'stale' };

export type AlertRule = {
  /** Unique in one browser. */
  readonly id: string;
  readonly feedId: string;
  readonly condition: AlertCondition;
};

/** What is known of a feed at one moment, as far as alerts look at it. */
export type AlertLook = {
  readonly price: ScaledInteger;
  readonly conf: ScaledInteger;
  /** Of the window of the rule, this price among them; with `change` only. */
  readonly lowest?: ScaledInteger;
  readonly highest?: ScaledInteger;
  /** Undefined while we are not connected: then nobody can say whether the feed is stale. */
  readonly currency?: FeedCurrency['word'] | undefined;
};

/** Whether a condition is met; undefined where that can't be judged now. */
export function isMet(condition: AlertCondition, look: AlertLook): boolean | undefined {
  const { price, conf, lowest, highest, currency } = look;
  switch (condition.kind) {
    case 'above':
      return compareScaled(price, condition.price) > 0;
    case 'below':
      return compareScaled(price, condition.price) < 0;
    case 'change': {
      if (lowest === undefined || highest === undefined) return undefined;
      const isMore = (part: ScaledInteger, whole: ScaledInteger) =>
        isShareAbove(part, whole, condition.percent, 100n);
      return isMore(subtractScaled(price, lowest), lowest) || isMore(subtractScaled(highest, price), highest);
    }
    case 'wide':
      return isShareAbove(conf, price, condition.bps, 10_000n);
    case 'stale':
      return currency && currency === 'stale';
  }
}

/** Whether `part` is more than `limit` in `unit`ths of `whole`: multiplied out, since a quotient would have to be rounded. */
function isShareAbove(
  part: ScaledInteger,
  whole: ScaledInteger,
  limit: ScaledInteger,
  unit: bigint,
): boolean {
  const size = whole.mantissa < 0n ? -whole.mantissa : whole.mantissa;
  const share = { mantissa: part.mantissa * unit, expo: part.expo };
  return compareScaled(share, { mantissa: limit.mantissa * size, expo: limit.expo + whole.expo }) > 0;
}

/** `unheard`: not judged yet. */
export type AlertState = {
  readonly phase: 'unheard' | 'calm' | 'raised';
  /** Since when, unix milliseconds. */
  readonly sinceMs: number;
  /** Raised, but over since then. */
  readonly overSinceMs?: number | undefined;
  /** When it was last said aloud. */
  readonly saidMs?: number | undefined;
};

/** `loud`: worth a sound and a notification. What was so already when we came, or was said just now, is shown only. */
export type AlertEvent = { readonly kind: 'raised' | 'cleared'; readonly loud?: boolean };

export const UNHEARD: AlertState = { phase: 'unheard', sinceMs: 0 };

/** An alert stays until it has been over for so long, so that a price that wavers about the border raises it once. */
export const CLEAR_AFTER_MS = 10_000;
/** The same alert is said aloud at most once in so long. */
export const QUIET_MS = 60_000;

/** The next state of an alert (the same object where nothing changed), and what happened where something did. `nowMs` does not go back. */
export function stepAlert(
  state: AlertState,
  met: boolean | undefined,
  nowMs: number,
): { readonly state: AlertState; readonly event?: AlertEvent } {
  const { phase, overSinceMs, saidMs } = state;
  if (met === undefined || (met && phase === 'raised')) {
    return { state: overSinceMs === undefined ? state : { ...state, overSinceMs: undefined } };
  }
  if (met) {
    const loud = phase === 'calm' && (saidMs === undefined || nowMs - saidMs >= QUIET_MS);
    const next: AlertState = { phase: 'raised', sinceMs: nowMs, saidMs: loud ? nowMs : saidMs };
    return { state: next, event: { kind: 'raised', loud } };
  }
  if (phase === 'calm') return { state };
  if (phase === 'unheard') return { state: { phase: 'calm', sinceMs: nowMs } };
  if (overSinceMs === undefined) return { state: { ...state, overSinceMs: nowMs } };
  if (nowMs - overSinceMs < CLEAR_AFTER_MS) return { state };
  return { state: { phase: 'calm', sinceMs: nowMs, saidMs }, event: { kind: 'cleared' } };
}
