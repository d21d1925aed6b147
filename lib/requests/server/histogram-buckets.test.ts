import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bucketsFor } from './summary';

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 10, 20, 11, 23, 45);

describe('buckets', () => {
  it.each([
    [15 / 60, 61, '15 s', 15_000],
    [1, 61, '1 min', 60_000],
    [24, 60, '30 min', 1_800_000],
    [24 * 7, 60, '3 h', 3 * HOUR],
    [24 * 30, 61, '12 h', 12 * HOUR],
    [24 * 365, 60, '1 week', 168 * HOUR],
  ])('of %s hours, at most %i of them, last %s', (hours, most, _name, bucketMs) => {
    const buckets = bucketsFor(NOW - hours * HOUR, NOW, most);
    expect(buckets.bucketMs).toBe(bucketMs);
    expect(buckets.buckets).toBeLessThanOrEqual(most);
  });

  it('begin on round moments, weeks on Mondays', () => {
    expect(new Date(bucketsFor(NOW - 24 * HOUR, NOW, 60).fromMs).toISOString()).toBe(
      '2026-11-19T11:00:00.000Z',
    );
    expect(new Date(bucketsFor(NOW - 24 * 365 * HOUR, NOW, 60).fromMs).getUTCDay()).toBe(1);
  });

  it('are none when the end lies before the start', () => {
    expect(bucketsFor(NOW, NOW - 1, 60).buckets).toBe(0);
    expect(bucketsFor(NOW, 0, 60).buckets).toBe(0);
  });

  const span = fc
    .tuple(fc.integer({ min: 0, max: NOW }), fc.nat(40_000 * 24 * HOUR), fc.integer({ min: 10, max: 120 }))
    .map(([start, length, most]) => ({ start, end: start + length, most }));

  it('are never more than requested, and hold every moment of the view and no other', () => {
    fc.assert(
      fc.property(span, fc.double({ min: 0, max: 1, noNaN: true }), ({ start, end, most }, share) => {
        const buckets = bucketsFor(start, end, most);
        expect(buckets.buckets).toBeGreaterThan(0);
        expect(buckets.buckets).toBeLessThanOrEqual(most);
        const at = (ms: number) => Math.floor((ms - buckets.fromMs) / buckets.bucketMs);
        const index = at(start + Math.floor((end - start) * share));
        expect(index).toBeGreaterThanOrEqual(0);
        expect(index).toBeLessThan(buckets.buckets);
        expect(at(start)).toBe(0);
        expect(at(end)).toBe(buckets.buckets - 1);
      }),
    );
  });
});
