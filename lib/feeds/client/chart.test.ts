import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CompactFeed } from '@/lib/feeds/stream-events';
import { ScriptedBrowser, scriptedUpdate } from './browser-fixtures';
import {
  axisText,
  baseOf,
  chartRows,
  type DrawingAsked,
  decimate,
  drawPage,
  niceTicks,
  panned,
  plotted,
  sparklineGaps,
  sparklineOf,
  timeAxisOf,
  windowAfterKey,
  zoomed,
} from './chart';
import { exactPrice, type FeedPoint, pointOf } from './history';
import { FeedStore } from './store';

const S = 1_000;
const points = (prices: readonly (bigint | number)[], stepS = 1, e = 0) =>
  prices.map((price, at) => pointOf(scriptedUpdate('a', String(price), S + at * stepS, { e })));
const GAP_MS = 15_000;
const isLong = (before: FeedPoint, after: FeedPoint) => after.atMs - before.atMs > GAP_MS;
const ZERO = { mantissa: 0n, expo: 0 };

it('points as differences from a base keep apart prices of twenty digits, and of different exponents', () => {
  const many = points([12_345_678_901_234_567_890n, 12_345_678_901_234_567_891n]);
  const base = baseOf(many[0]?.update ?? expect.fail());
  const heights = plotted(many, base).map(({ price }) => price);
  expect((heights[1] ?? 0) - (heights[0] ?? 0)).toBe(1);
  expect(axisText(heights[1] ?? 0, base)).toBe('12,345,678,901,234,567,891');
  const other = pointOf(scriptedUpdate('a', '12', S, { e: 1 }));
  const hundred = exactPrice(scriptedUpdate('a', '100', S, { e: 0 }));
  expect(plotted([other], hundred).map(({ price }) => price)).toEqual([20]);
});

