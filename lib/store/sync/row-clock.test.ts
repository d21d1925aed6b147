import { expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '@/lib/core/time';
import { RowClock } from './row-clock';

/** The clock after rows that were listed, or appeared, this long after (or if negative, before) they were created. */
function clockOf(of: { listed?: number[]; appeared?: number[] }): RowClock {
  const clock = new RowClock();
  for (const ms of of.listed ?? []) clock.listed(1e12 + ms, 1e12);
  for (const ms of of.appeared ?? []) clock.appeared(1e12 + ms, 1e12);
  return clock;
}

const FIVE = 5 * HOUR_MS;

test.each([
  ['no rows: the dates of answers', {}, -FIVE, -FIVE],
  ['rows that agree with late dates', { listed: [-FIVE - 4000], appeared: [-FIVE - 3000] }, -FIVE, -FIVE],
  ['answers dated behind, rows of the present', { listed: [-4000] }, -FIVE, 0],
  ['answers dated behind, a quiet log', { listed: [-2 * HOUR_MS] }, -FIVE, -2 * HOUR_MS],
  [
    'a clock set back: rows that appear now are behind as well',
    { listed: [-600_000], appeared: [-FIVE, -FIVE, -FIVE] },
    -FIVE,
    -FIVE,
  ],
  ['a row dated years ahead', { listed: [-FIVE, 1e10] }, -FIVE, -FIVE],
  ['rows that agree with early dates', { appeared: [FIVE - 8000] }, FIVE, FIVE],
  ['answers dated ahead, rows of the present', { appeared: [-4000] }, FIVE, 0],
  ['answers dated ahead, nothing new yet', { listed: [-4000] }, FIVE, FIVE],
  ['right dates, rows ahead', { appeared: [FIVE, FIVE - 3000, FIVE] }, 0, FIVE - 3000],
  ['right dates, one row ahead', { appeared: [-3000, FIVE, -3000] }, 0, 0],
  ['right dates, rows logged late', { appeared: [-FIVE, -FIVE, -FIVE] }, 0, 0],
  ['a small difference', { appeared: [-3000, -3000, -3000] }, 20_000, 20_000],
  ['rows ahead of early dates', { appeared: [FIVE, FIVE, FIVE] }, 10 * MINUTE_MS, FIVE],
])('%s', (_, of, datedMs, aheadMs) => {
  expect(clockOf(of).aheadMs(datedMs)).toBe(aheadMs);
});
