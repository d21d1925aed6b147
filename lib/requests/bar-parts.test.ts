import { expect, it } from 'vitest';
import { BAR_PARTS, type BarCounts, barOfTotals, barsOfHistogram, noBar } from './bar-parts';

const sum = (bar: BarCounts) => BAR_PARTS.reduce((all, part) => all + bar[part], 0);

it('a bar counts all requests, and as pending only those still served', () => {
  const counts = { requests: 20, completed: 7, callbackFailed: 1, failed: 2, pending: 6, pendingGone: 5 };
  const bar = barOfTotals({ ...counts, called: 0, p50Us: null, p95Us: null, p99Us: null });
  expect(bar).toEqual({
    completed: 7,
    pending: 1,
    unserved: 5,
    unknown: 4,
    'callback-failed': 1,
    failed: 2,
  });
  expect(sum(bar)).toBe(20);
});

it('the bars of the request table too', () => {
  const counts = { completed: 7, 'callback-failed': 1, failed: 2, pending: 6, unknown: 4 };
  const span = { fromMs: 0, toMs: 2, startMs: 0, endMs: 1, bucketMs: 1 };
  const bars = barsOfHistogram({ ...span, buckets: [counts, counts], gone: [5, 0] });
  expect(bars).toEqual([
    { ...counts, pending: 1, unserved: 5 },
    { ...counts, unserved: 0 },
  ]);
  expect(bars.map(sum)).toEqual([20, 20]);
  // An instance of the version before sends none.
  expect(barsOfHistogram({ ...span, buckets: [counts], gone: [] })).toEqual([{ ...counts, unserved: 0 }]);
  expect(sum(noBar())).toBe(0);
});