describe('what a chart draws', () => {
  const anyPoints = fc
    .array(
      fc.record({ gap: fc.integer({ min: 0, max: 20_000 }), price: fc.integer({ min: -1000, max: 1000 }) }),
    )
    .map((steps) => {
      let atMs = S * 1000;
      return steps.map(({ gap, price }): FeedPoint => {
        atMs += gap;
        const update = scriptedUpdate('a', String(price), Math.floor(atMs / 1000), { e: 0 });
        return { ...pointOf(update), atMs };
      });
    });

  it('has the lowest, the highest and the last price, bounded by the columns, and is broken at every gap', () => {
    fc.assert(
      fc.property(anyPoints, (some) => {
        const vertices = decimate(plotted(some, ZERO), 6_000, isLong);
        const prices = vertices.flatMap(({ price }) => price ?? []);
        const all = some.map(({ price }) => price);
        if (some.length > 0) {
          expect([Math.min(...prices), Math.max(...prices), prices.at(-1)]).toEqual([
            Math.min(...all),
            Math.max(...all),
            all.at(-1),
          ]);
        }
        const gaps = some.filter((point, at) => at > 0 && isLong(some[at - 1] ?? point, point)).length;
        expect(vertices.filter(({ price }) => price === null)).toHaveLength(gaps);
        expect(vertices.every(({ atMs }, at) => at === 0 || atMs >= (vertices[at - 1]?.atMs ?? 0))).toBe(
          true,
        );
      }),
    );
    const dense = Array.from({ length: 10_000 }, (_, at) => {
      const point = pointOf(scriptedUpdate('a', String(Math.round(1e6 * Math.sin(at))), S, { e: 0 }));
      return { ...point, atMs: S * 1000 + at * 6 };
    });
    expect(decimate(plotted(dense, ZERO), 6_000, isLong).length).toBeLessThanOrEqual(3 * 11);
  });

  it('is a sparkline within its place, with a line for each unbroken part', () => {
    const range = { fromMs: S * 1000, toMs: (S + 60) * 1000 };
    const size = { width: 200, height: 80 };
    const spark = sparklineOf(
      [
        ...points([5, 7, 6]),
        ...points([8, 9]).map(({ update }) => pointOf({ ...update, t: update.t + 40, r: update.r + 40_000 })),
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

describe('what a sparkline lacks', () => {
  const range = { fromMs: S * 1000, toMs: (S + 1_800) * 1000 };
  const rules = { floors: { lateS: 5, staleS: 60 }, sampledEveryS: 300 };
  const fetched = (seconds: readonly number[]) =>
    seconds.map((at) => pointOf(scriptedUpdate('a', '1', S + at, { pp: S + at - 1 })));
  const hole = [...Array.from({ length: 60 }, (_, at) => at * 10), 1_140, 1_200, 1_260, 1_500, 1_790];

  it('is a hole of nine minutes in half an hour, though it was thinned out, and no line is drawn over it', () => {
    const points = fetched(hole);
    const gaps = sparklineGaps(points, range, rules);
    expect(gaps).toEqual([{ kind: 'unknown', fromS: S + 590, untilS: S + 1_140 }]);
    const spark = sparklineOf(points, range, { width: 200, height: 80 }, gaps);
    expect(spark?.line.match(/M/g)).toHaveLength(2);
    expect(spark?.shades).toEqual([{ kind: 'unknown', left: 65.6, width: 61.1 }]);
  });

  it('is none of the updates that are folded for a board', () => {
    const heard = [0, 1, 3, 5, 6, 8].map((at) => {
      const update = scriptedUpdate('a', '1', S + at, { pp: S + at - 1 });
      return pointOf(update, { nowMs: update.r, skewMs: 0 });
    });
    expect(sparklineGaps(heard, range, rules)).toEqual([]);
  });

  it('is a closed market at its end', () => {
    const market = { schedule: 'Etc/UTC;C,C,C,C,C,C,C;' };
    const edge = { nowS: S + 1_800, link: 'up' as const };
    expect(sparklineGaps(fetched([0, 1, 2]), range, { ...rules, market, edge })).toEqual([
      { kind: 'closed', fromS: S + 2, untilS: S + 1_800, isOpen: true },
    ]);
  });
});

const [A, B] = ['a'.repeat(64), 'b'.repeat(64)] as const;
const NOW_S = 1_000_000_000;
const NOW = NOW_S * 1000;

/** A page whose stream has brought these updates. */
function drawn(updates: readonly CompactFeed[], scale: DrawingAsked['scale'] = 'price', spanMs = 60_000) {
  const browser = new ScriptedBrowser();
  const store = new FeedStore(browser.edges);
  const ids = [...new Set(updates.map(({ id }) => id))];
  store.watch(ids);
  store.setPaused(false);
  browser.source.open();
  browser.source.send('snapshot', { feeds: [], missing: [], connection: { state: 'live', sinceMs: 0 } });
  for (const update of updates) {
    browser.timers.nowMs = update.r;
    browser.source.send('update', { feeds: [update] });
  }
  browser.timers.nowMs = NOW;
  browser.paint();
  const feeds = ids.map((id) => ({ id, symbol: id.slice(0, 1) }));
  const floors = { lateS: 5, staleS: 60 };
  return drawPage(store, { feeds, window: { spanMs }, scale, width: 800, height: 400, floors });
}

const series = (id: string, prices: readonly (number | bigint)[], e = 0) =>
  prices.map((price, at) => {
    const t = NOW_S - prices.length + at;
    return scriptedUpdate(id, String(price), t, { e, pp: t - 1 });
  });

describe('the chart of a page', () => {
  it('compares by an index of 100 where all have begun, and says what can’t be indexed', () => {
    const { feeds } = drawn([...series(A, [100, 110]), ...series(B, [50_000, 50_000])], 'indexed');
    const ends = feeds.map(({ vertices }) => vertices?.at(-1)?.price ?? 0);
    expect(ends).toEqual([110, 100]);
    const zero = drawn([...series(A, [100, 110]), ...series(B, [0, 0])], 'indexed');
    expect(zero.feeds.map(({ vertices }) => vertices === undefined)).toEqual([false, true]);
  });

  it('gives two feeds an axis each, and leaves a third out', () => {
    const third = series('c'.repeat(64), [1, 2]);
    const { feeds, leftPx } = drawn([...series(A, [1, 2]), ...series(B, [5, 6]), ...third], 'axes');
    expect(feeds.map(({ base, vertices }) => [base?.mantissa, vertices?.length])).toEqual([
      [0n, 2],
      [0n, 2],
      [undefined, undefined],
    ]);
    expect(leftPx).toBeGreaterThan(0);
  });

  it('shows a gap as one: what we missed by the word of the service, and what the feed did not publish', () => {
    const told = [
      scriptedUpdate(A, '1', NOW_S - 50, { pp: NOW_S - 51 }),
      scriptedUpdate(A, '2', NOW_S - 30, { pp: NOW_S - 31 }),
    ];
    const silent = scriptedUpdate(A, '3', NOW_S - 2, { pp: NOW_S - 30 });
    const [feed] = drawn([...told, silent]).feeds;
    expect(feed?.gaps.map(({ kind, fromS, untilS }) => [kind, fromS - NOW_S, untilS - NOW_S])).toEqual([
      ['missed', -50, -31],
      ['silent', -30, -2],
    ]);
    expect(feed?.vertices?.filter(({ price }) => price === null).length).toBe(2);
  });

  const every = (id: string, agosS: readonly number[], price: number, more: Partial<CompactFeed> = {}) =>
    agosS.map((agoS) => scriptedUpdate(id, String(price), NOW_S - agoS, { pp: NOW_S - agoS - 1, ...more }));
  const seconds = (fromS: number, untilS: number) =>
    Array.from({ length: fromS - untilS }, (_, at) => fromS - at);

  it.each(['price', 'indexed', 'axes'] as const)(
    'draws no line over nine minutes (%s), alone or beside another feed',
    (scale) => {
      const holed = [...every(A, seconds(840, 600), 100), ...every(A, seconds(60, 0), 110)];
      const other = every(B, seconds(840, 0), 50);
      const { feeds } = drawn(
        [...holed, ...other].sort((one, two) => one.t - two.t),
        scale,
        3_600_000,
      );
      expect(feeds[0]?.gaps).toEqual([{ kind: 'missed', fromS: NOW_S - 601, untilS: NOW_S - 61 }]);
      expect(feeds[1]?.gaps).toEqual([]);
      const inHole = chartRows(feeds).filter(({ atMs }) => atMs > NOW - 600_000 && atMs < NOW - 62_000);
      expect(inHole.length).toBeGreaterThan(10);
      for (const { drawn: vertices } of inHole)
        expect([vertices[0]?.price ?? null, vertices[0]?.ema ?? null, vertices[0]?.band ?? null]).toEqual([
          null,
          null,
          null,
        ]);
      expect(inHole.every(({ drawn: lines }) => typeof lines[1]?.price === 'number')).toBe(true);
    },
  );

  it('says where its window has nothing, at both ends, once its past was asked for', () => {
    const store = new FeedStore(new ScriptedBrowser().edges);
    store.watch([A]);
    store.takeSamples(every(A, [2_400, 2_310, 2_220], 100, { f: 1, pp: undefined }));
    const asked = {
      feeds: [{ id: A, symbol: 'A' }],
      window: { spanMs: 1_800_000, toMs: NOW - 1_200_000 },
      ...{ scale: 'price' as const, width: 800, height: 400, floors: { lateS: 5, staleS: 60 } },
    };
    const gapsOf = (isFilled: boolean) =>
      drawPage(store, { ...asked, isFilled }).feeds[0]?.gaps.map(({ kind, fromS, untilS }) => [
        kind,
        fromS - NOW_S,
        untilS - NOW_S,
      ]);
    expect(gapsOf(true)).toEqual([
      ['unknown', -3_000, -2_400],
      ['unknown', -2_220, -1_200],
    ]);
    expect(gapsOf(false)).toEqual([['unknown', -2_220, -1_200]]);
  });

  it('calls a weekend of seven days a closed market, by the schedule of the board', () => {
    const browser = new ScriptedBrowser();
    // 2001-09-09, a Sunday: NOW is the early morning of it.
    const store = new FeedStore(browser.edges);
    store.watch([A]);
    const hours = Array.from({ length: 28 }, (_, at) => 6 * (28 - at)).filter((ago) => ago * 3_600 > 100_000);
    store.takeSamples(
      every(
        A,
        hours.map((ago) => ago * 3_600),
        100,
        { f: 1, pp: undefined },
      ),
    );
    const { feeds } = drawPage(store, {
      feeds: [{ id: A, symbol: 'A', schedule: 'Etc/UTC;O,O,O,O,0000-2100,C,C;' }],
      window: { spanMs: 7 * 86_400_000, toMs: NOW },
      ...{ scale: 'price', width: 800, height: 400, floors: { lateS: 5, staleS: 60 } },
    });
    const closesS = Date.parse('2001-09-07T21:00Z') / 1000;
    expect(feeds[0]?.gaps.map(({ kind, fromS, untilS }) => [kind, fromS, untilS])).toEqual([
      ['closed', closesS, NOW_S],
    ]);
  });

  it('is one table, in which each line goes straight to its next vertex, and its last update is in force until then', () => {
    const vertex = (atMs: number, price: number | null) => ({ atMs, price, band: null, ema: price });
    const feed = { id: '', symbol: '', gaps: [], seen: [], liveFromMs: 0 };
    const rows = chartRows([
      { ...feed, tone: 0, vertices: [vertex(0, 0), vertex(10, 1), vertex(15, null), vertex(20, 0)] },
      { ...feed, tone: 1, vertices: [vertex(5, 1), vertex(17, 1)] },
    ]);
    const of = (vertices: (typeof rows)[number]['drawn']) => vertices.map((one) => one?.price ?? null);
    const steps = [
      [0, 0, null],
      [5, 0.5, 1],
      [10, 1, 1],
      [15, null, 1],
      [17, null, 1],
      [20, 0, null],
    ];
    expect(rows.map(({ atMs, drawn: lines }) => [atMs, ...of(lines)])).toEqual(steps);
    expect(rows.map(({ inForce }) => of(inForce)[0])).toEqual([0, 0, 1, null, null, 0]);
  });
});

describe('the window of a chart', () => {
  it('is live again at the present, and stays within its bounds', () => {
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

  it('has round prices around what is drawn', () => {
    expect(niceTicks(3, 41, 4, 1)).toEqual([0, 10, 20, 30, 40, 50]);
    expect(niceTicks(7, 7, 4, 1)).toEqual([7, 8]);
    expect(niceTicks(-0.4, 0.5, 3, 0)).toEqual([-0.5, 0, 0.5]);
  });

  it('has ticks on round times, as fine as they need', () => {
    const { ticks, unit } = timeAxisOf({ fromMs: NOW - 300_000, toMs: NOW }, 800);
    expect([ticks.every((at) => at % 60_000 === 0), ticks.length, unit]).toEqual([true, 5, 'minute']);
  });
});
