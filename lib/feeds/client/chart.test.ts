import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { axisTexts } from './axes';
import { scriptedUpdate } from './browser-fixtures';
import {
  decimate,
  panned,
  plotBase,
  plotPoints,
  priceRange,
  sparklineGaps,
  sparklineOf,
  windowAfterKey,
  zoomed,
} from './chart';
import { type FeedPoint, pointOf } from './history';

const S = 1_000;
const points = (prices: readonly (bigint | number)[], stepS = 1, expo = 0) =>
  prices.map((price, index) => pointOf(scriptedUpdate('a', String(price), S + index * stepS, { expo })));
const GAP_MS = 15_000;
const isLong = (before: FeedPoint, after: FeedPoint) => after.atMs - before.atMs > GAP_MS;
const ZERO = { mantissa: 0n, expo: 0 };

it('points as differences from a base distinguish prices of twenty digits and of different exponents', () => {
  const many = points([12_345_678_901_234_567_890n, 12_345_678_901_234_567_891n]);
  const base = plotBase(many[0]?.update ?? expect.fail());
  const heights = plotPoints(many, base).map(({ price }) => price);
  expect((heights[1] ?? 0) - (heights[0] ?? 0)).toBe(1);
  expect(axisTexts([heights[1] ?? 0], base)).toEqual(['12,345,678,901,234,567,891']);
  const other = pointOf(scriptedUpdate('a', '12', S, { expo: 1 }));
  const hundred = scriptedUpdate('a', '100', S, { expo: 0 }).price;
  expect(plotPoints([other], hundred).map(({ price }) => price)).toEqual([20]);
});

