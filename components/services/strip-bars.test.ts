import { expect, it } from 'vitest';
import { answeredText, dayBars, STRIP_BARS } from './strip-bars';

const MINUTE = 60_000;
const HALF_HOUR = 30 * MINUTE;
const AT = 1000 * HALF_HOUR + 7 * MINUTE;
const NOW_BAR = 1000 * HALF_HOUR;

it('a bar tells what its half hour had, and is unknown before the server started', () => {
  const history = [
    { fromMs: NOW_BAR - 2 * HALF_HOUR, calls: 3, failed: 0 },
    { fromMs: NOW_BAR + MINUTE, calls: 99, failed: 1 },
    { fromMs: NOW_BAR + 6 * MINUTE, calls: 1, failed: 0 },
  ];
  const bars = dayBars(history, { atMs: AT, startedAtMs: NOW_BAR - 2 * HALF_HOUR + MINUTE });
  expect(bars).toHaveLength(STRIP_BARS);
  expect(bars.map(({ state }) => state).slice(-4)).toEqual(['unknown', 'ok', 'none', 'failed']);
  expect(bars.at(-1)).toMatchObject({ fromMs: NOW_BAR, failedShare: 0.28 });
  expect(bars[0]?.state).toBe('unknown');
});

it.each([
  [0, 0, 'No call'],
  [412, 0, '100% of 412'],
  [100_000, 1, '99.9% of 100,000'],
  [2, 2, '0% of 2'],
])('%i calls of which %i failed are %s', (calls, failed, text) => {
  expect(answeredText(calls === 0 ? [] : [{ fromMs: AT, calls, failed }])).toBe(text);
});
