import { compareScaled, type ScaledInteger, subtractScaled } from '@/lib/core/numbers';
import { MINUTE_MS } from '@/lib/core/time';
import type { FeedCurrency } from './feed-cadence';

/** Comparisons are exact. */
export type AlertCondition =
  /** An equal price is neither. */
  | { readonly kind: 'above' | 'below'; readonly price: ScaledInteger }
  /** Percent above the lowest or below the highest price of the last `windowS` seconds. */
  | { readonly kind: 'change'; readonly percent: ScaledInteger; readonly windowS: number }
  /** The confidence in basis points of the price. */
  | { readonly kind: 'wide'; readonly bps: ScaledInteger }
  /** The feed has no updates for longer than its cadence allows. A feed whose market is closed is not stale. */
  | { readonly kind: 'stale' };

export type FeedAlertRule = {
  readonly id: string;
  readonly feedId: string;
  readonly condition: AlertCondition;
};

export type AlertInput = {
  readonly price: ScaledInteger;
  readonly conf: ScaledInteger;
  /** Lowest price within the condition's window, including the current one; only for `change`. */
  readonly lowest?: ScaledInteger;
  readonly highest?: ScaledInteger;
  /** Undefined while disconnected, because staleness can't be judged then. */
  readonly currency?: FeedCurrency['word'] | undefined;
};

/** `between`: neither met nor clearly over, so the state does not change. */
export type AlertVerdict = 'met' | 'between' | 'over';

/** Undefined while unknown. `met` and `over` have different bounds, so that a price near the threshold does not flap. */
export function judgeAlert(condition: AlertCondition, input: AlertInput): AlertVerdict | undefined {
  const { price, conf, lowest, highest, currency } = input;
  switch (condition.kind) {
    case 'above':
    case 'below': {
      const border = condition.price;
      const beyond =
        condition.kind === 'above' ? subtractScaled(price, border) : subtractScaled(border, price);
      if (beyond.mantissa > 0n) return 'met';
      const back = { mantissa: -beyond.mantissa, expo: beyond.expo };
      return compareScaled(back, marginOf(border, conf)) > 0 ? 'over' : 'between';
    }
    case 'change': {
      if (lowest === undefined || highest === undefined) return undefined;
      const rise = judgeShare(subtractScaled(price, lowest), lowest, condition.percent, 100n, 8n);
      const fall = judgeShare(subtractScaled(highest, price), highest, condition.percent, 100n, 8n);
      return (['met', 'between'] as const).find((word) => word === rise || word === fall) ?? 'over';
    }
    case 'wide':
      return judgeShare(conf, price, condition.bps, 10_000n, 9n);
    case 'stale':
      return currency && (currency === 'stale' ? 'met' : currency === 'late' ? 'between' : 'over');
  }
}

/** The limit is in `unit`ths of `whole`. It only multiplies, so nothing is rounded. */
function judgeShare(
  part: ScaledInteger,
  whole: ScaledInteger,
  limit: ScaledInteger,
  unit: bigint,
  tenths: bigint,
): AlertVerdict {
  // Clearly over, even if the whole is zero too.
  if (part.mantissa === 0n) return 'over';
  const share = { mantissa: part.mantissa * unit * 10n, expo: part.expo };
  const tenth = { mantissa: limit.mantissa * sizeOf(whole.mantissa), expo: limit.expo + whole.expo };
  const times = (factor: bigint) => ({ ...tenth, mantissa: tenth.mantissa * factor });
  if (compareScaled(share, times(10n)) > 0) return 'met';
  return compareScaled(share, times(tenths)) < 0 ? 'over' : 'between';
}

const sizeOf = (value: bigint) => (value < 0n ? -value : value);

/** Return beyond the threshold: the confidence, but at least 5 and at most 50 basis points of the threshold. */
function marginOf({ mantissa, expo }: ScaledInteger, conf: ScaledInteger): ScaledInteger {
  // A threshold of zero has no basis points, so only the confidence counts.
  if (mantissa === 0n) return conf;
  const share = (bps: bigint) => ({ mantissa: sizeOf(mantissa) * bps, expo: expo - 4 });
  if (compareScaled(conf, share(5n)) < 0) return share(5n);
  return compareScaled(conf, share(50n)) > 0 ? share(50n) : conf;
}

export type AlertState = {
  readonly phase: 'unjudged' | 'calm' | 'raised';
  readonly sinceMs: number;
  /** Since when a raised alert's condition is over; absent if it is not. */
  readonly overSinceMs?: number | undefined;
  /** Time of the last sound and message. Absent if the alert was met when the page loaded, or was just repeated. */
  readonly notifiedMs?: number | undefined;
};

export const UNJUDGED: AlertState = { phase: 'unjudged', sinceMs: 0 };

/** Time over before an alert clears, so that a wavering price raises it only once. */
const CLEAR_AFTER_MS = 10_000;
/** Time between two notifications of an alert. */
const QUIET_MS = MINUTE_MS;

/** Returns the same object if nothing changed. `nowMs` must never decrease. */
export function stepAlert(state: AlertState, verdict: AlertVerdict | undefined, nowMs: number): AlertState {
  const { phase, overSinceMs, notifiedMs } = state;
  if (verdict === undefined || (verdict !== 'over' && phase === 'raised'))
    return overSinceMs === undefined ? state : { ...state, overSinceMs: undefined };
  if (verdict === 'met') {
    const shouldNotify = phase === 'calm' && (notifiedMs === undefined || nowMs - notifiedMs >= QUIET_MS);
    return { phase: 'raised', sinceMs: nowMs, notifiedMs: shouldNotify ? nowMs : notifiedMs };
  }
  if (phase === 'calm') return state;
  if (phase === 'raised' && overSinceMs === undefined) return { ...state, overSinceMs: nowMs };
  if (overSinceMs !== undefined && nowMs - overSinceMs < CLEAR_AFTER_MS) return state;
  return { phase: 'calm', sinceMs: nowMs, notifiedMs };
}
