import { describe, expect, it } from 'vitest';
import { formatAge, formatDuration, formatMoment } from './human-time';

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

describe('formatMoment', () => {
  const now = Date.UTC(2026, 10, 20, 12, 0, 0);

  it('leaves the day out when it is today', () => {
    expect(formatMoment(now - 3_000, now)).toBe('11:59:57 UTC');
  });

  it('names the day when it is another one', () => {
    expect(formatMoment(now - 86_400_000, now)).toBe('2026-11-19 12:00:00 UTC');
  });
});
