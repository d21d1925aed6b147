import { describe, expect, test } from 'vitest';
import { readRetryAfter } from './rate-limiter';

const NOW = Date.parse('2026-11-20T12:00:00Z');

describe('readRetryAfter', () => {
  test.each([
    ['120', 120],
    [' 5 ', 5],
    ['1.2', 2],
    ['0', 1],
    ['99999999999', 86_400],
    ['Fri, 20 Nov 2026 12:00:30 GMT', 30],
    ['Fri, 20 Nov 2026 11:00:00 GMT', 1],
    ['Friday, 20-Nov-26 12:00:10 GMT', 10],
  ])('reads %j as %i seconds', (value, seconds) => {
    expect(readRetryAfter(value, undefined, NOW)).toBe(seconds);
  });

  const odd = [undefined, '', 'soon', '-5', '5-1', 'Fri, 99 Nov 2026 12:00:30 GMT'];
  test.each(odd)('finds nothing in %j', (value) => {
    expect(readRetryAfter(value, undefined, NOW)).toBeUndefined();
  });

  test('takes the first of two, and measures a date against the clock of the service that wrote it', () => {
    expect(readRetryAfter(['7', '90'], undefined, NOW)).toBe(7);
    const [date, later] = ['00', '30'].map((second) => `Fri, 20 Nov 2026 12:10:${second} GMT`);
    expect(readRetryAfter(later, date, NOW)).toBe(30);
  });
});
