import { describe, expect, it } from 'vitest';
import {
  extremesOf,
  FeedHistory,
  type FeedPoint,
  HISTORY_MAX_POINTS,
  HISTORY_WINDOW_MS,
  pointTimeMs,
} from './feed-history';

function point(atMs: number, price = atMs): FeedPoint {
  return { atMs, price, conf: 0, exact: { p: String(price), e: 0 } };
}

describe('the history of a feed', () => {
  it('drops what is older than its window, but one point from which the line enters', () => {
    const history = new FeedHistory();
    history.add([point(0), point(1), point(2)]);
    history.add([point(HISTORY_WINDOW_MS + 2)]);
    expect(history.points().map(({ atMs }) => atMs)).toEqual([1, 2, HISTORY_WINDOW_MS + 2]);
  });

  it('keeps no more than its bound, whatever the rate', () => {
    const history = new FeedHistory();
    history.add(Array.from({ length: HISTORY_MAX_POINTS * 3 }, (_, index) => point(index)));
    expect(history.points()).toHaveLength(HISTORY_MAX_POINTS);
    expect(history.points().at(-1)?.atMs).toBe(HISTORY_MAX_POINTS * 3 - 1);
  });

  it('never lets time run backwards', () => {
    const history = new FeedHistory();
    history.add([point(10), point(5, 7), point(11)]);
    expect(history.points().map(({ atMs, price }) => [atMs, price])).toEqual([
      [10, 10],
      [10, 7],
      [11, 11],
    ]);
  });

  it('leaves a list alone that was handed out before', () => {
    const history = new FeedHistory();
    history.add([point(1)]);
    const before = history.points();
    history.add([point(2)]);
    expect(before).toHaveLength(1);
    expect(history.version).toBe(2);
  });

  it('finds the lowest and the highest point', () => {
    expect(extremesOf([point(1, 5), point(2, -3), point(3, 9)])).toMatchObject({
      lowest: { price: -3 },
      highest: { price: 9 },
    });
    expect(extremesOf([])).toBeUndefined();
  });
});

describe('the place of an update on the time axis', () => {
  it('is when it was received, while that is soon after its second', () => {
    expect(pointTimeMs(100, 100_700, 0)).toBe(100_700);
  });

  it('is near its publish time when it was fetched long after', () => {
    expect(pointTimeMs(100, 900_000, 0)).toBe(102_000);
  });

  it('is never before its publish time, and is corrected by the difference of the clocks', () => {
    expect(pointTimeMs(100, 40_000, 0)).toBe(100_000);
    expect(pointTimeMs(100, 700_300, 600_000)).toBe(100_300);
  });
});
