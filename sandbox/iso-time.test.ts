import { expect, test } from 'vitest';
import { parseIsoTime } from './clock';

const at = Date.UTC(2026, 10, 20, 8, 5, 7);

test.each([
  ['2026-11-20T08:05:07Z', at, false],
  ['2026-11-20T08:05:07', at, false],
  ['2026-11-20 08:05:07', at, false],
  ['2026-11-20T10:05:07+02:00', at, false],
  ['2026-11-20T03:35:07-0430', at, false],
  ['2026-11-20T08:05:07.25Z', at + 250, false],
  ['2026-11-20T08:05:07.123456789Z', at + 123, true],
  ['2026-11-20T08:05Z', at - 7000, false],
  ['2026-11-20', Date.UTC(2026, 10, 20), false],
])('%s is read', (text, ms, cut) => {
  expect(parseIsoTime(text)).toEqual({ ms, cut });
});

test.each([
  '',
  'yesterday',
  '1763625907',
  '2026-02-30',
  '2026-13-01T00:00:00Z',
  '2026-11-20T24:00:00Z',
  '2026-11-20T08:60:00Z',
  '2026-11-20T08:05:07 00:00',
  '2026-11-20T08:05:07Zx',
])('"%s" is refused', (text) => {
  expect(parseIsoTime(text)).toBeUndefined();
});
