import { integerText, safeInteger } from './wire-json';

/** The exact number `mantissa × 10^expo`. */
export type ScaledInteger = { mantissa: bigint; expo: number };

/** A hostile exponent could otherwise produce a billion zeros. */
const MAX_EXPO = 100;
/** Limit of digits: more than u128 has, and far more than the u64 of the contract. */
const MAX_MANTISSA_DIGITS = 40;

/** `trimmed` removes trailing zeros. */
type FormatOptions = { decimals?: 'all' | 'trimmed'; groupSeparator?: string };

/** Accepts numbers and text; undefined if either is not an integer or out of bounds. */
export function readScaled(mantissa: unknown, expo: unknown): ScaledInteger | undefined {
  const digits = integerText(mantissa);
  const exponent = safeInteger(expo);
  if (digits === undefined || exponent === undefined) return undefined;
  if (digits.length > MAX_MANTISSA_DIGITS || Math.abs(exponent) > MAX_EXPO) return undefined;
  return { mantissa: BigInt(digits), expo: exponent };
}

/** Text with every digit: `-5 × 10^-3` is `-0.005`, `7 × 10^2` is `700`. */
export function formatScaled({ mantissa, expo }: ScaledInteger, options: FormatOptions = {}): string {
  if (!Number.isInteger(expo) || Math.abs(expo) > MAX_EXPO) return `${mantissa}e${expo}`;
  const shifted = expo > 0 ? mantissa * 10n ** BigInt(expo) : mantissa;
  const places = Math.max(0, -expo);
  const digits = abs(shifted)
    .toString()
    .padStart(places + 1, '0');
  const split = digits.length - places;
  const all = digits.slice(split);
  const decimals = options.decimals === 'trimmed' ? all.replace(/0+$/, '') : all;
  const whole = groupsOfThree(digits.slice(0, split), options.groupSeparator ?? '');
  return `${mantissa < 0n ? '-' : ''}${whole}${decimals === '' ? '' : `.${decimals}`}`;
}

const abs = (value: bigint) => (value < 0n ? -value : value);

/** A number for pixel positions, never for text, sums or comparison. */
export function scaledToNumber(value: ScaledInteger): number {
  return Number(`${value.mantissa}e${value.expo}`);
}

function aligned(a: ScaledInteger, b: ScaledInteger) {
  const expo = Math.min(a.expo, b.expo);
  const scaled = (value: ScaledInteger) => value.mantissa * 10n ** BigInt(value.expo - expo);
  return { left: scaled(a), right: scaled(b), expo };
}

export function addScaled(a: ScaledInteger, b: ScaledInteger): ScaledInteger {
  const { left, right, expo } = aligned(a, b);
  return { mantissa: left + right, expo };
}

export const subtractScaled = (a: ScaledInteger, b: ScaledInteger) =>
  addScaled(a, { ...b, mantissa: -b.mantissa });

/** Compares by value: `10 × 10^-1` equals `1 × 10^0`. */
export function compareScaled(a: ScaledInteger, b: ScaledInteger): -1 | 0 | 1 {
  const { left, right } = aligned(a, b);
  return left < right ? -1 : left > right ? 1 : 0;
}

function divideRounded(numerator: bigint, denominator: bigint): bigint {
  const rounded = (abs(numerator) * 2n + denominator) / (denominator * 2n);
  return numerator < 0n ? -rounded : rounded;
}

/** The difference in basis points of `base` with two decimals, halves away from zero. Undefined for a base of zero. */
export function differenceInBps(value: ScaledInteger, base: ScaledInteger): ScaledInteger | undefined {
  const { left, right } = aligned(value, base);
  if (right === 0n) return undefined;
  return { mantissa: divideRounded((left - right) * 1_000_000n, abs(right)), expo: -2 };
}

/** Basis points as `+0.12%`, `−3.40%`. */
export function percentText(bps: ScaledInteger): string {
  const percent = roundScaled({ mantissa: bps.mantissa, expo: bps.expo - 2 }, 2);
  return `${percent.mantissa > 0n ? '+' : ''}${formatScaled(percent).replace('-', '−')}%`;
}

/** Rounds to at most `decimals` decimals, halves away from zero. For axis labels, not for prices. */
export function roundScaled(value: ScaledInteger, decimals: number): ScaledInteger {
  if (value.expo >= -decimals) return value;
  const divisor = 10n ** BigInt(-decimals - value.expo);
  return { mantissa: divideRounded(value.mantissa, divisor), expo: -decimals };
}

const PLAIN = /^([+-]?)(\d*)(?:\.(\d*))?$/;
/** Commas are accepted only as thousands separators, since `1,5` may mean one and a half. */
const GROUPED = /^[+-]?\d{1,3}(,\d{3})+(\.\d*)?$/;

/** Exact: `-0.005`, `.5`, `65,000`. Exponents are refused. */
export function parseDecimal(text: string): ScaledInteger | undefined {
  const blank = text
    .trim()
    .replaceAll(/(?<=\d)[\s_](?=\d)/g, '')
    .replace('−', '-');
  const bare = GROUPED.test(blank) ? blank.replaceAll(',', '') : blank;
  // No price has this many digits.
  const [, sign, whole = '', decimals = ''] = (bare.length <= 60 && PLAIN.exec(bare)) || [];
  if (whole === '' && decimals === '') return undefined;
  const size = BigInt(whole + decimals);
  return { mantissa: sign === '-' ? -size : size, expo: 0 - decimals.length };
}

/** `-1234567` → `-1,234,567` */
function groupsOfThree(digits: string, separator: string): string {
  const sign = digits.startsWith('-') ? '-' : '';
  const first = (digits.length - sign.length) % 3;
  const start = sign.length + first;
  const groups: string[] = digits.slice(start).match(/\d{3}/g) ?? [];
  if (first > 0) groups.unshift(digits.slice(sign.length, start));
  return sign + groups.join(separator);
}

/** `1234567` → `1,234,567`, of any length. Other text stays as it is. */
export function groupDigits(integer: string | number): string {
  const digits = String(integer);
  return /^-?\d+$/.test(digits) ? groupsOfThree(digits, ',') : digits;
}

/** `1,234 requests`, `1 request`. The count is text beyond 2^53. */
export function countOf(count: string | number, singular: string, plural = `${singular}s`): string {
  return `${groupDigits(count)} ${String(count) === '1' ? singular : plural}`;
}

/** Digits for narrow columns. Beyond 15 digits a number is an identifier, and commas only take space. */
export const groupDigitsBriefly = (digits: string) => (digits.length > 15 ? digits : groupDigits(digits));
