import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { percentOf } from './cell-text';

describe('the percent of a gas figure', () => {
  it.each([
    ['98500', '100000', '98.50'],
    ['158233', '100000', '158.23'],
    ['1', '3', '33.33'],
    ['2', '3', '66.67'],
    ['0', '5', '0.00'],
    ['115792089237316195423570985008687907853269984665640564039457584007913129639935', '1', /^\d{80}\.00$/],
  ])('of %s in %s is exact to two decimals', (part, whole, percent) => {
    expect(percentOf(part, whole)).toEqual(
      typeof percent === 'string' ? percent : expect.stringMatching(percent),
    );
  });

  it('is within half a hundredth of the quotient, for any amounts', () => {
    const amount = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
    fc.assert(
      fc.property(amount, amount, (part, whole) => {
        fc.pre(whole > 0n);
        const hundredths = BigInt((percentOf(String(part), String(whole)) ?? '').replace('.', ''));
        const twiceOff = 2n * (hundredths * whole - part * 10_000n);
        expect(twiceOff <= whole && twiceOff >= -whole).toBe(true);
      }),
    );
  });

  it.each([
    [undefined, '5'],
    ['5', undefined],
    ['5', '0'],
    ['-5', '5'],
    ['9'.repeat(1_000_000), '5'],
  ])('does not exist where a figure is absent or none', (part, whole) => {
    expect(percentOf(part, whole)).toBeUndefined();
  });
});
