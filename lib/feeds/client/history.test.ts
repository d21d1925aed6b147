import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scriptedUpdate } from './browser-fixtures';
import { findGaps } from './chart';
import {
  type FeedPoint,
  findExtremes,
  pointOf,
  pointsInView,
  shortText,
  updateKey,
  windowStart,
  withLate,
  withPoints,
} from './history';
import { updateCount } from './thinning';

const S = 1_700_000_000;
const update = (second: number, price = String(second), more: object = {}) =>
  scriptedUpdate('a', price, S + second, more);
const prices = (points: readonly FeedPoint[]) => points.map((point) => point.update.price.mantissa).join(' ');

it('an update is placed at its time of receipt within its second or two, otherwise at its publish time; a seed at its publish time', () => {
  const at = (receivedMs: number, more: object = {}) =>
    pointOf(update(0, '1', { receivedMs, ...more })).atMs - S * 1000;
  expect(at(S * 1000 + 700)).toBe(700);
  expect(at(S * 1000 + 900_000)).toBe(2_000);
  expect(at(S * 1000 - 5_000)).toBe(0);
  expect(at(S * 1000 + 700, { isBackfilled: true })).toBe(0);
  expect(pointOf(update(0), { nowMs: S * 1000 + 61_200, skewMs: 60_000 }).atMs).toBe(S * 1000 + 1_200);
});

describe('the history of a feed', () => {
  it('inserts a late update in order of time, and no update twice', () => {
    const points = [5, 6].map((second) => pointOf(update(second)));
    const late = [4, 5, 3].map((second) => pointOf(update(second)));
    expect(prices(withLate(points, late, 100))).toBe('3 4 5 6');
  });

  it('replaces a sample by a received update of the same second, whichever came first', () => {
    const sample = pointOf(update(4, '41', { isBackfilled: true }));
    const live = pointOf(update(4, '42'));
    expect([[sample], [live]].map((first) => prices(withLate(first, [sample, live], 100)))).toEqual([
      '42',
      '42',
    ]);
  });

  it('is bounded and in order of time for any input', () => {
    const anyUpdate = fc.record({ second: fc.nat(400), price: fc.integer({ min: -1000, max: 1000 }) });
    fc.assert(
      fc.property(fc.array(anyUpdate, { maxLength: 300 }), (updates) => {
        let points: FeedPoint[] = [];
        for (const { second, price } of updates)
          points = withLate(points, [pointOf(update(second, String(price)))], 40);
        expect(points.length).toBeLessThanOrEqual(40);
        expect(points.every(({ atMs }, index) => index === 0 || atMs >= (points[index - 1]?.atMs ?? 0))).toBe(
          true,
        );
        expect(new Set(points.map((point) => updateKey(point.update))).size).toBe(points.length);
      }),
    );
  });

  it('thins its oldest live updates instead of forgetting them: every spike, sample and gap stays', () => {
    const sample = pointOf(update(-600, '7', { isBackfilled: true }));
    let points: readonly FeedPoint[] = [sample];
    const all = Array.from({ length: 400 }, (_, second) => {
      const price = second === 33 ? '1' : second === 77 ? '9999' : String(100 + (second % 7));
      const publishedAt = (nth: number) => (nth < 120 ? nth : nth + 30);
      return pointOf(update(publishedAt(second), price, { prevPublishTimeS: S + publishedAt(second - 1) }));
    });
    for (const point of all) points = withPoints(points, [point], 80);
    expect(points.length).toBeLessThanOrEqual(80);
    expect(points[0]).toBe(sample);
    expect(updateCount(points)).toBe(401);
    // An update that the server sends once more is counted once.
    expect(updateCount(withLate(points, all.slice(100, 110), 90))).toBe(401);
    const { lowest, highest } = findExtremes(points.slice(1)) ?? {};
    expect([lowest?.price, highest?.price]).toEqual([0.01, 99.99]);
    const gaps = findGaps(points.slice(1), { floors: { lateS: 5, staleS: 60 } });
    expect(gaps.map(({ fromS, untilS }) => [fromS - S, untilS - S])).toEqual([[119, 150]]);
  });

  it('returns a window with the point before it', () => {
    const points = [1, 5, 9, 12].map((second) => pointOf(update(second)));
    const view = pointsInView(points, { fromMs: (S + 4) * 1000, toMs: (S + 10) * 1000 });
    expect(view.map((point) => point.update.price.mantissa)).toEqual([1n, 5n, 9n]);
  });

  it('begins a window with the price in force at its start, or with the first known one', () => {
    const points = [1, 2, 3].map((second) => pointOf(update(second, String(second), { isBackfilled: true })));
    const start = (second: number) => windowStart(points, (S + second) * 1000)?.update.price.mantissa;
    expect([start(2.5), start(2), start(0), windowStart([], 5)]).toEqual([2n, 2n, 1n, undefined]);
  });

  it('begins a sampled window with its first sample, unless that names the one before as its predecessor', () => {
    const startOf = (more: object) =>
      windowStart(
        [0, 60].map((second) => pointOf(update(second, String(second), { isBackfilled: true, ...more }))),
        (S + 50) * 1000,
      )?.update.price.mantissa;
    expect(startOf({})).toBe(60n);
    expect(startOf({ prevPublishTimeS: S + 59 })).toBe(60n);
    expect(startOf({ prevPublishTimeS: S })).toBe(0n);
  });

  it('begins no window that has no price', () => {
    const points = [1, 2].map((second) => pointOf(update(second)));
    expect(windowStart(points, (S + 300) * 1000)).toBeUndefined();
  });
});

it('a short price has six digits, or two decimals for whole units', () => {
  const cases: [bigint, number, string][] = [
    [8_266_909_324_238n, -8, '82,669.09'],
    [11_883_948_402n, -8, '118.839'],
    [115_452n, -5, '1.15452'],
    [1_234_567n, -11, '0.0000123457'],
    [-3_917_439n, -3, '-3,917.44'],
    [12n, 5, '1,200,000'],
    [0n, -8, '0.00000'],
  ];
  for (const [mantissa, expo, text] of cases) expect(shortText({ mantissa, expo })).toBe(text);
});
