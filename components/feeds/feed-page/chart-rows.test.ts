import { describe, expect, it } from 'vitest';
import { chartRows } from './chart-rows';
import type { PageSeries } from './page-frame';

function series(tone: number, points: [atMs: number, price: number | null][]): PageSeries {
  return {
    id: String(tone),
    name: String(tone),
    tone,
    points: points.map(([atMs, price]) => ({ atMs, price, band: null })),
    placeOf: (price) => price,
  };
}

describe('the table of several lines', () => {
  it('gives each line a height where another has a vertex, on its own straight course', () => {
    const rows = chartRows([
      series(0, [
        [0, 0],
        [10, 1],
      ]),
      series(1, [
        [0, 0.5],
        [5, 0.7],
        [10, 0.5],
      ]),
    ]);
    expect(rows).toEqual([
      { atMs: 0, y0: 0, y1: 0.5 },
      { atMs: 5, y0: 0.5, y1: 0.7 },
      { atMs: 10, y0: 1, y1: 0.5 },
    ]);
  });

  it('has nothing within a gap, before the first and after the last vertex', () => {
    const rows = chartRows([
      series(0, [
        [2, 1],
        [4, null],
        [6, 1],
      ]),
      series(1, [
        [0, 0],
        [3, 0],
        [5, 0],
        [8, 0],
      ]),
    ]);
    expect(rows.map(({ y0 }) => y0)).toEqual([null, 1, null, null, null, 1, null]);
  });
});
