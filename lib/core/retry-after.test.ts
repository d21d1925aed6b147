import { describe, expect, test } from 'vitest';
import { retryAfterSeconds } from './retry-after';

const NOW = Date.parse('2026-11-20T12:00:00Z');

describe('a Retry-After header', () => {
  const read = (retryAfter: string | string[] | undefined, date?: string) =>
    retryAfterSeconds(503, { retryAfter, date }, NOW);

  test.each([
    ['120', 120],
    [' 5 ', 5],
    ['1.2', 2],
    ['0', 1],
    ['99999999999', 86_400],
    ['Fri, 20 Nov 2026 12:00:30 GMT', 30],
    ['Fri, 20 Nov 2026 11:00:00 GMT', 1],
    ['Friday, 20-Nov-26 12:00:10 GMT', 10],
    ['2026-11-20T12:00:20Z', 20],
  ])('reads %j as %i seconds', (value, seconds) => {
    expect(read(value)).toBe(seconds);
  });

  const odd = [undefined, '', 'soon', '-5', '5-1', 'Fri, 99 Nov 2026 12:00:30 GMT'];
  test.each(odd)('reads nothing from %j', (value) => {
    expect(read(value)).toBeUndefined();
  });

  test('uses the first of two headers, and compares a date with the service’s own clock', () => {
    expect(read(['7', '90'])).toBe(7);
    const date = 'Fri, 20 Nov 2026 12:10:00 GMT';
    const later = 'Fri, 20 Nov 2026 12:10:30 GMT';
    expect(read(later, date)).toBe(30);
  });
});

describe('retryAfterSeconds', () => {
  const waitOf = (status: number, retryAfter?: string) =>
    retryAfterSeconds(status, { retryAfter, date: undefined }, NOW);

  test.each([302, 401, 403, 429, 500, 503])('uses the wait named by %i', (status) => {
    expect(waitOf(status, '120')).toBe(120);
    expect(waitOf(status, 'Fri, 20 Nov 2026 12:02:00 GMT')).toBe(120);
  });

  test.each([200, 204, 400, 404, 422])('ignores a wait named by %i', (status) => {
    expect(waitOf(status, '120')).toBeUndefined();
  });

  test('uses the reset of a 429 that names no Retry-After, in seconds or as a time', () => {
    const resetOf = (reset: string, status = 429, retryAfter?: string) =>
      retryAfterSeconds(status, { retryAfter, date: undefined, reset }, NOW);
    expect([resetOf('75'), resetOf(String(NOW / 1000 + 90)), resetOf(String(NOW + 91_000))]).toEqual([
      75, 90, 91,
    ]);
    expect([resetOf('75', 429, '5'), resetOf('soon'), resetOf('75', 503)]).toEqual([5, 30, undefined]);
  });

  test('is 30 s for a 429 without a time, and undefined for other failures', () => {
    expect([waitOf(429), waitOf(429, 'soon'), waitOf(503), waitOf(403)]).toEqual([
      30,
      30,
      undefined,
      undefined,
    ]);
  });
});
