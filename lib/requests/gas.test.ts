import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gasBars, percentOf } from './cell-text';

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

describe('the gas bars', () => {
  it('stand on one scale, of which the largest figure is the end', () => {
    expect(gasBars({ gasLimit: '100000', callbackGasUsed: '50000', gasUsed: '200000' })).toEqual({
      limit: { digits: '100000', percent: '100.00', length: 0.5 },
      callback: { digits: '50000', percent: '50.00', length: 0.25 },
      transaction: { digits: '200000', percent: '200.00', length: 1 },
    });
  });

  it('invent nothing for what is absent', () => {
    expect(gasBars({})).toEqual({});
    expect(gasBars({ gasUsed: '7' })).toEqual({ transaction: { digits: '7', length: 1 } });
    expect(gasBars({ gasLimit: '0', gasUsed: '0' })).toEqual({
      limit: { digits: '0', length: 0 },
      transaction: { digits: '0', length: 0 },
    });
  });
});
