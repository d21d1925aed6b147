import { describe, expect, it } from 'vitest';
import { tickText } from '@/components/ui/charts/time-axis';
import { shownMoment, zoneOffsetMs } from '@/lib/core/time-text';
import type { PriceUpdate } from '@/lib/feeds/price-update';
import { niceTicks, timeAxisOf } from './axes';
import { ScriptedBrowser, scriptedUpdate } from './browser-fixtures';
import { chartRows, type DrawingOptions, drawPage, gapNames, gapTotals } from './page-drawing';
import { FeedStore } from './store';

const [A, B] = ['a'.repeat(64), 'b'.repeat(64)] as const;
const NOW_S = 1_000_000_000;
const NOW = NOW_S * 1000;

/** @param updates delivered by the stream */
function drawn(
  updates: readonly PriceUpdate[],
  scale: DrawingOptions['scale'] = 'price',
  spanMs = 60_000,
  samples: readonly PriceUpdate[] = [],
  hasBand = true,
) {
  const browser = new ScriptedBrowser();
  const store = new FeedStore(browser.deps);
  const ids = [...new Set(updates.map(({ id }) => id))];
  store.watch(ids);
  store.setPaused(false);
  browser.source.open();
  browser.source.send('snapshot', { feeds: [], missing: [], connection: { state: 'live', sinceMs: 0 } });
  for (const update of updates) {
    browser.timers.nowMs = update.receivedMs;
    browser.source.send('update', { feeds: [update] });
  }
  store.addSamples(samples);
  browser.timers.nowMs = NOW;
  browser.paint();
  const feeds = ids.map((id) => ({ id, symbol: id.slice(0, 1) }));
  const floors = { lateS: 5, staleS: 60 };
  return drawPage(store, { feeds, window: { spanMs }, scale, width: 800, height: 400, floors, hasBand });
}

const series = (id: string, prices: readonly (number | bigint)[], expo = 0) =>
  prices.map((price, index) => {
    const t = NOW_S - prices.length + index;
    return scriptedUpdate(id, String(price), t, { expo, prevPublishTimeS: t - 1 });
  });

