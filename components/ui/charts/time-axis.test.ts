import { expect, it } from 'vitest';
import { sortedBy } from '@/components/ui/sorted-by';
import { shownMoment, zoneOffsetMs } from '@/lib/core/time-text';
import { intervalText, tickText, timeTicks } from './time-axis';

const HOUR = 3_600_000;
const MIDNIGHT = Date.UTC(2026, 10, 20);
const buckets = (fromMs: number, bucketMs: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ fromMs: fromMs + index * bucketMs }));

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
  expect(timeTicks(times, () => offsetMs).map(({ ms }) => (ms - MIDNIGHT) / HOUR)).toEqual(hours);
});

it('marks are as short as possible', () => {
  expect(tickText('2026-11-20 04:30:00', 'minute')).toBe('04:30');
  expect(tickText('2026-11-20 00:00:00', 'minute')).toBe('11-20');
  expect(intervalText('2026-11-20 04:30:00', '2026-11-20 05:00:00')).toBe('2026-11-20 04:30 – 05:00');
  expect(intervalText('2026-11-20 23:30:10', '2026-11-21 00:00:00')).toBe(
    '2026-11-20 23:30:10 – 2026-11-21 00:00',
  );
});

const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'Atlantic/Azores',
  'America/Havana',
  'Australia/Lord_Howe',
];

it.each(ZONES)('no two marks of an axis read the same, in %s on any day of the year', (timeZone) => {
  const style = { zone: 'local', timeZone } as const;
  const jan = Date.UTC(2026, 0, 1);
  const spans: [bucketMs: number, count: number][] = [
    [HOUR / 12, 96],
    [HOUR / 2, 48],
    [HOUR, 24 * 7],
    [12 * HOUR, 120],
    [24 * HOUR, 800],
  ];
  const offsetMs = (ms: number) => zoneOffsetMs(ms, timeZone);
  for (let dayMs = jan; dayMs < jan + 365 * 24 * HOUR; dayMs += 24 * HOUR) {
    // A time can occur twice only where clocks are changed. Of other days, only some are tried.
    if (offsetMs(dayMs) === offsetMs(dayMs + 24 * HOUR) && (dayMs - jan) % (90 * 24 * HOUR) > 0) continue;
    for (const [bucketMs, count] of spans) {
      const ticks = timeTicks(buckets(dayMs - (bucketMs * count) / 4, bucketMs, count), offsetMs);
      const texts = ticks.map(({ ms, unit }) => tickText(shownMoment(ms, style, ms), unit));
      expect(texts).toEqual([...new Set(texts)]);
    }
  }
});

it('a mark is at the beginning of each day, also after clocks were set back', () => {
  const fromMs = Date.UTC(2026, 9, 22, 22);
  const style = { zone: 'local', timeZone: 'Europe/Berlin' } as const;
  const ticks = timeTicks(buckets(fromMs, HOUR, 24 * 6), (ms) => zoneOffsetMs(ms, style.timeZone));
  const texts = ticks.map(({ ms, unit }) => tickText(shownMoment(ms, style, ms), unit));
  expect(texts).toEqual(['10-23', '10-24', '10-25', '10-26', '10-27', '10-28']);
});

it('days of an axis of years have their year', () => {
  const texts = timeTicks(buckets(Date.UTC(2024, 0, 1), 24 * HOUR, 900), () => 0).map(({ ms, unit }) =>
    tickText(shownMoment(ms, { zone: 'utc', timeZone: 'UTC' }, ms), unit),
  );
  expect(texts.length).toBeGreaterThan(1);
  for (const text of texts) expect(text).toMatch(/^202\d-\d\d-\d\d$/);
});

it('an hour that comes twice is distinguished by its offset', () => {
  expect(tickText('2026-10-25 02:00:00 +01:00', 'minute')).toBe('02:00 +01:00');
  expect(intervalText('2026-10-25 02:00:00 +02:00', '2026-10-25 02:00:00 +01:00')).toBe(
    '2026-10-25 02:00 +02:00 – 02:00 +01:00',
  );
});

it('rows without a value are sorted last, either way', () => {
  const items = [{ v: 2 }, { v: null }, { v: 3 }, { v: 1 }];
  const order = (by: 'ascending' | 'descending') => sortedBy(items, ({ v }) => v, by).map(({ v }) => v);
  expect(order('ascending')).toEqual([1, 2, 3, null]);
  expect(order('descending')).toEqual([3, 2, 1, null]);
});
