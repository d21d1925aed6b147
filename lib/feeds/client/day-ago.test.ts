import { expect, it } from 'vitest';
import { isDayOld, readDayAgo } from './day-ago';

const AT_S = 1_700_000_000;
const sample = (id: string, publishTimeS: number) =>
  ({ id, p: '5', c: '1', e: -2, t: publishTimeS, r: publishTimeS * 1000, f: 1 }) as const;

it('the price of a day ago is that of the requested moment, and absent if the feed was silent then', () => {
  const feeds = [sample('a', AT_S), sample('b', AT_S + 300), sample('closed', AT_S + 7_200)];
  const prices = readDayAgo(JSON.stringify({ samples: [{ t: AT_S, feeds }] }), AT_S);
  expect([...prices.keys()]).toEqual(['a', 'b']);
  expect(prices.get('a')?.price).toEqual({ mantissa: 5n, expo: -2 });
  expect(readDayAgo('', AT_S).size).toBe(0);
});

it('a price that was of a day ago when the tab was hidden, and is of 32 hours ago now, is none of a day ago', () => {
  const nowMs = (AT_S + 24 * 3600) * 1000;
  const minutes = (count: number) => nowMs + count * 60_000;
  expect([-20, 0, 20].map((count) => isDayOld(AT_S, minutes(count)))).toEqual([true, true, true]);
  expect([-21, 21, 8 * 60].map((count) => isDayOld(AT_S, minutes(count)))).toEqual([false, false, false]);
});
