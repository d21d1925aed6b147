import { expect, it } from 'vitest';
import { interpolatedPercentile, percentile } from './percentile';

const VALUES = [15, 20, 35, 40, 50];

it('a percentile is the smallest value that the given percentage of values do not exceed', () => {
  const percentages = [5, 20, 21, 40, 50, 100];
  expect(percentages.map((percent) => percentile(VALUES, percent))).toEqual([15, 15, 20, 20, 35, 50]);
  expect(percentile([], 50)).toBeUndefined();
});

it('an interpolated percentile may lie between two values', () => {
  expect([0, 50, 60, 100].map((percent) => interpolatedPercentile(VALUES, percent))).toEqual([
    15, 35, 37, 50,
  ]);
  expect(interpolatedPercentile([], 50)).toBeUndefined();
});
