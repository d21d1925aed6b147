import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FeedUpdate, parseFeedId } from '@/lib/domain/feed';
import { unixSeconds } from '@/lib/domain/units';
import { FeedPast, PAST_MS, PastBudget } from './feed-past';
import { ManualTimers } from './manual-timers';

const START_S = 1_700_000_000;
const id = parseFeedId('a'.repeat(64)) ?? expect.fail();

function update(publishS: number, price: bigint = BigInt(publishS), expo = -8): FeedUpdate {
  const publishTime = unixSeconds(publishS) ?? expect.fail();
  return { id, price: { mantissa: price, expo }, conf: { mantissa: 1n, expo }, publishTime };
}

/** An encoded update of the usual length. */
const textOf = ({ publishTime, price }: FeedUpdate) =>
  JSON.stringify({ id, p: `${price.mantissa}`, c: '1234567890', e: price.expo, t: publishTime, n: 'x y' });

function past(maxBytes?: number) {
  const timers = new ManualTimers(START_S * 1000);
  const budget = new PastBudget(timers, maxBytes);
  const make = () => new FeedPast(budget);
  const one = make();
  const add = (each: FeedUpdate, to = one) => to.add(each, textOf(each));
  return { timers, budget, one, make, add };
}

describe('the past of a feed', () => {
  it('gives every update back to the digit, oldest first, whether packed or not', () => {
    const figures = fc.tuple(
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }),
      fc.integer({ min: -18, max: 12 }),
      fc.nat(3),
    );
    fc.assert(
      fc.property(fc.array(figures, { maxLength: 200 }), (rows) => {
        const { one, add } = past();
        let second = START_S;
        const updates = rows.map(([price, expo, step]) => {
          second += step;
          return update(second, price, expo);
        });
        for (const each of updates) add(each);
        expect(one.from(0)).toEqual(
          updates.map((each) => ({
            publishS: each.publishTime,
            mantissa: `${each.price.mantissa}`,
            expo: each.price.expo,
            text: textOf(each),
          })),
        );
      }),
      { numRuns: 60 },
    );
  });

  it('gives what was published since a second', () => {
    const { one, add } = past();
    for (let n = 0; n < 300; n += 1) add(update(START_S + n));
    expect(one.from(START_S + 250).map(({ publishS }) => publishS - START_S)).toEqual(
      Array.from({ length: 50 }, (_, n) => 250 + n),
    );
  });

  it('puts what was filled in afterwards in its place, each second once', () => {
    const { one, add } = past();
    for (const n of [1, 2, 6, 7]) add(update(START_S + n));
    const fills = [5, 4, 3, 4].map((n) => one.fill(update(START_S + n, 0n), `f${n}`));
    expect(fills).toEqual([true, true, true, false]);
    expect(one.from(0).map(({ publishS }) => publishS - START_S)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it('forgets after half an hour, and says since when it is complete', async () => {
    const { one, add, timers, budget } = past();
    one.begin(timers.now());
    for (let n = 0; n < 3_600; n += 1) {
      add(update(START_S + n));
      await timers.advance(1_000);
    }
    const seconds = one.from(0).map(({ publishS }) => publishS - START_S);
    expect(seconds[0]).toBeGreaterThan(3_600 - PAST_MS / 1000 - 130);
    expect(seconds).toHaveLength(3_600 - (seconds[0] ?? 0));
    expect(one.completeSinceS).toBe(START_S + (seconds[0] ?? 0));
    expect(budget.bytes).toBeLessThan(250_000);
  });

  it('takes less than 60 bytes an update', () => {
    const { budget, add } = past();
    for (let n = 0; n < 6_400; n += 1)
      add(update(START_S + n, 6_543_210_987_654n + BigInt((n * 7919) % 99_991)));
    expect(budget.bytes / 6_400).toBeLessThan(60);
  });

  it('keeps all feeds together under the bound: the oldest goes, whichever feed it is of', async () => {
    const { budget, make, add, timers } = past(60_000);
    const feeds = Array.from({ length: 5 }, make);
    for (let n = 0; n < 2_000; n += 1) {
      for (const feed of feeds) add(update(START_S + n), feed);
      await timers.advance(100);
      expect(budget.bytes).toBeLessThanOrEqual(60_000);
    }
    const oldest = feeds.map((feed) => feed.from(0)[0]?.publishS ?? 0);
    expect(Math.max(...oldest) - Math.min(...oldest)).toBeLessThanOrEqual(64);
    expect(Math.min(...oldest)).toBeGreaterThan(START_S);
  });

  it('gives its bytes back when the feed is forgotten', () => {
    const { budget, one, add } = past();
    for (let n = 0; n < 500; n += 1) add(update(START_S + n));
    one.fill(update(START_S - 5), 'f');
    one.clear();
    expect(budget.bytes).toBe(0);
  });
});
