import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimate } from './feed-decimation';
import type { FeedPoint } from './feed-history';

function point(atMs: number, price: number, conf = 0): FeedPoint {
  return { atMs, price, conf, exact: { p: String(price), e: 0 } };
}

const frame = { fromMs: 0, toMs: 10_000, columns: 10, gapMs: 60_000 };

const anyPoints = fc
  .array(
    fc.record({
      atMs: fc.integer({ min: 0, max: 10_000 }),
      price: fc.integer({ min: -1_000, max: 1_000 }),
      conf: fc.integer({ min: 0, max: 50 }),
    }),
    { maxLength: 400 },
  )
  .map((raw) => raw.map(({ atMs, price, conf }) => point(atMs, price, conf)).sort((a, b) => a.atMs - b.atMs));

const columnOf = (atMs: number) => Math.floor(atMs / 1_000);

describe('decimation', () => {
  it('keeps the lowest and the highest price of every pixel column', () => {
    fc.assert(
      fc.property(anyPoints, (points) => {
        const drawn = decimate(points, frame);
        for (const column of new Set(points.map(({ atMs }) => columnOf(atMs)))) {
          const seen = points.filter(({ atMs }) => columnOf(atMs) === column).map(({ price }) => price);
          const kept = drawn.flatMap(({ atMs, price }) => (columnOf(atMs) === column ? [price] : []));
          expect(kept).toContain(Math.min(...seen));
          expect(kept).toContain(Math.max(...seen));
        }
      }),
    );
  });

  it('draws the last EMA of a column, and none where none is known', () => {
    const points = [{ ...point(100, 5), ema: 4 }, { ...point(200, 7), ema: 4.5 }, point(1_500, 6)];
    expect(decimate(points, frame).map(({ ema }) => ema)).toEqual([4.5, 4.5, undefined]);
  });

  it('never draws more than two points for a column, and one more for the live edge', () => {
    fc.assert(
      fc.property(anyPoints, (points) => {
        expect(decimate(points, frame).length).toBeLessThanOrEqual(2 * 11 + 1);
      }),
    );
  });

  it('draws only prices that were seen, in the order of time', () => {
    fc.assert(
      fc.property(anyPoints, (points) => {
        const drawn = decimate(points, frame);
        const seen = new Set(points.map(({ atMs, price }) => `${atMs} ${price}`));
        expect(drawn.every(({ atMs, price }) => seen.has(`${atMs} ${price}`))).toBe(true);
        expect(drawn.map(({ atMs }) => atMs)).toEqual(drawn.map(({ atMs }) => atMs).sort((a, b) => a - b));
      }),
    );
  });

  it('keeps a spike that lasts one update', () => {
    const calm = Array.from({ length: 500 }, (_, index) => point(index, 100));
    const prices = decimate([...calm, point(500, 900), point(501, 100)], frame).map(({ price }) => price);
    expect(prices).toContain(900);
  });

  it('ends with the last price even when it is neither the lowest nor the highest of its column', () => {
    const drawn = decimate([point(1, 5), point(2, 1), point(3, 9), point(4, 4)], frame);
    expect(drawn.at(-1)).toMatchObject({ atMs: 4, price: 4 });
  });

  it('covers the bands of all points of a column', () => {
    const drawn = decimate([point(1, 10, 1), point(2, 11, 5), point(3, 9, 1)], frame);
    expect(drawn[0]?.band).toEqual([6, 16]);
  });

  it('breaks the line where nothing came for longer than the gap', () => {
    const drawn = decimate([point(0, 1), point(100, 2), point(9_000, 3)], { ...frame, gapMs: 5_000 });
    expect(drawn.map(({ price }) => price)).toEqual([1, 2, null, 3]);
  });

  it('breaks the line at a gap that is named, however short, and nowhere else', () => {
    const points = [0, 600, 1_200, 1_800, 3_100, 3_900].map((atMs) => point(atMs, atMs));
    const drawn = decimate(points, { ...frame, columns: 1_000, breaks: [{ fromS: 1, untilS: 2 }] });
    expect(drawn.map(({ price }) => price)).toEqual([0, 600, 1_200, 1_800, null, 3_100, 3_900]);
  });

  it('keeps the last point before the window, so that the line enters from the left', () => {
    const drawn = decimate([point(1, 1), point(2, 2), point(500, 3)], { ...frame, fromMs: 400 });
    expect(drawn.map(({ price }) => price)).toEqual([2, 3]);
  });

  it('draws nothing of nothing', () => {
    expect(decimate([], frame)).toEqual([]);
  });
});
