import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareScaled, formatScaled, parseDecimal } from './numbers';

it('reads what people type, exactly', () => {
  expect(parseDecimal('65,000.50')).toEqual({ mantissa: 6_500_050n, expo: -2 });
  expect(parseDecimal(' 65 000 ')).toEqual({ mantissa: 65_000n, expo: 0 });
  expect(parseDecimal('−0.005')).toEqual({ mantissa: -5n, expo: -3 });
  expect(parseDecimal('.5')).toEqual({ mantissa: 5n, expo: -1 });
  expect(parseDecimal('0.000000000000000001')).toEqual({ mantissa: 1n, expo: -18 });
});

it('reads nothing else', () => {
  for (const text of ['', '.', '-', '1e5', '1,5', '1,0000', '0x10', 'Infinity', '1.2.3', '1'.repeat(61)]) {
    expect(parseDecimal(text)).toBeUndefined();
  }
});

it('reads every exact text of a number', () => {
  const anyNumber = fc.record({
    mantissa: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n }),
    expo: fc.integer({ min: -18, max: 12 }),
  });
  fc.assert(
    fc.property(anyNumber, (value) => {
      const read = parseDecimal(formatScaled(value, { groupSeparator: ',' }));
      expect(read && compareScaled(read, value)).toBe(0);
    }),
  );
});
