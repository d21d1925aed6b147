import { expect, it } from 'vitest';
import { sortedBy } from '@/components/ui/sorted-by';
import { spanText, tickText, timeTicks } from './time-axis';

const HOUR = 3_600_000;
const MIDNIGHT = Date.UTC(2026, 10, 20);
const buckets = (fromMs: number, bucketMs: number, count: number) =>
  Array.from({ length: count }, (_, at) => ({ fromMs: fromMs + at * bucketMs }));

it.each([
  ['a day by half hours', buckets(MIDNIGHT - 15 * HOUR, HOUR / 2, 48), 0, [-15, -12, -9, -6, -3, 0, 3, 6]],
  [
    'a day where clocks are two hours ahead',
    buckets(MIDNIGHT - 15 * HOUR, HOUR / 2, 48),
    2 * HOUR,
    [-14, -11, -8, -5, -2, 1, 4, 7],
  ],
  [
    'a month by half days',
    buckets(MIDNIGHT - 720 * HOUR, 12 * HOUR, 60),
    0,
    [-648, -528, -408, -288, -168, -48],
  ],
  ['nothing', [], 0, []],
])('%s has its marks at round moments', (_, times, offsetMs, hours) => {
  expect(timeTicks(times, offsetMs).map(({ ms }) => (ms - MIDNIGHT) / HOUR)).toEqual(hours);
});

it('marks are told as briefly as they can be', () => {
  expect(tickText('2026-11-20 04:30:00', 'minute')).toBe('04:30');
  expect(tickText('2026-11-20 00:00:00', 'minute')).toBe('11-20');
  expect(spanText('2026-11-20 04:30:00', '2026-11-20 05:00:00')).toBe('2026-11-20 04:30 – 05:00');
  expect(spanText('2026-11-20 23:30:10', '2026-11-21 00:00:00')).toBe(
    '2026-11-20 23:30:10 – 2026-11-21 00:00',
  );
});

it('rows without a value are sorted last, either way', () => {
  const items = [{ v: 2 }, { v: null }, { v: 3 }, { v: 1 }];
  const order = (by: 'ascending' | 'descending') => sortedBy(items, ({ v }) => v, by).map(({ v }) => v);
  expect(order('ascending')).toEqual([1, 2, 3, null]);
  expect(order('descending')).toEqual([3, 2, 1, null]);
});
