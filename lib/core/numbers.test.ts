import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addScaled,
  compareScaled,
  countOf,
  differenceInBps,
  formatScaled,
  groupDigits,
  groupDigitsBriefly,
  parseDecimal,
  readScaled,
  roundScaled,
  type ScaledInteger,
  subtractScaled,
} from './numbers';

const MAX_EXPO = 100;

const anyScaled = fc.record({
  mantissa: fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }),
  expo: fc.integer({ min: -30, max: 12 }),
});

const scaled = (mantissa: bigint, expo: number): ScaledInteger => ({ mantissa, expo });

/** Independent of `parseDecimal`. */
function readDecimal(text: string): ScaledInteger {
  const [whole = '', fraction = ''] = text.split('.');
  return { mantissa: BigInt(whole + fraction), expo: -fraction.length };
}

describe('formatScaled', () => {
  it.each([
    [2931999000000n, -8, '29319.99000000'],
    [5n, -3, '0.005'],
    [-5n, -3, '-0.005'],
    [-12345n, -2, '-123.45'],
    [7n, 2, '700'],
    [-7n, 5, '-700000'],
    [0n, 5, '0'],
    [0n, 0, '0'],
    [0n, -2, '0.00'],
    [42n, 0, '42'],
    [1n, -18, '0.000000000000000001'],
    [-1234567890123456789n, -18, '-1.234567890123456789'],
    [18446744073709551615n, -18, '18.446744073709551615'],
    [18446744073709551615n, 0, '18446744073709551615'],
    [-9223372036854775808n, -5, '-92233720368547.75808'],
  ])('writes %s × 10^%i as %s', (mantissa, expo, text) => {
    expect(formatScaled(scaled(mantissa, expo))).toBe(text);
  });

  it('drops trailing zeros, and nothing else, on request', () => {
    const trimmed = (mantissa: bigint, expo: number) =>
      formatScaled(scaled(mantissa, expo), { decimals: 'trimmed' });
    expect(trimmed(2931999000000n, -8)).toBe('29319.99');
    expect(trimmed(100000000n, -8)).toBe('1');
    expect(trimmed(1000n, 2)).toBe('100000');
    expect(trimmed(0n, -8)).toBe('0');
    expect(trimmed(-10n, -3)).toBe('-0.01');
  });

  it('groups only the digits before the point', () => {
    expect(formatScaled(scaled(-123456789012345n, -6), { groupSeparator: ',' })).toBe('-123,456,789.012345');
    expect(formatScaled(scaled(999n, 0), { groupSeparator: ',' })).toBe('999');
    expect(formatScaled(scaled(1234567n, 0), { groupSeparator: '$&' })).toBe('1$&234$&567');
  });

  it('preserves the value exactly', () => {
    fc.assert(
      fc.property(anyScaled, fc.constantFrom('all' as const, 'trimmed' as const), (value, decimals) => {
        expect(compareScaled(readDecimal(formatScaled(value, { decimals })), value)).toBe(0);
      }),
    );
  });

  it('shows an exponent beyond the bound as a power, rather than as a billion zeros', () => {
    expect(formatScaled(scaled(-12n, 1_000_000_000))).toBe('-12e1000000000');
    expect(formatScaled(scaled(12n, -1_000_000_000))).toBe('12e-1000000000');
  });
});

describe('readScaled', () => {
  it('reads numbers and text alike', () => {
    expect(readScaled('18446744073709551615', -8)).toEqual(scaled(18446744073709551615n, -8));
    expect(readScaled(-5, '3')).toEqual(scaled(-5n, 3));
  });

  it('refuses anything that is no integer, or would cost memory', () => {
    const odd: [unknown, unknown][] = [
      ['1.5', -8],
      ['', -8],
      [null, -8],
      ['1', null],
      ['1', 1.5],
      ['1', MAX_EXPO + 1],
      ['1', -MAX_EXPO - 1],
      ['9'.repeat(1_000_000), -8],
    ];
    for (const [mantissa, expo] of odd) expect(readScaled(mantissa, expo)).toBeUndefined();
  });
});

describe('arithmetic', () => {
  it('adds and subtracts exactly across exponents', () => {
    fc.assert(
      fc.property(anyScaled, anyScaled, (a, b) => {
        const sum = addScaled(a, b);
        expect(compareScaled(subtractScaled(sum, b), a)).toBe(0);
        expect(compareScaled(sum, addScaled(b, a))).toBe(0);
      }),
    );
  });

  it('orders by value, whatever the exponents', () => {
    expect(compareScaled(scaled(10n, -1), scaled(1n, 0))).toBe(0);
    expect(compareScaled(scaled(-1n, 5), scaled(1n, -18))).toBe(-1);
    expect(compareScaled(scaled(1000000000000000001n, -18), scaled(1n, 0))).toBe(1);
    fc.assert(
      fc.property(anyScaled, anyScaled, (a, b) => {
        expect(compareScaled(a, b) + compareScaled(b, a)).toBe(0);
        expect(Math.sign(Number(subtractScaled(a, b).mantissa))).toBe(compareScaled(a, b));
      }),
    );
  });
});