describe('the points of a chart', () => {
  const anyPoints = fc
    .array(
      fc.record({ gap: fc.integer({ min: 0, max: 20_000 }), price: fc.integer({ min: -1000, max: 1000 }) }),
    )
    .map((steps) => {
      let atMs = S * 1000;
      return steps.map(({ gap, price }): FeedPoint => {
        atMs += gap;
        const update = scriptedUpdate('a', String(price), Math.floor(atMs / 1000), { expo: 0 });
        return { ...pointOf(update), atMs };
      });
    });

  it('has the lowest, the highest and the last price, bounded by the columns, and is broken at every gap', () => {
    fc.assert(
      fc.property(anyPoints, (some) => {
        const vertices = decimate(plotPoints(some, ZERO), 6_000, isLong);
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
          (point, index) => index > 0 && isLong(some[index - 1] ?? point, point),
        ).length;
        expect(vertices.filter(({ price }) => price === null)).toHaveLength(gaps);
        expect(
          vertices.every(({ atMs }, index) => index === 0 || atMs >= (vertices[index - 1]?.atMs ?? 0)),
        ).toBe(true);
      }),
    );
    const dense = Array.from({ length: 10_000 }, (_, index) => {
      const point = pointOf(scriptedUpdate('a', String(Math.round(1e6 * Math.sin(index))), S, { expo: 0 }));
      return { ...point, atMs: S * 1000 + index * 6 };
    });
    expect(decimate(plotPoints(dense, ZERO), 6_000, isLong).length).toBeLessThanOrEqual(3 * 11);
  });

  it('shows the whole confidence band, unless its prices would get less than a third of the height', () => {
    const plots = (prices: readonly number[], conf: number) =>
      prices.map((price) => ({ price, low: price - conf, high: price + conf }));
    expect(priceRange(plots([10, 16], 3))).toEqual([7, 19]);
    expect(priceRange(plots([10, 16], 6))).toEqual([4, 22]);
    expect(priceRange(plots([10, 16], 100))).toEqual([4, 22]);
    // A price that does not change is drawn within its confidence.
    expect(priceRange(plots([10, 10], 6))).toEqual([4, 16]);
    expect(priceRange([])).toBeUndefined();
  });

  it('has as many decimals in each number of an axis', () => {
    const base = { mantissa: 115_390n, expo: -5 };
    expect(axisTexts([-15, -10, -5, 0], base)).toEqual(['1.15375', '1.15380', '1.15385', '1.15390']);
    expect(axisTexts([99.9, 100], undefined)).toEqual(['99.9', '100.0']);
    expect(axisTexts([0, 1], { mantissa: 5n, expo: 0 })).toEqual(['5', '6']);
  });

  it('has one interval throughout if a part of it is sampled, and keeps spikes, but not every move in between', () => {
    const range = { fromMs: S * 1000, toMs: (S + 60) * 1000 };
    const sampled = [0, 10, 20, 30].map((at) =>
      pointOf(scriptedUpdate('a', '100', S + at, { expo: 0, isBackfilled: true })),
    );
    const live = points([100, 101, 102, 500, 103, 102, 101, 100, 101]).map(({ update }) =>
      pointOf({
        ...update,
        publishTimeS: update.publishTimeS + 40,
        receivedMs: update.receivedMs + 40_000,
      }),
    );
    const verticesOf = (some: readonly FeedPoint[]) =>
      sparklineOf(some, range, { width: 200, height: 80 }, [], true, 10)?.line.split('L').length;
    // One vertex for each sample; for the live updates the spike and the last.
    expect(verticesOf([...sampled, ...live])).toBe(4 + 2);
    expect(verticesOf(live)).toBe(9);
    const moving = [100, 130, 110, 140].map((price, at) =>
      pointOf(scriptedUpdate('a', String(price), S + at * 10, { expo: 0, isBackfilled: true })),
    );
    expect(verticesOf([...moving, ...live.filter(({ price }) => price < 500)])).toBe(4 + 1);
  });

  it('has numbers beside a high sparkline only', () => {
    const range = { fromMs: S * 1000, toMs: (S + 60) * 1000 };
    const high = sparklineOf(points([500, 700, 600]), range, { width: 300, height: 200 }, []);
    expect(high?.prices.length).toBeGreaterThan(1);
    expect(high?.plot.width).toBeLessThan(270);
    const low = sparklineOf(points([500, 700, 600]), range, { width: 300, height: 80 }, []);
    expect([low?.prices, low?.plot]).toEqual([[], { width: 300, height: 80 }]);
  });

  it('is a sparkline within its bounds, with a line for each unbroken part', () => {
    const range = { fromMs: S * 1000, toMs: (S + 60) * 1000 };
    const size = { width: 200, height: 80 };
    const spark = sparklineOf(
      [
        ...points([5, 7, 6]),
        ...points([8, 9]).map(({ update }) =>
          pointOf({
            ...update,
            publishTimeS: update.publishTimeS + 40,
            receivedMs: update.receivedMs + 40_000,
          }),
        ),
      ],
      range,
      size,
      [{ kind: 'unknown', fromS: S + 2, untilS: S + 40 }],
    );
    const places = [...(spark?.line.matchAll(/(-?[\d.]+) (-?[\d.]+)/g) ?? [])].map(([, x, y]) => [
      Number(x),
      Number(y),
    ]);
    expect(spark?.line.match(/M/g)).toHaveLength(2);
    expect(places.every(([x = -1, y = -1]) => x >= 0 && x <= 200 && y >= 0 && y <= 80)).toBe(true);
    expect(sparklineOf(points([1]), { ...range, fromMs: range.toMs }, size, [])).toBeUndefined();
  });
});

it('a sparkline’s high and low include the price in force when its window begins', () => {
  const publishedAt = (price: string, atS: number, prevPublishTimeS?: number) =>
    pointOf(scriptedUpdate('a', price, S + atS, { prevPublishTimeS }));
  const range = { fromMs: (S + 60) * 1000, toMs: (S + 360) * 1000 };
  const extremesOf = (prevPublishTimeS?: number) => {
    const updates = [
      publishedAt('105', 0),
      publishedAt('100', 160, prevPublishTimeS),
      publishedAt('101', 170, S + 160),
    ];
    const { lowest, highest } = sparklineOf(updates, range, { width: 200, height: 80 }, [])?.extremes ?? {};
    return [lowest?.price, highest?.price];
  };
  expect(extremesOf(S)).toEqual([1, 1.05]);
  // Another update may have been missed in between.
  expect(extremesOf()).toEqual([1, 1.01]);
});

