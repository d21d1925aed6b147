import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDecimal } from './decimal-text';
import { type ComparedPrice, comparePrices, compareSources } from './price-comparison';
import { formatScaled, type ScaledInteger } from './scaled-number';

function num(text: string): ScaledInteger {
  const value = parseDecimal(text);
  if (value === undefined) throw new Error(`${text} is no number`);
  return value;
}

function quote(price: string, conf?: string): ComparedPrice {
  return { price: num(price), ...(conf === undefined ? {} : { conf: num(conf) }) };
}

const scaled = fc
  .tuple(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n }), fc.integer({ min: -18, max: 5 }))
  .map(([mantissa, expo]): ScaledInteger => ({ mantissa, expo }));
const conf = scaled.map(({ mantissa, expo }) => ({ mantissa: mantissa < 0n ? -mantissa : mantissa, expo }));
const anyQuote = fc.record({ price: scaled, conf });

describe('two prices', () => {
  it('are apart when they differ by more than both confidences together, to the last digit', () => {
    const verdict = (a: ComparedPrice, b: ComparedPrice) => comparePrices(a, b).verdict;
    expect(verdict(quote('100.3', '0.1'), quote('100', '0.2'))).toBe('within');
    expect(verdict(quote('100.3000000000000001', '0.1'), quote('100', '0.2'))).toBe('beyond');
    expect(verdict(quote('99.7', '0.1'), quote('100', '0.2'))).toBe('within');
    expect(verdict(quote('99.69', '0.1'), quote('100', '0.2'))).toBe('beyond');
    expect(verdict(quote('1.50', '0'), quote('1.5', '0'))).toBe('equal');
    expect(verdict(quote('1.5'), quote('1.6', '3'))).toBe('untold');
    expect(verdict(quote('1.5'), quote('1.5'))).toBe('equal');
  });

  it('are measured in basis points of the base', () => {
    const { differenceBps, combinedBps, difference } = comparePrices(quote('101', '1'), quote('100', '2'));
    expect([differenceBps, combinedBps, difference].map((one) => one && formatScaled(one))).toEqual([
      '100.00',
      '300.00',
      '1',
    ]);
    const negative = comparePrices(quote('-101', '1'), quote('-100', '2'));
    expect(negative.differenceBps?.mantissa).toBe(-10_000n);
    expect(negative.combinedBps?.mantissa).toBe(30_000n);
    expect(comparePrices(quote('1', '1'), quote('0', '1')).differenceBps).toBeUndefined();
  });

  it('are judged alike whichever stands first', () => {
    fc.assert(
      fc.property(anyQuote, anyQuote, (a, b) => {
        expect(comparePrices(a, b).verdict).toBe(comparePrices(b, a).verdict);
        expect(comparePrices(a, a).verdict).toBe('equal');
      }),
    );
  });

  it('touch exactly when their intervals do', () => {
    fc.assert(
      fc.property(anyQuote, anyQuote, (a, b) => {
        const at = ({ mantissa, expo }: ScaledInteger) => mantissa * 10n ** BigInt(expo + 18);
        const low = at(a.price) - at(a.conf) > at(b.price) + at(b.conf);
        const high = at(b.price) - at(b.conf) > at(a.price) + at(a.conf);
        expect(comparePrices(a, b).verdict === 'beyond').toBe(low || high);
      }),
    );
  });
});

describe('several sources', () => {
  it('are compared each with each, and the worst pair decides', () => {
    const compared = compareSources([
      { source: 'a', ...quote('100', '0.6') },
      { source: 'b', ...quote('101', '0.5') },
      { source: 'c', ...quote('99', '0.5') },
    ]);
    expect(compared?.base).toBe('a');
    expect(compared?.pairs.map(({ source, base, comparison }) => [source, base, comparison.verdict])).toEqual(
      [
        ['b', 'a', 'within'],
        ['c', 'a', 'within'],
        ['c', 'b', 'beyond'],
      ],
    );
    expect(compared?.verdict).toBe('beyond');
  });

  it('are not compared when there is only one', () => {
    expect(compareSources([{ source: 'a', ...quote('1') }])).toBeUndefined();
    expect(compareSources([])).toBeUndefined();
  });
});
