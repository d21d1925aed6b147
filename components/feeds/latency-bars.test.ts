import fc from 'fast-check';
import { expect, it } from 'vitest';
import { latencyScaleMs } from './latency-bars';

it('has a scale that the slowest update fits', () => {
  expect(latencyScaleMs(0)).toBe(100);
  expect(latencyScaleMs(1_001)).toBe(2_000);
  expect(latencyScaleMs(61_000)).toBe(120_000);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10_000_000 }), (slowestMs) => {
      expect(latencyScaleMs(slowestMs)).toBeGreaterThanOrEqual(slowestMs);
    }),
  );
});
