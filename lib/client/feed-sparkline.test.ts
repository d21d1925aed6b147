import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { axisTickText } from '@/lib/domain/price-axis';
import { scaledToNumber } from '@/lib/domain/scaled-number';
import type { FeedPoint } from './feed-history';
import { type SparkLook, spanFor, sparklineOf } from './feed-sparkline';

const LOOK: SparkLook = {
  fromMs: 0,
  toMs: 100_000,
  width: 200,
  height: 50,
  steps: 3,
  usualPauseMs: 1_000,
  marks: [],
};

function point(atMs: number, p: string, e = -2, more: { c?: string; ep?: string } = {}): FeedPoint {
  const { c = '0', ep } = more;
  const update = { id: 'a', p, c, e, t: Math.floor(atMs / 1000), r: atMs, ep };
  const number = (text: string) => scaledToNumber({ mantissa: BigInt(text), expo: e });
  return { atMs, price: number(p), conf: number(c), exact: { p, e }, update };
}

function placesOf(path: string): [number, number][] {
  return [...path.matchAll(/(-?[\d.]+) (-?[\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)]);
}

function drawn(points: readonly FeedPoint[], look: Partial<SparkLook> = {}) {
  const spark = sparklineOf(points, { ...LOOK, ...look });
  if (spark === undefined) throw new Error('nothing is drawn');
  return spark;
}

describe('a sparkline', () => {
  it('is none where nothing was published in the window', () => {
    expect(sparklineOf([], LOOK)).toBeUndefined();
    expect(sparklineOf([point(-5_000, '1')], LOOK)).toBeUndefined();
  });

  it('has its highest price at the top, its latest at the right', () => {
    const spark = drawn([point(90_000, '100'), point(95_000, '300'), point(100_000, '200')]);
    const [first, highest, last] = placesOf(spark.line);
    expect(first?.[0]).toBe(180);
    expect(highest?.[1]).toBeLessThan(last?.[1] ?? 0);
    expect(last?.[1]).toBeLessThan(first?.[1] ?? 0);
    expect(spark.last).toEqual({ x: 200, y: last?.[1] });
  });

  it('spans less than its window while there is no earlier price', () => {
    const spans = [1_000, 61_000, 250_000, 400_000].map((agoMs) => spanFor([point(-agoMs, '1')], 0, 300_000));
    expect(spans).toEqual([60_000, 120_000, 300_000, 300_000]);
    expect(spanFor([], 0, 300_000)).toBe(60_000);
  });

  it('stays within the plot, band and all, whatever the digits and exponents', () => {
    const mantissa = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });
    const expo = fc.constantFrom(-18, -8, 0, 5);
    const prices = fc.array(fc.tuple(mantissa, fc.bigInt({ min: 0n, max: 10n ** 12n })), { minLength: 1 });
    fc.assert(
      fc.property(prices, expo, (list, e) => {
        const points = list.map(([p, c], at) => point(50_000 + at * 100, String(p), e, { c: String(c) }));
        const spark = drawn(points);
        for (const [x, y] of [...placesOf(spark.line), ...placesOf(spark.band)]) {
          expect(x).toBeGreaterThanOrEqual(0);
          expect(x).toBeLessThanOrEqual(LOOK.width);
          expect(y).toBeGreaterThanOrEqual(-0.1);
          expect(y).toBeLessThanOrEqual(LOOK.height + 0.1);
        }
      }),
    );
  });

  it('tells prices apart that are one as floating-point numbers, and so does its axis', () => {
    const long = '1'.repeat(24);
    const spark = drawn([point(99_000, `${long}1`, -18), point(100_000, `${long}9`, -18)]);
    const [low, high] = placesOf(spark.line);
    expect((low?.[1] ?? 0) - (high?.[1] ?? 0)).toBeGreaterThan(20);
    const labels = spark.axis.ticks.map((tick) => axisTickText(tick, spark.axis));
    expect(new Set(labels).size).toBe(labels.length);
  });

  it('is broken where nothing came for longer than the feed pauses', () => {
    const points = [point(10_000, '1'), point(11_000, '2'), point(60_000, '3'), point(61_000, '1')];
    expect(drawn(points).line.match(/M/g)).toHaveLength(2);
    expect(drawn(points, { usualPauseMs: 20_000 }).line.match(/M/g)).toHaveLength(1);
  });

  it('says on which side an EMA lies that is off the scale', () => {
    const emaAt = (ep: string) => drawn([point(1_000, '100'), point(2_000, '200', -2, { ep })]).emaPlace;
    expect(emaAt('150')).toBe('inside');
    expect(emaAt('900')).toBe('above');
    expect(emaAt('-900')).toBe('below');
    expect(drawn([point(1_000, '100')]).emaPlace).toBeUndefined();
  });

  it('shades outages, up to now where they go on', () => {
    const marks = [
      { key: 'a', kind: 'outage', fromMs: -10_000, untilMs: 50_000 },
      { key: 'c', kind: 'host', fromMs: 70_000 },
      { key: 'd', kind: 'outage', fromMs: 75_000 },
    ] as const;
    expect(drawn([point(40_000, '1')], { marks }).outages).toEqual([
      { key: 'a', x: 0, width: 100 },
      { key: 'd', x: 150, width: 50 },
    ]);
  });
});
