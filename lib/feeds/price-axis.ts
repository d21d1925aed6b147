import { compareScaled, formatScaled, type ScaledInteger, subtractScaled } from '@/lib/core/numbers';

/** A price axis from nice number to nice number. Every number of it is exact: no tick is computed in floating point. */
export type PriceAxis = {
  readonly low: ScaledInteger;
  readonly high: ScaledInteger;
  /** Ascending, without the two ends. */
  readonly ticks: readonly ScaledInteger[];
  /** As many as are needed to tell the ticks apart. */
  readonly decimals: number;
};

/** Room above and below what is drawn, as a share of it. */
const ROOM_SHARE = 25n;
/** A flat line gets a millionth of its price as room, so that the axis speaks of digits that matter. */
const FLAT_SHARE = 1_000_000n;

/** The larger value's digits at an exponent that both can be written with. */
function digitsOf(low: ScaledInteger, high: ScaledInteger): { low: bigint; high: bigint; expo: number } {
  const expo = Math.min(low.expo, high.expo);
  const at = (value: ScaledInteger) => value.mantissa * 10n ** BigInt(value.expo - expo);
  return { low: at(low), high: at(high), expo };
}

/**
 * The axis around all prices between `low` and `high`, with about so many ticks. `low` above `high` counts as the
 * other way round.
 */
export function priceAxis(low: ScaledInteger, high: ScaledInteger, steps: number): PriceAxis {
  const [from, until] = compareScaled(low, high) <= 0 ? [low, high] : [high, low];
  // Ten more digits than the prices have: room for steps that are finer than their last digit.
  const digits = digitsOf(from, until);
  const finer = 10n ** 10n;
  const isFlat = digits.low === digits.high;
  const span = isFlat ? flatSpan(digits.low * finer) : (digits.high - digits.low) * finer;
  const bottom = digits.low * finer - (isFlat ? span / 2n : 0n);
  const top = digits.high * finer + (isFlat ? span / 2n : 0n);
  const step = niceStep(span / BigInt(Math.max(1, Math.floor(steps))));
  const first = floorDiv(bottom - span / ROOM_SHARE, step.size);
  const last = -floorDiv(-(top + span / ROOM_SHARE), step.size);
  const expo = digits.expo - 10;
  const at = (index: bigint): ScaledInteger => shortest({ mantissa: index * step.size, expo }, step.power);
  const ticks: ScaledInteger[] = [];
  for (let index = first + 1n; index < last; index += 1n) ticks.push(at(index));
  return { low: at(first), high: at(last), ticks, decimals: Math.max(0, -(expo + step.power)) };
}

function flatSpan(value: bigint): bigint {
  const size = value < 0n ? -value : value;
  const share = size / FLAT_SHARE;
  return share > 0n ? share : 10n ** 10n;
}

/** 1, 2 or 5 times a power of ten, at least as large as what is asked; `power` is how many zeros it ends in. */
function niceStep(atLeast: bigint): { size: bigint; power: number } {
  const wanted = atLeast > 0n ? atLeast : 1n;
  const power = wanted.toString().length - 1;
  const unit = 10n ** BigInt(power);
  for (const factor of [1n, 2n, 5n]) {
    if (factor * unit >= wanted) return { size: factor * unit, power };
  }
  return { size: 10n * unit, power: power + 1 };
}

function floorDiv(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  return dividend % divisor !== 0n && dividend < 0n !== divisor < 0n ? quotient - 1n : quotient;
}

/** The same number without the zeros that every multiple of the step ends in. */
function shortest({ mantissa, expo }: ScaledInteger, zeros: number): ScaledInteger {
  return { mantissa: mantissa / 10n ** BigInt(zeros), expo: expo + zeros };
}

/** Longer labels are written with an exponent. */
const LONGEST_LABEL = 13;

/**
 * The text of a tick, with the axis's decimals. Where that is too long for an axis it is written as `1.2346e+15` with as many digits as
 * tell it from its neighbours, and at least five.
 */
export function axisTickText(tick: ScaledInteger, { decimals, ticks }: PriceAxis): string {
  const plain = formatScaled(padded(tick, decimals));
  if (plain.length <= LONGEST_LABEL) return plain;
  for (let digits = 5; digits < plain.length; digits += 1) {
    const text = exponentText(tick, digits);
    const others = ticks.filter((other) => compareScaled(other, tick) !== 0);
    if (others.every((other) => exponentText(other, digits) !== text)) {
      return text.length < plain.length ? text : plain;
    }
  }
  return plain;
}

function padded(value: ScaledInteger, decimals: number): ScaledInteger {
  if (value.expo <= -decimals) return value;
  return { mantissa: value.mantissa * 10n ** BigInt(value.expo + decimals), expo: -decimals };
}

/** `digits` significant digits, cut off, not rounded: a tick is exact in its first digits. */
function exponentText({ mantissa, expo }: ScaledInteger, digits: number): string {
  if (mantissa === 0n) return '0';
  const sign = mantissa < 0n ? '-' : '';
  const all = (mantissa < 0n ? -mantissa : mantissa).toString();
  const power = all.length - 1 + expo;
  const rest = all.slice(1, digits).replace(/0+$/, '');
  return `${sign}${all[0]}${rest === '' ? '' : `.${rest}`}e${power < 0 ? '-' : '+'}${Math.abs(power)}`;
}

/** Places are exact to a millionth of the axis: finer than a pixel of any screen. */
const PLACES = 1_000_000n;

/** Where a price stands on the axis: 0 at its low end, 1 at its high end, beyond them outside. Exact where floats would collapse. */
export function placeOnAxis(value: ScaledInteger, { low, high }: Pick<PriceAxis, 'low' | 'high'>): number {
  const above = subtractScaled(value, low);
  const whole = subtractScaled(high, low);
  const digits = digitsOf(above, whole);
  return digits.high === 0n ? 0.5 : Number((digits.low * PLACES) / digits.high) / Number(PLACES);
}
