import { expect, it } from 'vitest';
import { noTotals } from './figures';
import { bucketTotals, durationTicks, durationTickText, fewerTicks, ofWholeBuckets } from './over-time';

it('buckets that the span cuts are left out, while those that end with it stay', () => {
  const buckets = { fromMs: 0, bucketMs: 100, count: 4 };
  const values = [1, 2, 3, 4];
  expect(ofWholeBuckets(values, { startMs: 30, endMs: 330, buckets })).toEqual([2, 3]);
  expect(ofWholeBuckets(values, { startMs: 0, endMs: 399, buckets })).toEqual(values);
  expect(ofWholeBuckets(values, { startMs: 0, endMs: 398, buckets })).toEqual([1, 2, 3]);
});

it('a bucket has percentiles from five callbacks on', () => {
  const totals = { ...noTotals(), requests: 9, p50Us: 1, p95Us: 2, p99Us: 3 };
  expect(bucketTotals({ ...totals, called: 5 })).toEqual({ ...totals, called: 5 });
  const none = { p50Us: null, p95Us: null, p99Us: null };
  expect(bucketTotals({ ...totals, called: 4 })).toEqual({ ...totals, called: 4, ...none });
});

it.each([
  [[], ['1 d', '10 d']],
  [[2_000_000], ['1 s', '10 s']],
  [[10_000_000], ['10 s', '1 min']],
  [
    [0, 700_000_000],
    ['0.1 s', '1 s', '10 s', '1 min', '10 min', '1 h'],
  ],
  [
    [86_400_000_000, 9e15],
    ['1 d', '10 d'],
  ],
])('the scale of %j microseconds', (lengths, texts) => {
  expect(durationTicks(lengths).map(durationTickText)).toEqual(texts);
});

it('has fewer ticks in a low plot, the outer ones always', () => {
  expect(fewerTicks([1, 10, 60])).toEqual([1, 10, 60]);
  expect(fewerTicks([1, 10, 60, 600, 3600])).toEqual([1, 60, 3600]);
  expect(fewerTicks([1, 10, 60, 600, 3600, 21600])).toEqual([1, 60, 21600]);
});
