import { expect, it } from 'vitest';
import { backoffMs } from './backoff';

it('doubles from the first wait to the longest, however many failures there are', () => {
  const waits = [0, 1, 2, 3, 4, 5, 5000].map((failures) =>
    backoffMs({ firstMs: 500, maxMs: 12_000 }, failures),
  );
  expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 12_000, 12_000]);
});
