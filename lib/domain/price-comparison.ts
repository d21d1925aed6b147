import {
  addScaled,
  compareScaled,
  differenceInBps,
  type ScaledInteger,
  subtractScaled,
} from './scaled-number';

/** What one source says of a feed, as far as it is compared. */
export type ComparedPrice = {
  readonly price: ScaledInteger;
  /** Half the width of the interval; absent where the source tells none. */
  readonly conf?: ScaledInteger;
};

/**
 * `equal`: the same number. `within`: apart, but by no more than both confidences together, so that the intervals
 * price ± confidence touch. `beyond`: by more. `untold`: one of them has no confidence to judge by.
 */
export type ComparisonVerdict = 'equal' | 'within' | 'beyond' | 'untold';

export type PriceComparison = {
  readonly verdict: ComparisonVerdict;
  /** `value - base`, exact. */
  readonly difference: ScaledInteger;
  /** The same in basis points of the base, two decimals, halves away from zero; undefined where the base is zero. */
  readonly differenceBps?: ScaledInteger;
  /** The combined confidence: the sum of both, exact. */
  readonly combined?: ScaledInteger;
  /** In basis points of the base, as above. For reading: the verdict comes of the exact numbers. */
  readonly combinedBps?: ScaledInteger;
};

/** Compares two prices of a feed. Nothing is rounded before the verdict. */
export function comparePrices(value: ComparedPrice, base: ComparedPrice): PriceComparison {
  const difference = subtractScaled(value.price, base.price);
  const combined =
    value.conf === undefined || base.conf === undefined ? undefined : addScaled(value.conf, base.conf);
  const differenceBps = differenceInBps(value.price, base.price);
  const combinedBps =
    combined === undefined ? undefined : differenceInBps(addScaled(base.price, combined), base.price);
  return {
    verdict: verdictOf(difference, combined),
    difference,
    ...(differenceBps === undefined ? {} : { differenceBps }),
    ...(combined === undefined ? {} : { combined }),
    ...(combinedBps === undefined ? {} : { combinedBps }),
  };
}

function verdictOf(difference: ScaledInteger, combined: ScaledInteger | undefined): ComparisonVerdict {
  if (difference.mantissa === 0n) return 'equal';
  if (combined === undefined) return 'untold';
  const { mantissa, expo } = difference;
  const size = { mantissa: mantissa < 0n ? -mantissa : mantissa, expo };
  return compareScaled(size, combined) > 0 ? 'beyond' : 'within';
}

/** Two of several sources and how their prices compare. */
export type ComparedPair<S extends string> = {
  readonly source: S;
  readonly base: S;
  readonly comparison: PriceComparison;
};

export type PricesCompared<S extends string> = {
  /** The source that the others are measured from: the first that has a price. */
  readonly base: S;
  /** Each pair once, those with the base first. */
  readonly pairs: readonly ComparedPair<S>[];
  /** The worst verdict of all pairs. */
  readonly verdict: ComparisonVerdict;
};

const WORST_FIRST: readonly ComparisonVerdict[] = ['beyond', 'untold', 'within', 'equal'];

/** Compares the prices of several sources, each with each. @returns undefined for fewer than two */
export function compareSources<S extends string>(
  prices: readonly (ComparedPrice & { readonly source: S })[],
): PricesCompared<S> | undefined {
  const [first] = prices;
  if (first === undefined || prices.length < 2) return undefined;
  const pairs = prices.flatMap((base, at) =>
    prices.slice(at + 1).map((value) => ({
      source: value.source,
      base: base.source,
      comparison: comparePrices(value, base),
    })),
  );
  const verdict = WORST_FIRST.find((word) => pairs.some(({ comparison }) => comparison.verdict === word));
  return { base: first.source, pairs, verdict: verdict ?? 'equal' };
}
