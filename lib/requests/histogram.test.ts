import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addCounts, noCounts, sumOf } from './histogram';

const whole = fc.nat(2 ** 31 - 1);
const counts = fc.record({
  completed: whole,
  'callback-failed': whole,
  failed: whole,
  pending: whole,
  unknown: whole,
});
it('adds counts state by state', () => {
  fc.assert(
    fc.property(counts, counts, (a, b) => {
      expect(sumOf(addCounts(a, b))).toBe(sumOf(a) + sumOf(b));
      expect(addCounts(a, noCounts())).toEqual(a);
    }),
  );
});
