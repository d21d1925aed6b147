import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ok } from '@/lib/domain/outcome';
import { findMoment } from './paging-search';

const YEAR_MS = 31_536_000_000;
const time = fc.oneof(
  fc.integer({ min: 0, max: 50 }),
  fc.integer({ min: 0, max: 10 * YEAR_MS }),
  fc.integer({ min: YEAR_MS, max: YEAR_MS + 10_000 }),
);
const times = fc.array(time, { minLength: 1, maxLength: 200 });

async function search(all: readonly number[], target: number, slack: number, wrong = 0) {
  let rounds = 0;
  const count = async (ms: number) => {
    rounds += 1;
    return ok(all.filter((one) => one >= ms).length);
  };
  const newest = { ms: Math.max(...all) + 1 - wrong, count: 0 };
  const oldest = { ms: Math.min(...all) + wrong, count: all.length };
  const found = await findMoment({ target, slack, newest, oldest, count });
  if (!found.ok) throw new Error(found.failure.detail);
  return { ...found.value, rounds };
}

test('the moment that is found has at most the target before it, and the next one has more or is near enough', async () => {
  await fc.assert(
    fc.asyncProperty(
      times,
      fc.nat(),
      fc.nat(5),
      fc.constantFrom(0, 3, 100),
      async (all, at, slack, wrong) => {
        const target = at % all.length;
        const { ms, count } = await search(all, target, slack, wrong);
        expect(count).toBe(all.filter((one) => one >= ms).length);
        expect(count).toBeLessThanOrEqual(target);
        const withNext = all.filter((one) => one >= ms - 1).length;
        expect(target - count <= slack || withNext > target).toBe(true);
      },
    ),
    { numRuns: 300 },
  );
});

test('rows that come evenly, or with the rhythm of days, take few rounds', async () => {
  const even = Array.from({ length: 100_000 }, (_, at) => at * 37);
  const days = even.map((ms) => Math.round(ms * 1000 + 20_000_000 * Math.sin(ms / 200_000)));
  for (const all of [even, days]) {
    for (const target of [1200, 50_000, 98_000]) {
      expect((await search(all, target, 250)).rounds).toBeLessThanOrEqual(8);
    }
  }
});
