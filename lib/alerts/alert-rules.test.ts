import { expect, it } from 'vitest';
import { isDue } from './alert-rules';

const SINCE_MS = Date.parse('2026-11-20T12:00:00Z');

it.each([
  ['service.failing', 299_999, false],
  ['service.failing', 300_000, true],
  ['keeper.not-synced', 119_999, false],
  ['keeper.not-synced', 120_000, true],
  ['incident.opened', 0, true],
] as const)('%s after %i ms is due: %s', (event, afterMs, due) => {
  expect(isDue(event, SINCE_MS, SINCE_MS + afterMs)).toBe(due);
  expect(isDue(event, null, SINCE_MS)).toBe(true);
});
