import fc from 'fast-check';
import { expect, it } from 'vitest';
import { lowerBound } from './lower-bound';

it('lowerBound finds the place of the first value that is large enough', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 9 })), fc.integer({ min: -1, max: 10 }), (values, min) => {
      const sorted = values.toSorted((a, b) => a - b);
      const smaller = values.filter((value) => value < min).length;
      expect(lowerBound(sorted, min, (value) => value)).toBe(smaller);
    }),
  );
});
