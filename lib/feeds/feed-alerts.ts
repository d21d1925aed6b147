import { addScaled, compareScaled, type ScaledInteger, subtractScaled } from '@/lib/core/numbers';
import { assertNever } from '@/lib/core/outcome';
import type { FeedCurrency } from './feed-cadence';

type Kept = { readonly atMs: number; readonly price: ScaledInteger };

/** Half an hour of five prices a second that only rise has fewer; at the bound the oldest go. */
const MOST_KEPT = 10_000;

/** The lowest and the highest price of the last while, exact. Costs the same for each price, however long the window. */
export class WindowExtremes {
  /** Times ascending, prices ascending (`#lows`) or descending: only what may still become the extreme is kept. */
  readonly #lows: Kept[] = [];
  readonly #highs: Kept[] = [];

  constructor(private readonly windowMs: number) {}

  /** Times do not go back; one that does counts as the time of the one before. */
  add(atMs: number, price: ScaledInteger): void {
    this.#keep(this.#lows, { atMs, price }, 1);
    this.#keep(this.#highs, { atMs, price }, -1);
  }

  /** Of the window that ends at `nowMs`; undefined where no price is in it. */
  read(nowMs: number): { readonly lowest: ScaledInteger; readonly highest: ScaledInteger } | undefined {
    const since = nowMs - this.windowMs;
    drop(this.#lows, since);
    drop(this.#highs, since);
    const lowest = this.#lows[0]?.price;
    const highest = this.#highs[0]?.price;
    return lowest === undefined || highest === undefined ? undefined : { lowest, highest };
  }

  #keep(kept: Kept[], one: Kept, sign: 1 | -1): void {
    const nowMs = Math.max(one.atMs, kept.at(-1)?.atMs ?? one.atMs);
    let last = kept.at(-1);
    while (last !== undefined && compareScaled(one.price, last.price) * sign <= 0) {
      kept.pop();
      last = kept.at(-1);
    }
    kept.push({ ...one, atMs: nowMs });
    drop(kept, nowMs - this.windowMs);
    if (kept.length > MOST_KEPT) kept.splice(0, kept.length - MOST_KEPT);
  }
}

function drop(kept: Kept[], sinceMs: number): void {
  const first = kept.findIndex(({ atMs }) => atMs >= sinceMs);
  kept.splice(0, first === -1 ? kept.length : first);
}

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
  readonly currency?: FeedCurrency['word'];
};

/** `between`: neither met nor clearly over, so whatever was stays. `untold`: can't be judged now. */
export type AlertVerdict = 'met' | 'between' | 'over' | 'untold';

/** A price has to come back by so many basis points of the threshold before an alert about it is over. */
const MARGIN_BPS = 5n;
/** Or by its confidence, which says how much it wavers, up to so many. */
const MOST_MARGIN_BPS = 50n;
const BPS = 10_000n;

/** Judges a condition. What is met and what is over lie apart, so that a price on the border changes nothing. */
export function judgeAlert(condition: AlertCondition, look: AlertLook): AlertVerdict {
  switch (condition.kind) {
    case 'above': {
      if (compareScaled(look.price, condition.price) > 0) return 'met';
      const border = subtractScaled(condition.price, marginOf(condition.price, look.conf));
      return compareScaled(look.price, border) < 0 ? 'over' : 'between';
    }
    case 'below': {
      if (compareScaled(look.price, condition.price) < 0) return 'met';
      const border = addScaled(condition.price, marginOf(condition.price, look.conf));
      return compareScaled(look.price, border) > 0 ? 'over' : 'between';
    }
    case 'change':
      return judgeChange(condition.percent, look);
    case 'wide':
      return judgeShare(look.conf, look.price, condition.bps, BPS, 9n);
    case 'stale':
      return judgeStale(look.currency);
    default:
      return assertNever(condition);
  }
}

function judgeStale(currency: AlertLook['currency']): AlertVerdict {
  if (currency === undefined) return 'untold';
  return currency === 'stale' ? 'met' : currency === 'late' ? 'between' : 'over';
}

function judgeChange(percent: ScaledInteger, { price, lowest, highest }: AlertLook): AlertVerdict {
  if (lowest === undefined || highest === undefined) return 'untold';
  const rise = judgeShare(subtractScaled(price, lowest), lowest, percent, 100n, 8n);
  const fall = judgeShare(subtractScaled(highest, price), highest, percent, 100n, 8n);
  const verdicts = [rise, fall];
  return verdicts.includes('met') ? 'met' : verdicts.includes('between') ? 'between' : 'over';
}

