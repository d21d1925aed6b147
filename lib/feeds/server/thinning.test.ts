import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareScaled, type ScaledInteger } from '@/lib/domain/scaled-number';
import type { KeptUpdate } from './history-buffer';
import { thinned } from './thinning';

const rows = fc
  .array(
    fc.record({
      step: fc.nat(20),
      mantissa: fc.bigInt({ min: -(10n ** 19n), max: 10n ** 19n }).map(String),
      expo: fc.integer({ min: -18, max: 5 }),
    }),
    { maxLength: 300 },
  )
  .map((list): KeptUpdate[] => {
    let publishS = 1_700_000_000;
    return list.map(({ step, mantissa, expo }, seq) => {
      publishS += step;
      return { seq, publishS, text: JSON.stringify({ p: mantissa, e: expo }) };
    });
  });

function priceOf({ text }: KeptUpdate): ScaledInteger {
  const { p, e } = JSON.parse(text);
  return { mantissa: BigInt(p), expo: e };
}

/** The least and the greatest price; none of an empty list. */
const extremes = (list: readonly KeptUpdate[]) => {
  const sorted = list.map(priceOf).sort(compareScaled);
  return sorted.length > 0 ? [sorted.at(0), sorted.at(-1)] : [];
};

describe('thinning', () => {
  it('keeps at most as many as asked for, in their order, with the first and the last', () => {
    fc.assert(
      fc.property(rows, fc.integer({ min: 4, max: 100 }), (list, points) => {
        const kept = thinned(list, points);
        expect(kept.length).toBeLessThanOrEqual(points);
        expect(kept.map((one) => list.indexOf(one))).toEqual(
          kept.map((one) => list.indexOf(one)).sort((a, b) => a - b),
        );
        expect([kept[0], kept.at(-1)]).toEqual([list[0], list.at(-1)]);
      }),
    );
  });

  it('keeps the least and the greatest price of all, whatever the exponents', () => {
    fc.assert(
      fc.property(rows, fc.integer({ min: 4, max: 100 }), (list, points) => {
        const after = extremes(thinned(list, points));
        for (const [n, price] of extremes(list).entries()) {
          const kept = after[n];
          expect(price && kept && compareScaled(price, kept)).toBe(0);
        }
      }),
    );
  });

  it('leaves few updates as they are', () => {
    fc.assert(
      fc.property(rows, (list) => {
        expect(thinned(list, 300)).toEqual(list);
      }),
    );
  });

  it('keeps a spike of one update in each part', () => {
    const list = Array.from({ length: 1_000 }, (_, n) => ({
      seq: n,
      publishS: 1_700_000_000 + n,
      text: JSON.stringify({ p: n % 100 === 50 ? '999' : '5', e: 0 }),
    }));
    expect(thinned(list, 42).filter(({ text }) => text.includes('999'))).toHaveLength(10);
  });
});