describe('a gap in a sparkline', () => {
  const range = { fromMs: S * 1000, toMs: (S + 1_800) * 1000 };
  const rules = { floors: { lateS: 5, staleS: 60 }, sampledEveryS: 300 };
  const fetched = (seconds: readonly number[]) =>
    seconds.map((at) => pointOf(scriptedUpdate('a', '1', S + at, { prevPublishTimeS: S + at - 1 })));
  const hole = [...Array.from({ length: 60 }, (_, index) => index * 10), 1_140, 1_200, 1_260, 1_500, 1_790];

  it('is left empty for nine minutes of half an hour, even after thinning', () => {
    const points = fetched(hole);
    const gaps = sparklineGaps(points, range, rules);
    expect(gaps).toEqual([{ kind: 'unknown', fromS: S + 590, untilS: S + 1_140 }]);
    const spark = sparklineOf(points, range, { width: 200, height: 80 }, gaps);
    expect(spark?.line.match(/M/g)).toHaveLength(2);
    expect(spark?.shades).toEqual([{ kind: 'unknown', left: 65.6, width: 61.1 }]);
  });

  it('does not arise from updates that are folded for a board', () => {
    const arrived = [0, 1, 3, 5, 6, 8].map((at) => {
      const update = scriptedUpdate('a', '1', S + at, { prevPublishTimeS: S + at - 1 });
      return pointOf(update, { nowMs: update.receivedMs, skewMs: 0 });
    });
    expect(sparklineGaps(arrived, range, rules)).toEqual([]);
  });

  it('at its end is a closed market', () => {
    const market = { schedule: 'Etc/UTC;C,C,C,C,C,C,C;' };
    const edge = { nowS: S + 1_800, link: 'up' as const };
    expect(sparklineGaps(fetched([0, 1, 2]), range, { ...rules, market, edge })).toEqual([
      { kind: 'closed', fromS: S + 2, untilS: S + 1_800, isOpen: true },
    ]);
    expect(
      sparklineGaps(fetched([0, 1, 2]), range, { ...rules, market: { areHoursPending: true }, edge }),
    ).toEqual([{ kind: 'unjudged', fromS: S + 2, untilS: S + 1_800, isOpen: true }]);
  });
});

const NOW = 1_000_000_000_000;

describe('the window of a chart', () => {
  it('becomes live at the present, and stays within its bounds', () => {
    expect(panned({ spanMs: 60_000 }, -30_000, NOW)).toEqual({ spanMs: 60_000, toMs: NOW - 30_000 });
    expect(panned({ spanMs: 60_000, toMs: NOW - 10_000 }, 20_000, NOW)).toEqual({ spanMs: 60_000 });
    expect(zoomed({ spanMs: 60_000 }, 0.001, NOW, NOW)).toEqual({ spanMs: 10_000 });
    const still = { spanMs: 60_000, toMs: NOW - 100_000 };
    expect(zoomed(still, 2, NOW - 130_000, NOW)).toEqual({ spanMs: 120_000, toMs: NOW - 70_000 });
  });

  it('is moved and stretched by keys', () => {
    expect(windowAfterKey({ spanMs: 60_000 }, 'ArrowLeft', NOW)).toEqual({
      spanMs: 60_000,
      toMs: NOW - 6_000,
    });
    expect(windowAfterKey({ spanMs: 60_000 }, '-', NOW)).toEqual({ spanMs: 90_000 });
    expect(windowAfterKey({ spanMs: 60_000, toMs: 1 }, 'End', NOW)).toEqual({ spanMs: 60_000 });
    expect(windowAfterKey({ spanMs: 60_000 }, 'x', NOW)).toBeUndefined();
  });
});
