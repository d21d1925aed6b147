import { describe, expect, it } from 'vitest';
import { DEFAULT_TIME_STYLE } from '@/lib/core/time-text';
import type { CompactFeed } from '@/lib/feeds/stream-events';
import { ScriptedBrowser, scriptedUpdate } from './browser-fixtures';
import { chartRows, drawPage, panned, timeAxisOf, timeLabel, windowAfterKey, zoomed } from './page-chart';
import { FeedStore } from './store';

const [A, B] = ['a'.repeat(64), 'b'.repeat(64)] as const;
const NOW_S = 1_000_000_000;
const NOW = NOW_S * 1000;

/** A page whose stream has brought these updates. */
function drawn(
  updates: readonly CompactFeed[],
  scale: 'price' | 'indexed' | 'axes' = 'price',
  spanMs = 60_000,
) {
  const browser = new ScriptedBrowser();
  const store = new FeedStore(browser.edges);
  const ids = [...new Set(updates.map(({ id }) => id))];
  store.watch(ids);
  store.resume();
  browser.source.open();
  browser.source.send('snapshot', { feeds: [], missing: [], connection: { state: 'live', sinceMs: 0 } });
  for (const update of updates) {
    browser.now = update.r;
    browser.source.send('update', { feeds: [update] });
  }
  browser.now = NOW;
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
  it('tells apart prices of twenty digits', () => {
    const { feeds } = drawn(series(A, [12_345_678_901_234_567_890n, 12_345_678_901_234_567_990n]));
    const heights = feeds[0]?.vertices?.flatMap(({ price }) => price ?? []) ?? [];
    expect((heights[1] ?? 0) - (heights[0] ?? 0)).toBeGreaterThan(0.5);
  });

  it('compares by an index of 100 where all have begun, and says what can’t be indexed', () => {
    const { feeds, right } = drawn([...series(A, [100, 110]), ...series(B, [50_000, 50_000])], 'indexed');
    expect(right.map(({ text }) => Number(text)).every((text) => text > 95 && text < 115)).toBe(true);
    const ends = feeds.map(({ vertices }) => vertices?.at(-1)?.price ?? 0);
    expect(ends[0]).toBeGreaterThan((ends[1] ?? 0) + 0.5);
    expect(feeds.every(({ vertices }) => vertices?.every(({ band }) => band !== undefined))).toBe(true);
    const zero = drawn([...series(A, [100, 110]), ...series(B, [0, 0])], 'indexed');
    expect(zero.feeds.map(({ vertices }) => vertices === undefined)).toEqual([false, true]);
  });

  it('gives two feeds an axis each', () => {
    const { left, right, feeds } = drawn([...series(A, [100, 110]), ...series(B, [50_000, 50_100])], 'axes');
    expect([right.length > 0, left.length > 0, feeds.length]).toEqual([true, true, 2]);
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

  it('is one table, in which no line changes its course for another’s moments', () => {
    const vertex = (atMs: number, price: number | null) => ({ atMs, price, band: null, ema: price });
    const feed = { id: '', symbol: '', gaps: [], seen: [], liveFromMs: 0 };
    const rows = chartRows([
      { ...feed, tone: 0, vertices: [vertex(0, 0), vertex(10, 1), vertex(15, null), vertex(20, 0)] },
      { ...feed, tone: 1, vertices: [vertex(5, 1), vertex(17, 1)] },
    ]);
    expect(rows.map(({ atMs, y0, y1, ema0 }) => [atMs, y0, y1, ema0])).toEqual([
      [0, 0, null, 0],
      [5, 0.5, 1, 0.5],
      [10, 1, 1, 1],
      [15, null, 1, null],
      [17, null, 1, null],
      [20, 0, null, 0],
    ]);
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

  it('has ticks on round times, as fine as they need', () => {
    const { ticks, tickMs } = timeAxisOf(NOW - 300_000, NOW, 800);
    expect(ticks.every((at) => at % tickMs === 0)).toBe(true);
    expect(timeLabel(NOW, 1_000, DEFAULT_TIME_STYLE)).toMatch(/^\d\d:\d\d:\d\d$/);
    expect(timeLabel(NOW, 60_000, DEFAULT_TIME_STYLE)).toMatch(/^\d\d:\d\d$/);
  });
});
