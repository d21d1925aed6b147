import { describe, expect, it } from 'vitest';
import { samplePoint } from '@/lib/client/feed-samples-known';
import { DEFAULT_TIME_STYLE } from '@/lib/client/moment-text';
import { type ChartedFeed, type ChartScale, indexOf, pageFrameOf } from './page-frame';
import { timeAxisOf, timeLabel } from './time-axis';

const START_S = Date.UTC(2026, 10, 20, 12) / 1000;

function feed(name: string, prices: readonly (number | bigint)[], e = 0): ChartedFeed {
  const points = prices.map((price, at) =>
    samplePoint({ id: name, p: String(price), c: '1', e, t: START_S + at * 10, r: 0 }),
  );
  return { id: name, name, points, gapMs: 60_000 };
}

const frameOf = (feeds: readonly ChartedFeed[], scale: ChartScale) =>
  pageFrameOf(feeds, {
    fromMs: START_S * 1000,
    toMs: (START_S + 60) * 1000,
    width: 800,
    height: 400,
    scale,
  });
const heights = (frame: ReturnType<typeof frameOf>) =>
  frame.series.flatMap(({ points }) => points.flatMap(({ price }) => (price === null ? [] : [price])));

describe('the frame of the page’s chart', () => {
  it('holds every price and every band between its bottom and its top', () => {
    for (const [prices, e] of [
      [[100, 105, 98], 0],
      [[-3, -5, 0], -8],
      [[9_007_199_254_740_993n, 9_007_199_254_740_995n], 5],
      [[7, 7, 7], -18],
    ] as const) {
      const frame = frameOf([feed('a', prices, e)], 'price');
      expect(heights(frame).every((place) => place >= 0 && place <= 1)).toBe(true);
      const texts = frame.right.map(({ text }) => text);
      expect(texts.length).toBeGreaterThanOrEqual(2);
      expect(new Set(texts).size).toBe(texts.length);
    }
  });

  it('shows each feed as 100 where the chart begins, when they are indexed', () => {
    const frame = frameOf([feed('a', [100, 110]), feed('b', [2_000, 2_200])], 'indexed');
    const [a, b] = frame.series.map(({ points }) => points.map(({ price }) => price));
    expect(a).toEqual(b);
    expect(frame.right.some(({ text }) => Number(text) === 100)).toBe(true);
  });

  it('compares over the same time: 100 is where the feed begins that begins last', () => {
    const late = feed('late', [2_000, 2_200]);
    const points = late.points.map((point) => ({ ...point, atMs: point.atMs + 10_000 }));
    const frame = frameOf([feed('a', [50, 100, 110]), { ...late, points }], 'indexed');
    const [a, b] = frame.series.map((one) => one.points.map(({ price }) => price));
    expect(a?.slice(1)).toEqual(b);
  });

  it('leaves out what has no index: a price of zero at the beginning', () => {
    const frame = frameOf([feed('a', [100, 110]), feed('zero', [0, 1])], 'indexed');
    expect([frame.series.map(({ name }) => name), frame.leftOut]).toEqual([['a'], ['zero']]);
    expect([indexOf(-90, -100), indexOf(1, 0)]).toEqual([110, undefined]);
  });

  it('gives the first two feeds an axis each, and says which others it leaves out', () => {
    const feeds = [feed('a', [100, 110]), feed('b', [2, 3]), feed('c', [5, 6])];
    const frame = frameOf(feeds, 'axes');
    expect(frame.series.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(frame.leftOut).toEqual(['c']);
    expect(frame.left.length).toBeGreaterThan(1);
    expect(frame.left).not.toEqual(frame.right);
  });

  it('is empty without prices, and does not fail', () => {
    expect(frameOf([feed('a', [])], 'price')).toMatchObject({ right: [], left: [] });
    expect(frameOf([feed('a', []), feed('b', [])], 'indexed').right).toEqual([]);
  });
});

describe('the time axis', () => {
  const MINUTE = 60_000;
  it('has round times for every window, and room for their texts', () => {
    for (const minutes of [1, 5, 15, 60, 360, 1_440, 10_080]) {
      for (const width of [300, 700, 1_300]) {
        const { ticks, tickMs } = timeAxisOf(START_S * 1000 - minutes * MINUTE, START_S * 1000, width);
        expect(ticks.length).toBeGreaterThanOrEqual(1);
        expect(ticks.length * 85).toBeLessThanOrEqual(width + 85);
        expect(ticks.every((tick) => tick % tickMs === 0)).toBe(true);
      }
    }
  });

  it('writes seconds, minutes or days', () => {
    const at = START_S * 1000;
    expect(timeLabel(at, 10_000, DEFAULT_TIME_STYLE)).toBe('12:00:00');
    expect(timeLabel(at, MINUTE, DEFAULT_TIME_STYLE)).toBe('12:00');
    expect(timeLabel(at - 720 * MINUTE, 360 * MINUTE, DEFAULT_TIME_STYLE)).toBe('11-20');
    expect(timeLabel(at, 2_880 * MINUTE, DEFAULT_TIME_STYLE)).toBe('11-20');
  });
});
