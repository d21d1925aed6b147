import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countTicks } from './count-axis';

test.each([
  [1, 4, [0, 1]],
  [3, 4, [0, 1, 2, 3]],
  [7, 4, [0, 5, 10]],
  [104, 4, [0, 50, 100, 150]],
  [1201, 4, [0, 500, 1000, 1500]],
  [38, 2, [0, 40]],
  [213, 2, [0, 250]],
  [11, 2, [0, 15]],
])('counts up to %i have %i round ticks at most', (most, count, ticks) => {
  expect(countTicks(most, count)).toEqual(ticks);
});

test('ticks are whole, few, a round step apart, and reach the highest count', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e9 }), fc.integer({ min: 2, max: 6 }), (most, count) => {
      const ticks = countTicks(most, count);
      expect(ticks.length).toBeLessThanOrEqual(count);
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(most);
      expect(ticks.every(Number.isInteger)).toBe(true);
      expect(String(ticks[1])).toMatch(count === 2 ? /^([1-6]|8|15|25)0*$/ : /^(1|2|5)0*$/);
    }),
  );
});
