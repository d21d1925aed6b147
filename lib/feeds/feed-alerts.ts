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
  readonly id: string;
  readonly feedId: string;
  readonly condition: AlertCondition;
};

export type AlertLook = {
  readonly price: ScaledInteger;
  readonly conf: ScaledInteger;
  /** Of the window of the rule, this price among them; with `change` only. */
  readonly lowest?: ScaledInteger;
  readonly highest?: ScaledInteger;
  /** Undefined while we are not connected: then nobody can say whether the feed is stale. */
  readonly currency?: FeedCurrency['word'] | undefined;
};

/** `between`: neither met nor clearly over, so whatever was stays. */
export type AlertVerdict = 'met' | 'between' | 'over';

/** Judges a condition; undefined where it can't be judged now. What is met and what is over lie apart, so that a price on the border changes nothing. */
export function judgeAlert(condition: AlertCondition, look: AlertLook): AlertVerdict | undefined {
  const { price, conf, lowest, highest, currency } = look;
  switch (condition.kind) {
    case 'above':
    case 'below': {
      const border = condition.price;
      // How far the price is beyond the border.
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

/** Whether `part` is more than `limit` in `unit`ths of `whole`: multiplied out, nothing is rounded. */
function judgeShare(
  part: ScaledInteger,
  whole: ScaledInteger,
  limit: ScaledInteger,
  unit: bigint,
  tenths: bigint,
): AlertVerdict {
  // Nothing is no share of nothing.
  if (part.mantissa === 0n) return 'over';
  const share = { mantissa: part.mantissa * unit * 10n, expo: part.expo };
  const tenth = { mantissa: limit.mantissa * sizeOf(whole.mantissa), expo: limit.expo + whole.expo };
  const times = (factor: bigint) => ({ ...tenth, mantissa: tenth.mantissa * factor });
  if (compareScaled(share, times(10n)) > 0) return 'met';
  return compareScaled(share, times(tenths)) < 0 ? 'over' : 'between';
}

const sizeOf = (value: bigint) => (value < 0n ? -value : value);

/** A price has to come back by its confidence, which says how much it wavers; by 5 basis points of the threshold at least, 50 at most. */
function marginOf({ mantissa, expo }: ScaledInteger, conf: ScaledInteger): ScaledInteger {
  // Of a threshold of zero no share can be had: the confidence alone counts.
  if (mantissa === 0n) return conf;
  const share = (bps: bigint) => ({ mantissa: sizeOf(mantissa) * bps, expo: expo - 4 });
  if (compareScaled(conf, share(5n)) < 0) return share(5n);
  return compareScaled(conf, share(50n)) > 0 ? share(50n) : conf;
}

/** `unheard`: not judged yet. */
export type AlertState = {
  readonly phase: 'unheard' | 'calm' | 'raised';
  readonly sinceMs: number;
  /** Raised, but over since then. */
  readonly overSinceMs?: number | undefined;
  /** When it was last worth a sound and a notification: not what was so already when we came, or was said just before. */
  readonly saidMs?: number | undefined;
};

export const UNHEARD: AlertState = { phase: 'unheard', sinceMs: 0 };

/** An alert stays until it has been over for so long, so that a price that wavers raises it once. */
const CLEAR_AFTER_MS = 10_000;
/** The same alert is said aloud at most once in so long. */
export const QUIET_MS = 60_000;

/** The next state of an alert; the same object where nothing changed. `nowMs` does not go back. */
export function stepAlert(state: AlertState, verdict: AlertVerdict | undefined, nowMs: number): AlertState {
  const { phase, overSinceMs, saidMs } = state;
  if (verdict === undefined || (verdict !== 'over' && phase === 'raised'))
    return overSinceMs === undefined ? state : { ...state, overSinceMs: undefined };
  if (verdict === 'met') {
    const isLoud = phase === 'calm' && (saidMs === undefined || nowMs - saidMs >= QUIET_MS);
    return { phase: 'raised', sinceMs: nowMs, saidMs: isLoud ? nowMs : saidMs };
  }
  if (phase === 'calm') return state;
  if (phase === 'raised' && overSinceMs === undefined) return { ...state, overSinceMs: nowMs };
  if (overSinceMs !== undefined && nowMs - overSinceMs < CLEAR_AFTER_MS) return state;
  return { phase: 'calm', sinceMs: nowMs, saidMs };
}
