import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CompactFeed } from '@/lib/contract/codec/feed-stream';
import {
  BOARD_HISTORY,
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

  it('of a tile keeps half an hour: five minutes whole, and before that the extremes of every 10 s', () => {
    const history = new FeedHistory(BOARD_HISTORY);
    // Two a second for half an hour, with one spike that must not get lost.
    const priceAt = (index: number) => (index === 501 ? 1_000_000 : index % 7);
    for (let index = 0; index < 3_600; index += 1) history.add([point(index * 500, priceAt(index))]);
    const points = history.points();
    const newestMs = 3_599 * 500;
    expect(points.filter(({ atMs }) => atMs >= newestMs - HISTORY_WINDOW_MS)).toHaveLength(601);
    expect(points.length).toBeLessThan(601 + 160 + 2 * 160 + 130);
    expect(points[0]?.atMs).toBeLessThan(10_000);
    expect(extremesOf(points)?.highest).toMatchObject({ atMs: 250_500, price: 1_000_000 });
    expect(points.map(({ atMs }) => atMs)).toEqual(points.map(({ atMs }) => atMs).toSorted((a, b) => a - b));
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

describe('what is put into a history afterwards', () => {
  const told = (t: number, p: string, more: Partial<CompactFeed> = {}): FeedPoint => {
    const update: CompactFeed = { id: 'aa', p, c: '0', e: 0, t, r: t * 1000, ...more };
    return { ...point(pointTimeMs(t, update.r, 0), Number(p)), exact: { p, e: 0 }, update };
  };
  const shown = (history: FeedHistory) => history.points().map(({ exact }) => exact.p);

  it('goes where it belongs in time', () => {
    const history = new FeedHistory();
    history.add([told(10, '1'), told(13, '4')]);
    history.merge([told(11, '2'), told(12, '3'), told(9, '0')]);
    expect(shown(history)).toEqual(['0', '1', '2', '3', '4']);
  });

  it('is there once, whichever way it came', () => {
    const history = new FeedHistory();
    history.add([told(10, '1', { s: '7' })]);
    history.merge([told(10, '1', { s: '7', r: 99_000 }), told(10, '1', { s: '8', r: 10_400 })]);
    expect(history.points().map(({ update }) => update?.s)).toEqual(['7', '8']);
  });

  it('keeps the order of one second by when our server received it', () => {
    const history = new FeedHistory();
    history.add([told(10, '2', { r: 10_600 })]);
    history.merge([told(10, '1', { r: 10_200 }), told(10, '3', { r: 10_900 })]);
    expect(shown(history)).toEqual(['1', '2', '3']);
  });

  it('ends up the same in any order, however often it comes, with time that never runs backwards', () => {
    const updates = fc.uniqueArray(fc.integer({ min: 0, max: 200 }), { maxLength: 40 });
    fc.assert(
      fc.property(updates, fc.array(fc.nat(10), { maxLength: 8 }), (times, cuts) => {
        const all = times.map((t) => told(t, String(t)));
        const history = new FeedHistory();
        let rest = all;
        for (const cut of cuts) {
          history.merge(rest.slice(0, cut));
          rest = rest.slice(Math.max(0, cut - 1));
        }
        history.merge(rest);
        expect(shown(history)).toEqual(times.toSorted((a, b) => a - b).map(String));
        const moments = history.points().map(({ atMs }) => atMs);
        expect(moments).toEqual(moments.toSorted((a, b) => a - b));
      }),
    );
  });

  it('is bounded like the rest', () => {
    const history = new FeedHistory({ windowMs: 5_000, maxPoints: 3 });
    history.add([told(100, '100')]);
    history.merge([told(1, '1'), told(96, '96'), told(97, '97'), told(98, '98')]);
    expect(shown(history)).toEqual(['97', '98', '100']);
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
