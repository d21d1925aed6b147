import { describe, expect, it } from 'vitest';
import { formatAge, formatDuration, formatMoment, formatSpan } from './time';

describe('formatDuration', () => {
  it.each([
    [-5, '0.0 s'],
    [840, '0.8 s'],
    [9_999, '9.9 s'],
    [59_999, '59 s'],
    [303_000, '5 min 03 s'],
    [8_040_000, '2 h 14 min'],
    [273_600_000, '3 d 4 h'],
  ])('shows %d ms as "%s"', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it('shows ticking figures in whole seconds and never below zero', () => {
    expect(formatAge(3_900)).toBe('3 s');
    expect(formatAge(-1)).toBe('0 s');
  });
});

describe('formatSpan', () => {
  it.each([
    [7_999, '7 s'],
    [60_000, '1 min'],
    [125_000, '2 min 05 s'],
    [10_800_000, '3 h'],
    [345_600_000, '4 d'],
    [36_000_000, '10 h'],
  ])('writes %d ms as "%s"', (ms, text) => {
    expect(formatSpan(ms)).toBe(text);
  });
});

describe('formatMoment', () => {
  const now = Date.UTC(2026, 10, 20, 12, 0, 0);

  it('leaves the day out when it is today', () => {
    expect(formatMoment(now - 3_000, now)).toBe('11:59:57 UTC');
  });

  it('names the day when it is another one', () => {
    expect(formatMoment(now - 86_400_000, now)).toBe('2026-11-19 12:00:00 UTC');
  });

  it('says so where no calendar reaches', () => {
    expect(formatMoment(1e20, now)).toBe('out of range');
  });
});
