import { describe, expect, it } from 'vitest';
import { CLOCK_TOLERANCE_MS, isClockOff, serviceClockAheadMs } from './service-clock';

const NOW = Date.UTC(2026, 10, 20, 8);
const ahead = (...minutes: number[]) =>
  serviceClockAheadMs(
    minutes.map((one) => NOW + one * 60_000),
    NOW,
  ) / 60_000;

describe('how far a service’s clock is ahead', () => {
  it('is told by its newest record, where most of the newest ones are ahead', () => {
    expect(ahead(1, 5, 3, 9)).toBe(9);
    expect(ahead(60, 59, 58, 57, 56, 55, -1, -2, -3, -4)).toBe(60);
    expect(ahead(-1, -2, -3)).toBe(0);
  });

  it('is not told by one record, however near', () => {
    for (const minutes of [0.1, 3, 180, 1430]) {
      expect(ahead(minutes, -1, -2, -3)).toBe(0);
      expect(ahead(minutes, -1)).toBe(0);
      expect(ahead(minutes)).toBe(0);
    }
    expect(ahead(180, 170, -1, -2, -3, -4)).toBe(0);
    expect(ahead()).toBe(0);
  });

  it('is told by all where there are few', () => {
    expect(ahead(4, 3)).toBe(4);
    expect(ahead(4, 3, -1)).toBe(0);
  });

  it('leaves one odd record out where the clock is ahead indeed', () => {
    expect(ahead(180, 10, 9, 8, 7)).toBe(10);
    expect(ahead(180, 1441, 10, 9, 8, 7)).toBe(10);
  });

  it('does not reach further than a day', () => {
    expect(ahead(1441, 1442, 1443)).toBe(0);
    expect(ahead(1439, 1438, 1437)).toBe(1439);
  });
});

it('a difference of clocks is worth a line from a minute on, either way', () => {
  expect(CLOCK_TOLERANCE_MS).toBe(60_000);
  expect([60_000, -60_000, 600_000, -600_000].map(isClockOff)).toEqual([true, true, true, true]);
  expect([59_999, -59_999, 0].map(isClockOff)).toEqual([false, false, false]);
});
