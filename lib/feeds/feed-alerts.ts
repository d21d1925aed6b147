import { compareScaled, type ScaledInteger, subtractScaled } from '@/lib/core/numbers';
import { MINUTE_MS } from '@/lib/core/time';
import type { FeedCurrency } from './feed-cadence';

/** Condition of an alert. Numbers are exact, and so is every comparison. */
export type AlertCondition =
  /** The price is above (below) this price; equal counts as neither. */
  | { readonly kind: 'above' | 'below'; readonly price: ScaledInteger }
  /** The price is so many percent above the lowest or below the highest of the last `windowS` seconds. */
  | { readonly kind: 'change'; readonly percent: ScaledInteger; readonly windowS: number }
  /** The confidence is wider than so many basis points of the price. */
  | { readonly kind: 'wide'; readonly bps: ScaledInteger }
  /** The feed is stale by its own cadence; a closed market is not. */
  | { readonly kind: 'stale' };

export type FeedAlertRule = {
  readonly id: string;
  readonly feedId: string;
  readonly condition: AlertCondition;
};

export type AlertInput = {
  readonly price: ScaledInteger;
  readonly conf: ScaledInteger;
  /** Extremes of the rule's window, this price included; for `change` only. */
  readonly lowest?: ScaledInteger;
  readonly highest?: ScaledInteger;
  /** Undefined while disconnected: staleness can't be judged then. */
  readonly currency?: FeedCurrency['word'] | undefined;
};

/** `between`: neither met nor clearly over, so the state stays as it was. */
export type AlertVerdict = 'met' | 'between' | 'over';

/**
 * Judges a condition; undefined where it can't be judged now. The bounds of `met` and `over` differ (hysteresis), so a
 * price near the threshold does not flap.
 */
export function judgeAlert(condition: AlertCondition, input: AlertInput): AlertVerdict | undefined {
  const { price, conf, lowest, highest, currency } = input;
  switch (condition.kind) {
    case 'above':
    case 'below': {
      const border = condition.price;
      // Distance of the price beyond the threshold.
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

/** Compares `part` with `limit` in `unit`ths of `whole`, by multiplication, so nothing is rounded. */
function judgeShare(
  part: ScaledInteger,
  whole: ScaledInteger,
  limit: ScaledInteger,
  unit: bigint,
  tenths: bigint,
): AlertVerdict {
  // Zero is no share, even of zero.
  if (part.mantissa === 0n) return 'over';
  const share = { mantissa: part.mantissa * unit * 10n, expo: part.expo };
  const tenth = { mantissa: limit.mantissa * sizeOf(whole.mantissa), expo: limit.expo + whole.expo };
  const times = (factor: bigint) => ({ ...tenth, mantissa: tenth.mantissa * factor });
  if (compareScaled(share, times(10n)) > 0) return 'met';
  return compareScaled(share, times(tenths)) < 0 ? 'over' : 'between';
}

const sizeOf = (value: bigint) => (value < 0n ? -value : value);

/** How far a price has to come back: by its confidence, at least 5 and at most 50 basis points of the threshold. */
function marginOf({ mantissa, expo }: ScaledInteger, conf: ScaledInteger): ScaledInteger {
  // A threshold of zero has no basis points: only the confidence counts.
  if (mantissa === 0n) return conf;
  const share = (bps: bigint) => ({ mantissa: sizeOf(mantissa) * bps, expo: expo - 4 });
  if (compareScaled(conf, share(5n)) < 0) return share(5n);
  return compareScaled(conf, share(50n)) > 0 ? share(50n) : conf;
}

/** `unjudged`: not judged yet. */
export type AlertState = {
  readonly phase: 'unjudged' | 'calm' | 'raised';
  readonly sinceMs: number;
  /** Raised, but over since then. */
  readonly overSinceMs?: number | undefined;
  /**
   * When it last notified (sound and notification). Absent for an alert that was already met at page load or was just
   * repeated.
   */
  readonly notifiedMs?: number | undefined;
};

export const UNJUDGED: AlertState = { phase: 'unjudged', sinceMs: 0 };

/** An alert clears after its condition has been over for this long, so a wavering price raises it once. */
const CLEAR_AFTER_MS = 10_000;
/** Minimum time between two notifications of the same alert. */
const QUIET_MS = MINUTE_MS;

/** The next state of an alert; the same object where nothing changed. `nowMs` never decreases. */
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
