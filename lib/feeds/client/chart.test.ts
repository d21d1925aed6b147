import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scriptedUpdate } from './browser-fixtures';
import { decimate, type PlotPoint, plotted, sparklineOf } from './chart';
import { pointOf } from './history';

const S = 1_000;
const points = (prices: readonly (bigint | number)[], stepS = 1, e = 0) =>
  prices.map((price, at) => pointOf(scriptedUpdate('a', String(price), S + at * stepS, { e })));
const FRAME = { fromMs: S * 1000, toMs: (S + 60) * 1000, columns: 10, gapMs: 15_000 };

describe('points as differences from a base', () => {
  it('keep apart prices of twenty digits, and of different exponents', () => {
    const many = points([12_345_678_901_234_567_890n, 12_345_678_901_234_567_891n]);
    const base = many[0]?.update ?? expect.fail();
    expect(plotted(many, base).map(({ price }) => price)).toEqual([0, 1]);
    const other = pointOf(scriptedUpdate('a', '12', S, { e: 1 }));
    expect(plotted([other], scriptedUpdate('a', '100', S, { e: 0 })).map(({ price }) => price)).toEqual([20]);
  });
});

describe('what a chart draws', () => {
  const anyPoints = fc
    .array(
      fc.record({ gap: fc.integer({ min: 0, max: 20_000 }), price: fc.integer({ min: -1000, max: 1000 }) }),
    )
    .map((steps) => {
      let atMs = FRAME.fromMs;
      return steps.map(({ gap, price }): PlotPoint => {
        atMs += gap;
        return { atMs, publishS: Math.floor(atMs / 1000), price, low: price - 1, high: price + 2 };
      });
    });

  it('has the lowest, the highest and the last price, bounded by the columns, and is broken at every gap', () => {
    fc.assert(
      fc.property(anyPoints, (some) => {
        const vertices = decimate(some, FRAME);
        const prices = vertices.flatMap(({ price }) => price ?? []);
        const all = some.map(({ price }) => price);
        if (some.length > 0) {
          expect([Math.min(...prices), Math.max(...prices), prices.at(-1)]).toEqual([
            Math.min(...all),
            Math.max(...all),
            all.at(-1),
          ]);
        }
        const gaps = some.filter(
          ({ atMs }, at) => at > 0 && atMs - (some[at - 1]?.atMs ?? 0) > FRAME.gapMs,
        ).length;
        expect(vertices.filter(({ price }) => price === null)).toHaveLength(gaps);
        expect(vertices.every(({ atMs }, at) => at === 0 || atMs >= (vertices[at - 1]?.atMs ?? 0))).toBe(
          true,
        );
      }),
    );
    const dense = Array.from({ length: 10_000 }, (_, at): PlotPoint => {
      const price = Math.sin(at);
      return { atMs: FRAME.fromMs + at * 6, publishS: S, price, low: price, high: price };
    });
    expect(decimate(dense, FRAME).length).toBeLessThanOrEqual(3 * 11);
  });

  it('is broken where updates are known to be missing, however short the pause', () => {
    const some = plotted(points([1, 2, 3, 4]), scriptedUpdate('a', '0', S));
    const breaks = [{ fromS: S + 1, untilS: S + 2 }];
    const kinds = decimate(some, { ...FRAME, columns: 60, breaks }).map(({ price }) => price === null);
    expect(kinds).toEqual([false, false, true, false, false]);
  });

  it('is a sparkline within its place, with a line for each unbroken part', () => {
    const look = { fromMs: S * 1000, toMs: (S + 60) * 1000, width: 200, height: 80, gapMs: 15_000 };
    const spark = sparklineOf(
      [
        ...points([5, 7, 6]),
        ...points([8, 9]).map(({ update }) => pointOf({ ...update, t: update.t + 40, r: update.r + 40_000 })),
      ],
      look,
    );
    const places = [...(spark?.line.matchAll(/(-?[\d.]+) (-?[\d.]+)/g) ?? [])].map(([, x, y]) => [
      Number(x),
      Number(y),
    ]);
    expect(spark?.line.match(/M/g)).toHaveLength(2);
    expect(places.every(([x = -1, y = -1]) => x >= 0 && x <= 200 && y >= 0 && y <= 80)).toBe(true);
    expect(spark?.ticks.length).toBeGreaterThan(0);
    expect(sparklineOf(points([1]), { ...look, fromMs: look.toMs })).toBeUndefined();
  });
});
