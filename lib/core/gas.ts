/** Integers of gas are u256 at most: 78 digits. Longer ones are no gas, and would only keep BigInt busy. */
const MOST_DIGITS = 78;

function amount(digits: string | undefined): bigint | undefined {
  return digits !== undefined && digits.length <= MOST_DIGITS && /^\d+$/.test(digits)
    ? BigInt(digits)
    : undefined;
}

/**
 * How many percent `part` is of `whole`, both decimal digits of any size: exact to two decimals, rounded half up, in
 * integers only. `98.50`; `0.00` may be a tiny part.
 * @returns undefined when either is absent or no amount, and for parts of nothing
 */
export function percentOf(part: string | undefined, whole: string | undefined): string | undefined {
  const [numerator, denominator] = [amount(part), amount(whole)];
  if (numerator === undefined || denominator === undefined || denominator === 0n) return undefined;
  const hundredths = (numerator * 20_000n + denominator) / (2n * denominator);
  const text = hundredths.toString().padStart(3, '0');
  return `${text.slice(0, -2)}.${text.slice(-2)}`;
}

/** One bar: `digits` as the service wrote them, its percent of the gas limit, and its length from 0 to 1 for drawing. */
export type GasBar = { digits: string; percent?: string; length: number };

/** Gas of a request on one scale. What the service did not write is absent. `limit.length` is where the limit stands. */
export type GasBars = { limit?: GasBar; callback?: GasBar; transaction?: GasBar };

/**
 * The gas limit of the callback, what the callback used of it, and what the whole reveal transaction used (which may
 * well be more). The longest of them has the length 1.
 */
export function gasBars(given: { gasLimit?: string; gasUsed?: string; callbackGasUsed?: string }): GasBars {
  const figures = { limit: given.gasLimit, callback: given.callbackGasUsed, transaction: given.gasUsed };
  const most = Object.values(figures).reduce((top, digits) => {
    const value = amount(digits) ?? 0n;
    return value > top ? value : top;
  }, 0n);
  const bar = (digits: string | undefined): GasBar | undefined => {
    if (digits === undefined) return undefined;
    const percent = percentOf(digits, given.gasLimit);
    // Four decimals are more than a screen can show.
    const length = most === 0n ? 0 : Number(((amount(digits) ?? 0n) * 10_000n) / most) / 10_000;
    return { digits, length, ...(percent === undefined ? {} : { percent }) };
  };
  const bars = {
    limit: bar(figures.limit),
    callback: bar(figures.callback),
    transaction: bar(figures.transaction),
  };
  return Object.fromEntries(Object.entries(bars).filter(([, one]) => one !== undefined));
}