/**
 * Whether `part` is at least (`wide`: more than) `limit` in `unit`ths of `whole`: multiplied out, since a quotient would have to be rounded. It is over
 * below `tenths` tenths of the limit.
 */
function judgeShare(
  part: ScaledInteger,
  whole: ScaledInteger,
  limit: ScaledInteger,
  unit: bigint,
  tenths: bigint,
): AlertVerdict {
  const share = { mantissa: part.mantissa * unit * 10n, expo: part.expo };
  const size = whole.mantissa < 0n ? -whole.mantissa : whole.mantissa;
  const of = { mantissa: limit.mantissa * size, expo: limit.expo + whole.expo };
  // Nothing is no share of nothing.
  if (part.mantissa === 0n) return 'over';
  if (compareScaled(share, { ...of, mantissa: of.mantissa * 10n }) > 0) return 'met';
  return compareScaled(share, { ...of, mantissa: of.mantissa * tenths }) < 0 ? 'over' : 'between';
}

function marginOf(threshold: ScaledInteger, conf: ScaledInteger): ScaledInteger {
  const size = threshold.mantissa < 0n ? -threshold.mantissa : threshold.mantissa;
  // Of a threshold of zero no share can be had: the confidence alone counts.
  if (size === 0n) return conf;
  const share = (bps: bigint) => ({ mantissa: size * bps, expo: threshold.expo - 4 });
  const [least, most] = [share(MARGIN_BPS), share(MOST_MARGIN_BPS)];
  if (compareScaled(conf, least) < 0) return least;
  return compareScaled(conf, most) > 0 ? most : conf;
}

/** `unheard`: not judged yet. */
export type AlertState = {
  readonly phase: 'unheard' | 'calm' | 'raised';
  /** Since when, unix milliseconds. */
  readonly sinceMs: number;
  /** Raised, but over since then. */
  readonly overSinceMs?: number;
  /** When it was last said aloud. */
  readonly saidMs?: number;
};

/** `loud`: worth a sound and a notification. What was so already when we came, or was said just now, is shown only. */
export type AlertEvent = { readonly kind: 'raised' | 'cleared'; readonly loud?: boolean };

export const UNHEARD: AlertState = { phase: 'unheard', sinceMs: 0 };

/** An alert stays until it has been over for so long. */
export const CLEAR_AFTER_MS = 10_000;
/** The same alert is said aloud at most once in so long. */
export const QUIET_MS = 60_000;

/** The next state of an alert, and what happened where something did. `nowMs` does not go back. */
export function stepAlert(
  state: AlertState,
  verdict: AlertVerdict,
  nowMs: number,
): { readonly state: AlertState; readonly event?: AlertEvent } {
  if (verdict === 'untold') return { state: withoutOver(state) };
  if (state.phase === 'unheard') {
    const met = verdict === 'met';
    const next: AlertState = { phase: met ? 'raised' : 'calm', sinceMs: nowMs };
    return met ? { state: next, event: { kind: 'raised' } } : { state: next };
  }
  if (state.phase === 'calm') return verdict === 'met' ? raise(state, nowMs) : { state };
  if (verdict !== 'over') return { state: withoutOver(state) };
  const overSinceMs = state.overSinceMs ?? nowMs;
  if (nowMs - overSinceMs < CLEAR_AFTER_MS) return { state: { ...state, overSinceMs } };
  const calm: AlertState = { phase: 'calm', sinceMs: nowMs };
  return {
    state: state.saidMs === undefined ? calm : { ...calm, saidMs: state.saidMs },
    event: { kind: 'cleared' },
  };
}

function raise(state: AlertState, nowMs: number): ReturnType<typeof stepAlert> {
  const isQuiet = state.saidMs !== undefined && nowMs - state.saidMs < QUIET_MS;
  const saidMs = isQuiet ? state.saidMs : nowMs;
  const raised = { phase: 'raised', sinceMs: nowMs, saidMs } as const;
  return { state: raised, event: isQuiet ? { kind: 'raised' } : { kind: 'raised', loud: true } };
}

/** The same object where nothing was over. */
function withoutOver(state: AlertState): AlertState {
  if (state.overSinceMs === undefined) return state;
  const { overSinceMs: _over, ...rest } = state;
  return rest;
}
