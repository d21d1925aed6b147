import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareScaled, type ScaledInteger } from '@/lib/core/numbers';
import { axisTickText, placeOnAxis, priceAxis } from './price-axis';

const at = (mantissa: bigint, expo: number): ScaledInteger => ({ mantissa, expo });

function labels(low: ScaledInteger, high: ScaledInteger): string[] {
  const axis = priceAxis(low, high, 5);
  return axis.ticks.map((tick) => axisTickText(tick, axis));
}

const anyPrice = fc.record({
  mantissa: fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }),
  expo: fc.integer({ min: -18, max: 12 }),
});

describe('a price axis', () => {
  it('has as many decimals as tell its ticks apart', () => {
    expect(labels(at(6_432_100n, -2), at(6_433_900n, -2))).toEqual(['64325', '64330', '64335']);
    expect(labels(at(108_452n, -5), at(108_461n, -5))).toEqual([
      '1.08452',
      '1.08454',
      '1.08456',
      '1.08458',
      '1.08460',
    ]);
  });

  it('tells prices apart that floating point can not', () => {
    const one = 10n ** 18n;
    const texts = labels(at(one, -18), at(one + 10n, -18));
    expect(new Set(texts).size).toBe(texts.length);
    expect(texts).toContain('1.000000000000000002');
  });

  it('is right for negative, zero, flat and huge prices', () => {
    expect(labels(at(-300n, -2), at(-100n, -2))).toEqual(['-3.0', '-2.5', '-2.0', '-1.5', '-1.0']);
    expect(labels(at(0n, -8), at(0n, -8))).toContain('0.000000000');
    expect(labels(at(7n, 12), at(7n, 12))).toContain('7000000000000');
    expect(labels(at(7n, 12), at(7n, 12)).length).toBeGreaterThan(2);
    expect(labels(at(5n, 5), at(9n, 5))).toEqual(['500000', '600000', '700000', '800000', '900000']);
    const huge = labels(at(123_456_789n, 30), at(123_456_999n, 30));
    expect(huge).toContain('1.2345685e+38');
    expect(new Set(huge).size).toBe(huge.length);
  });

  it('holds every price, its labels differ, and it has a few ticks', () => {
    fc.assert(
      fc.property(anyPrice, anyPrice, fc.integer({ min: 3, max: 8 }), (a, b, steps) => {
        const axis = priceAxis(a, b, steps);
        for (const price of [a, b]) {
          expect(compareScaled(axis.low, price)).toBeLessThanOrEqual(0);
          expect(compareScaled(axis.high, price)).toBeGreaterThanOrEqual(0);
          expect(placeOnAxis(price, axis)).toBeGreaterThanOrEqual(0);
          expect(placeOnAxis(price, axis)).toBeLessThanOrEqual(1);
        }
        const texts = axis.ticks.map((tick) => axisTickText(tick, axis));
        expect(new Set(texts).size).toBe(texts.length);
        expect(texts.length).toBeGreaterThanOrEqual(1);
        expect(texts.length).toBeLessThanOrEqual(2 * steps + 4);
      }),
    );
  });

  it('keeps the order of prices on screen', () => {
    fc.assert(
      fc.property(anyPrice, anyPrice, anyPrice, (a, b, c) => {
        const axis = priceAxis(a, b, 5);
        const order = Math.sign(placeOnAxis(a, axis) - placeOnAxis(c, axis));
        expect([0, compareScaled(a, c)]).toContain(order);
      }),
    );
  });

  it('stands in the middle of an axis without a length', () => {
    expect(placeOnAxis(at(1n, 0), { low: at(1n, 0), high: at(10n, -1) })).toBe(0.5);
  });
});
