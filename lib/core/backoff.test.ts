import { expect, it } from 'vitest';
import { backoffMs } from './backoff';

it('doubles from the first wait to the longest, however many failures there are', () => {
  const waits = [0, 1, 2, 3, 4, 5, 5000].map((failures) =>
    backoffMs({ firstMs: 500, maxMs: 12_000 }, failures),
  );
  expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 12_000, 12_000]);
});

it('is shorter by a random part of up to a quarter', () => {
  const backoff = { firstMs: 500, maxMs: 12_000 };
  expect([0, 0.5, 1].map((random) => backoffMs(backoff, 1, random))).toEqual([1000, 875, 750]);
});