describe('the chart of a page', () => {
  it('compares by an index of 100 from the moment at which all have begun, and reports feeds that can’t be indexed', () => {
    const { feeds } = drawn([...series(A, [100, 110]), ...series(B, [50_000, 50_000])], 'indexed');
    const ends = feeds.map(({ vertices }) => vertices?.at(-1)?.price ?? 0);
    expect(ends).toEqual([110, 100]);
    const zero = drawn([...series(A, [100, 110]), ...series(B, [0, 0])], 'indexed');
    expect(zero.feeds.map(({ vertices }) => vertices === undefined)).toEqual([false, true]);
  });

  it('draws two feeds on an axis each, without a third one', () => {
    const third = series('c'.repeat(64), [1, 2]);
    const { feeds, leftPx } = drawn([...series(A, [1, 2]), ...series(B, [5, 6]), ...third], 'axes');
    expect(feeds.map(({ base, vertices }) => [base?.mantissa, vertices?.length])).toEqual([
      [0n, 2],
      [0n, 2],
      [undefined, undefined],
    ]);
    expect(leftPx).toBeGreaterThan(0);
  });

  it('shows missed updates and unpublished ones as gaps', () => {
    const unplotted = [
      scriptedUpdate(A, '1', NOW_S - 50, { prevPublishTimeS: NOW_S - 51 }),
      scriptedUpdate(A, '2', NOW_S - 30, { prevPublishTimeS: NOW_S - 31 }),
    ];
    const silent = scriptedUpdate(A, '3', NOW_S - 2, { prevPublishTimeS: NOW_S - 30 });
    const [feed] = drawn([...unplotted, silent]).feeds;
    expect(feed?.gaps.map(({ kind, fromS, untilS }) => [kind, fromS - NOW_S, untilS - NOW_S])).toEqual([
      ['missed', -50, -31],
      ['silent', -30, -2],
    ]);
    expect(feed?.vertices?.filter(({ price }) => price === null).length).toBe(2);
  });

  const every = (id: string, agosS: readonly number[], price: number, more: object = {}) =>
    agosS.map((agoS) =>
      scriptedUpdate(id, String(price), NOW_S - agoS, { prevPublishTimeS: NOW_S - agoS - 1, ...more }),
    );
  const seconds = (fromS: number, untilS: number) =>
    Array.from({ length: fromS - untilS }, (_, index) => fromS - index);

  it.each(['price', 'indexed', 'axes'] as const)(
    'draws no line over nine minutes (%s), alone or beside another feed',
    (scale) => {
      const holed = [...every(A, seconds(840, 600), 100), ...every(A, seconds(60, 0), 110)];
      const other = every(B, seconds(840, 0), 50);
      const { feeds } = drawn(
        [...holed, ...other].sort((a, b) => a.publishTimeS - b.publishTimeS),
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

  it('marks both ends of its window that have no data, once its past was requested', () => {
    const store = new FeedStore(new ScriptedBrowser().deps);
    store.watch([A]);
    store.addSamples(
      every(A, [2_400, 2_310, 2_220], 100, { isBackfilled: true, prevPublishTimeS: undefined }),
    );
    const options = {
      feeds: [{ id: A, symbol: 'A' }],
      window: { spanMs: 1_800_000, toMs: NOW - 1_200_000 },
      scale: 'price' as const,
      width: 800,
      height: 400,
      floors: { lateS: 5, staleS: 60 },
    };
    const gapsOf = (isFilled: boolean) =>
      drawPage(store, { ...options, isFilled }).feeds[0]?.gaps.map(({ kind, fromS, untilS }) => [
        kind,
        fromS - NOW_S,
        untilS - NOW_S,
      ]);
    expect(gapsOf(true)).toEqual([
      ['unknown', -3_000, -2_400],
      ['unknown', -2_220, -1_200],
    ]);
    // Which updates are missing is not known yet.
    expect(gapsOf(false)).toEqual([]);
    const { loading } = drawPage(store, options).feeds[0] ?? {};
    expect(loading?.map(({ fromS, untilS }) => [fromS - NOW_S, untilS - NOW_S])).toEqual([
      [-3_000, -2_400],
      [-2_220, -1_200],
    ]);
  });

  it('calls a weekend of seven days a closed market, by the schedule of the board', () => {
    const browser = new ScriptedBrowser();
    // NOW is early in the morning of 2001-09-09, a Sunday.
    const store = new FeedStore(browser.deps);
    store.watch([A]);
    const hours = Array.from({ length: 84 }, (_, index) => 2 * (84 - index)).filter(
      (ago) => ago * 3_600 > 103_600,
    );
    store.addSamples(
      every(
        A,
        hours.map((ago) => ago * 3_600),
        100,
        { isBackfilled: true, prevPublishTimeS: undefined },
      ),
    );
    const { feeds } = drawPage(store, {
      feeds: [{ id: A, symbol: 'A', schedule: 'Etc/UTC;O,O,O,O,0000-2100,C,C;' }],
      window: { spanMs: 7 * 86_400_000, toMs: NOW },
      scale: 'price',
      width: 800,
      height: 400,
      floors: { lateS: 5, staleS: 60 },
    });
    const closesS = Date.parse('2001-09-07T21:00Z') / 1000;
    expect(feeds[0]?.gaps.map(({ kind, fromS, untilS }) => [kind, fromS, untilS])).toEqual([
      ['closed', closesS, NOW_S],
    ]);
  });

  it('is one table, in which each line goes straight to its next vertex, and an update is in force until the next one', () => {
    const vertex = (atMs: number, price: number | null) => ({ atMs, price, band: null, ema: price });
    const feed = {
      id: '',
      symbol: '',
      gaps: [],
      loading: [],
      seen: [],
      latencies: new Map(),
      liveFromMs: 0,
      isSampled: false,
      isPartial: false,
      offsets: { serverMs: 0, browserMs: 0 },
    };
    const rows = chartRows([
      { ...feed, feedIndex: 0, vertices: [vertex(0, 0), vertex(10, 1), vertex(15, null), vertex(20, 0)] },
      { ...feed, feedIndex: 1, vertices: [vertex(5, 1), vertex(17, 1)] },
    ]);
    const of = (vertices: (typeof rows)[number]['drawn']) => vertices.map((vertex) => vertex?.price ?? null);
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

describe('the price axis', () => {
  it('fits the prices alone without the confidence band', () => {
    const updates = [1, 2, 3].map((agoS) =>
      scriptedUpdate(A, String(100 + agoS), NOW_S - agoS, { conf: '40' }),
    );
    const heightOf = (hasBand: boolean) => {
      const { ticks } = drawn(updates, 'price', 60_000, [], hasBand).right;
      return (ticks.at(-1) ?? 0) - (ticks[0] ?? 0);
    };
    expect(heightOf(false)).toBeLessThan(heightOf(true));
  });
});

describe('latency in the chart of a page', () => {
  const late = (agoS: number, ms: number) =>
    scriptedUpdate(A, '100', NOW_S - agoS, {
      prevPublishTimeS: NOW_S - agoS - 1,
      receivedMs: (NOW_S - agoS) * 1000 + ms,
    });

  it('is that of the slowest update of a pixel column, and absent for backfilled updates', () => {
    const hour = 3_600_000;
    // At 800 pixels a column of an hour holds several seconds.
    const { feeds, latencyTicks, latencyPx } = drawn(
      [late(9, 100), late(8, 900), late(7, 200), late(3, 300)],
      'price',
      hour,
    );
    const [feed] = feeds;
    const shown = feed?.vertices?.flatMap(({ latency }) => latency?.upstream ?? []) ?? [];
    expect(new Set(shown)).toEqual(new Set([900, 300]));
    // Measured in too little of the hour for a part of its own.
    expect([latencyTicks, latencyPx]).toEqual([[], 0]);
    const fetched = drawn(
      [
        { ...late(9, 100), isBackfilled: true },
        { ...late(8, 900), isBackfilled: true },
      ],
      'price',
      hour,
    ).feeds[0];
    expect(fetched?.vertices?.map(({ latency }) => latency)).toEqual([undefined]);
    expect(fetched?.latencies.size).toBe(0);
  });

  it('has its part of a short live window before anything is measured, so that nothing moves then', () => {
    const fetched = [{ ...late(9, 100), isBackfilled: true }];
    expect(drawn(fetched, 'price', 60_000).latencyTicks).toEqual([0, 500, 1000]);
    expect(drawn(fetched, 'price', 3_600_000).latencyTicks).toEqual([]);
  });

  it('is that of the first update of a second, even if later updates of that second are drawn', () => {
    const later = { ...late(8, 900), price: { mantissa: 101n, expo: -2 }, prevPublishTimeS: NOW_S - 8 };
    const { feeds, latencyTicks } = drawn([late(9, 100), late(8, 200), later, late(7, 300)], 'price', 15_000);
    expect(latencyTicks).toEqual([0, 200, 400]);
    const shown = feeds[0]?.vertices?.flatMap(({ latency }) => latency?.upstream ?? []);
    expect(shown).toEqual([100, 200, 200, 300]);
  });

  it('belongs to the first feed, and is not interrupted by another feed', () => {
    const lateSeries = [4, 3, 2, 1].map((agoS) => late(agoS, 300));
    const both = [...lateSeries, ...series(B, [5, 6, 7])].sort((a, b) => a.receivedMs - b.receivedMs);
    const rows = chartRows(drawn(both, 'indexed').feeds);
    const since = rows.filter(({ atMs }) => atMs >= NOW - 3_700 && atMs <= NOW - 700);
    expect(since.length).toBeGreaterThan(4);
    expect(since.every(({ drawn: [first] }) => first?.latency !== undefined)).toBe(true);
  });
});

describe('a window whose first part is sampled', () => {
  const live = [3, 2, 1].map((agoS) => scriptedUpdate(A, '100', NOW_S - agoS));
  const samples = [50, 40, 30].map((agoS) => scriptedUpdate(A, '100', NOW_S - agoS, { isBackfilled: true }));

  it('is marked, since its extremes and gaps are those of the samples', () => {
    const isSampled = (spanMs: number) => drawn(live, 'price', spanMs, samples).feeds[0]?.isSampled;
    expect([isSampled(60_000), isSampled(5_000)]).toEqual([true, false]);
    expect(drawn(live).feeds[0]?.isSampled).toBe(false);
  });
});

describe('tags of the last prices', () => {
  it('name each feed of an index, and none covers another', () => {
    const { tags } = drawn([...series(A, [100, 110]), ...series(B, [200, 220])], 'indexed');
    expect(tags.map(({ text }) => text)).toEqual(['a 110.00', 'b 110.00']);
    expect(tags.map(({ shiftPx }) => Math.round(shiftPx))).toEqual([0, 17]);
  });

  it('stand on the axis of their feed, which is wide enough for them', () => {
    const { tags, rightPx } = drawn([...series(A, [12_345, 12_346]), ...series(B, [5, 6])], 'axes');
    expect(rightPx).toBeGreaterThan('12,346'.length * 6.4 + 12);
    expect(tags.map(({ side, text }) => [side, text])).toEqual([
      ['right', '12,346'],
      ['left', '6'],
    ]);
  });
});

describe('an EMA beyond the axis', () => {
  const near = (ema: string) =>
    drawn([4, 3, 2].map((agoS) => scriptedUpdate(A, String(1_000 + agoS), NOW_S - agoS, { ema })));

  it('is named at the edge beyond which it lies, and nowhere within the axis', () => {
    expect(near('1003').edgeNotes).toEqual([]);
    expect(near('2000').edgeNotes).toMatchObject([{ edge: 'top', text: 'EMA 20.00, above' }]);
    expect(near('500').edgeNotes).toMatchObject([{ edge: 'bottom', text: 'EMA 5.00, below' }]);
  });
});

it('a confidence band that covers the whole plot is named at its edge', () => {
  const withConf = (conf: string) =>
    drawn(
      [4, 3, 2].map((agoS) => scriptedUpdate(A, String(1_000 + agoS), NOW_S - agoS, { conf, ema: '1003' })),
    );
  expect(withConf('1').edgeNotes).toEqual([]);
  expect(withConf('50').edgeNotes).toMatchObject([
    { of: 'band', edge: 'bottom', text: 'Confidence ±0.50, wider than the chart' },
  ]);
});

describe('the axes of a chart', () => {
  it('enclose the prices and their confidence', () => {
    const wide = [3, 2, 1].map((agoS) =>
      scriptedUpdate(A, String(1_000 + agoS * 100), NOW_S - agoS, { conf: '150' }),
    );
    const { right } = drawn(wide);
    expect([right.ticks[0], right.ticks.at(-1)]).toEqual([900, 1_500]);
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

  it.each(['UTC', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe'])(
    'has no two ticks that read the same without a day between them, in %s',
    (timeZone) => {
      const style = { zone: 'local', timeZone } as const;
      for (const hours of [1, 6, 13, 30, 48, 72, 96, 168]) {
        for (const toMs of [NOW, Date.UTC(2026, 3, 5, 12), Date.UTC(2026, 10, 2, 3)]) {
          const range = { fromMs: toMs - hours * 3_600_000, toMs };
          const { ticks, unit } = timeAxisOf(range, 900, (ms) => zoneOffsetMs(ms, timeZone));
          const texts = ticks.map((ms) => tickText(shownMoment(ms, style, ms), unit));
          const days = texts.map(
            (_, index) => texts.slice(0, index).findLast((text) => text.includes('-')) ?? '',
          );
          const read = texts.map((text, index) => `${days[index]} ${text}`);
          expect(read).toEqual([...new Set(read)]);
        }
      }
    },
  );

  it('names no past that is not loaded as one without gaps', () => {
    const [loading] = drawn(series(A, Array(30).fill(100)), 'price', 3_600_000).feeds;
    expect([loading?.isPartial, loading && gapNames(loading), loading && gapTotals(loading)]).toEqual([
      true,
      'Not loaded',
      'Not loaded',
    ]);
    const [complete] = drawn(series(A, Array(70).fill(100))).feeds;
    expect([complete?.isPartial, complete && gapNames(complete), complete && gapTotals(complete)]).toEqual([
      false,
      'No gaps',
      'None',
    ]);
    const gaps = [{ kind: 'silent', fromS: 1, untilS: 61 }] as const;
    expect(gapNames({ gaps, isPartial: true, isSampled: true })).toBe('Feed silent, part not loaded');
    expect(gapTotals({ gaps, isPartial: true, isSampled: true })).toBe(
      'Feed silent: 1 (1 min), part not loaded',
    );
  });
});