describe('differenceInBps', () => {
  const bps = (a: ScaledInteger, b: ScaledInteger) => {
    const difference = differenceInBps(a, b);
    return difference === undefined ? undefined : formatScaled(difference);
  };

  it('counts hundredths of a percent of the base, with its sign', () => {
    expect(bps(scaled(10100n, -2), scaled(100n, 0))).toBe('100.00');
    expect(bps(scaled(99n, 0), scaled(10000n, -2))).toBe('-100.00');
    expect(bps(scaled(-99n, 0), scaled(-100n, 0))).toBe('100.00');
    expect(bps(scaled(5n, 3), scaled(5000n, 0))).toBe('0.00');
  });

  it('rounds halves away from zero', () => {
    expect(bps(scaled(2000001n, 0), scaled(2000000n, 0))).toBe('0.01');
    expect(bps(scaled(1999999n, 0), scaled(2000000n, 0))).toBe('-0.01');
    expect(bps(scaled(3000001n, 0), scaled(3000000n, 0))).toBe('0.00');
  });

  it('is undefined for a base of zero', () => {
    expect(bps(scaled(1n, 0), scaled(0n, -8))).toBeUndefined();
  });
});

it('roundScaled keeps at most as many decimals, and adds none', () => {
  expect(roundScaled(scaled(12345n, -4), 2)).toEqual(scaled(123n, -2));
  expect(roundScaled(scaled(12350n, -4), 2)).toEqual(scaled(124n, -2));
  expect(roundScaled(scaled(-12350n, -4), 2)).toEqual(scaled(-124n, -2));
  expect(roundScaled(scaled(5n, 3), 2)).toEqual(scaled(5n, 3));
});

it('parseDecimal reads numbers as people type them, exactly', () => {
  expect(parseDecimal('65,000.50')).toEqual({ mantissa: 6_500_050n, expo: -2 });
  expect(parseDecimal(' 65 000 ')).toEqual({ mantissa: 65_000n, expo: 0 });
  expect(parseDecimal('−0.005')).toEqual({ mantissa: -5n, expo: -3 });
  expect(parseDecimal('.5')).toEqual({ mantissa: 5n, expo: -1 });
  expect(parseDecimal('0.000000000000000001')).toEqual({ mantissa: 1n, expo: -18 });
});

it('parseDecimal refuses everything else', () => {
  for (const text of ['', '.', '-', '1e5', '1,5', '1,0000', '0x10', 'Infinity', '1.2.3', '1'.repeat(61)]) {
    expect(parseDecimal(text)).toBeUndefined();
  }
});

it('parseDecimal reads every exact text of a number', () => {
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

/** A step per pair of characters would take forever. */
const LONG = 1_000_000;

describe('groupDigits', () => {
  it('groups from the right, and leaves a sign alone', () => {
    expect(groupDigits('')).toBe('');
    expect(groupDigits('12')).toBe('12');
    expect(groupDigits('123456')).toBe('123,456');
    expect(groupDigits('-1234567')).toBe('-1,234,567');
  });

  it('changes nothing but the separators, for any number', () => {
    fc.assert(
      fc.property(fc.bigInt(), (integer) => {
        const grouped = groupDigits(integer.toString());
        expect(grouped).toMatch(/^-?\d{1,3}(,\d{3})*$/);
        expect(BigInt(grouped.replaceAll(',', ''))).toBe(integer);
      }),
    );
  });

  it('handles a megabyte of digits', () => {
    expect(groupDigits('9'.repeat(LONG)).slice(0, 6)).toBe('9,999,');
  });
});

describe('counts', () => {
  it('keep every digit of numbers beyond 2^53', () => {
    expect(groupDigits('18446744073709551615')).toBe('18,446,744,073,709,551,615');
  });

  it('use the right form of their noun', () => {
    expect(countOf('0', 'request', 'requests')).toBe('0 requests');
    expect(countOf('1', 'request', 'requests')).toBe('1 request');
    expect(countOf('1234', 'request', 'requests')).toBe('1,234 requests');
  });
});

it('groupDigitsBriefly leaves every digit of a very long number, without commas', () => {
  expect(groupDigitsBriefly('18446744073709551615')).toBe('18446744073709551615');
  expect(groupDigitsBriefly('500000')).toBe('500,000');
});
