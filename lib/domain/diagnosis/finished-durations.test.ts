import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { row } from './diagnosis-fixture';
import { countUpTo, nearestRank, survival } from './finished-durations';

const taking = (seconds: number[]) => seconds.map((tookS, index) => row(index, { ageS: 9000, tookS }));

describe('nearestRank', () => {
  it('is the smallest value that so many percent do not exceed', () => {
    const values = [15, 20, 35, 40, 50];
    expect([5, 20, 21, 40, 50, 100].map((percent) => nearestRank(values, percent))).toEqual([
      15, 15, 20, 20, 35, 50,
    ]);
  });

  it('of twenty, the 95th percentile is the nineteenth', () => {
    expect(
      nearestRank(
        Array.from({ length: 20 }, (_, index) => index + 1),
        95,
      ),
    ).toBe(19);
  });

  it('there is none of nothing', () => {
    expect(nearestRank([], 50)).toBeUndefined();
  });
});

describe('survival', () => {
  it('says when 99 % were done, of how many, and how many took longer', () => {
    const found = survival(taking([...new Array(99).fill(34), 500]), 34_000);
    expect(found).toMatchObject({
      finished: 100,
      longer: 1,
      longerShare: 0.01,
      sentence: '99 % were done after 34 s',
    });
  });

  it('says nothing without finished rows', () => {
    expect(survival([row(1)], 1000)).toBeUndefined();
  });

  it('a request as old as a duration has not outlived it', () => {
    expect(survival(taking([10, 20]), 20_000)?.longer).toBe(0);
    expect(survival(taking([10, 20]), 19_999)?.longer).toBe(1);
  });

  it('falls with age, and so does its curve, from at most 1 to 0', () => {
    const seconds = fc.array(fc.integer({ min: 0, max: 900 }), { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(seconds, fc.integer({ min: 0, max: 1_000_000 }), fc.nat(100_000), (took, age, more) => {
        const list = taking(took);
        const [early, late] = [survival(list, age), survival(list, age + more)];
        expect(late?.longer).toBeLessThanOrEqual(early?.longer ?? 0);
        const curve = early?.curve ?? [];
        for (const [index, point] of curve.entries()) {
          expect(point.ms).toBeGreaterThan(curve[index - 1]?.ms ?? -1);
          expect(point.share).toBeLessThanOrEqual(curve[index - 1]?.share ?? 1);
        }
        expect(curve.at(-1)?.share).toBe(0);
        expect(curve.length).toBeLessThanOrEqual(66);
      }),
    );
  });
});

it('countUpTo counts what is not above the limit', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 50 })),
      fc.integer({ min: -1, max: 51 }),
      (values, limit) => {
        const sorted = values.sort((a, b) => a - b);
        expect(countUpTo(sorted, limit)).toBe(sorted.filter((value) => value <= limit).length);
      },
    ),
  );
});
