import { expect, it } from 'vitest';
import type { FeedEntry, FeedId, FeedUpdate } from '@/lib/core/feed';
import { unixSeconds } from '@/lib/core/time';
import type { FeedHub } from '@/lib/feeds/server/hub';
import { compactFeedText, type FeedConnection } from '@/lib/feeds/stream-events';
import { feedFigures } from './metrics-on-scrape';

const GOLD = 'ab'.repeat(32) as FeedId;
const SOMETHING = 'cd'.repeat(32) as FeedId;
/** A Saturday: metal markets are closed. */
const NOW_MS = Date.parse('2026-11-21T16:00:00Z');

function text(id: FeedId, publishS: number): [FeedId, string] {
  const price = { mantissa: 5n, expo: -2 };
  const update: FeedUpdate = {
    id,
    price: price,
    conf: price,
    publishTime: unixSeconds(publishS) ?? (0 as never),
  };
  return [id, compactFeedText(update, publishS * 1000 + 250)];
}

function hubsOf(texts: [FeedId, string][], connection?: FeedConnection): FeedHub {
  const hub = { lastTexts: new Map(texts), connection, stats: { feeds: texts.length } };
  return hub as unknown as FeedHub;
}

type Judged = Parameters<typeof feedFigures>[2];

function figuresOf(hub: FeedHub | undefined, directory: FeedEntry[] = [], judged: Judged = []) {
  const figures = feedFigures(hub, directory, judged, NOW_MS);
  return (name: keyof (typeof figures)[number][1]) =>
    figures.flatMap(([labels, { [name]: value }]) =>
      value === undefined ? [] : [{ ...labels, value: Number(value) }],
    );
}

const closed = { schedule: 'UTC;O,O,O,O,O,C,C;', assetType: 'Metal' };

it('exports publish and receive times of each watched feed, by id and symbol', () => {
  const figures = figuresOf(hubsOf([text(GOLD, 1000), text(SOMETHING, 2000)]), [
    { id: GOLD, symbol: 'Metal.XAU/USD', ...closed },
  ]);
  expect(figures('feed_last_publish_timestamp_seconds')).toEqual([
    { feed: GOLD, symbol: 'Metal.XAU/USD', value: 1000 },
    { feed: SOMETHING, symbol: '', value: 2000 },
  ]);
  expect(figures('feed_last_receive_timestamp_seconds').map(({ value }) => value)).toEqual([
    1000.25, 2000.25,
  ]);
  expect(figures('feed_market_open')).toEqual([{ feed: GOLD, symbol: 'Metal.XAU/USD', value: 0 }]);
});

it('a feed is stale or not only where that could be judged', () => {
  const hub = hubsOf([text(GOLD, 1000), text(SOMETHING, 2000)], { state: 'live', sinceMs: 0 });
  const values = (judged: Judged) => figuresOf(hub, [], judged)('feed_stale').map(({ value }) => value);
  expect(values([{ id: GOLD, staleSinceMs: 5 }, { id: SOMETHING }])).toEqual([1, 0]);
  expect(values([{ id: SOMETHING }])).toEqual([0]);
  expect(values([])).toEqual([]);
});

it('confines hostile names to their label, and truncates them', () => {
  const symbol = `"} 1\n# TYPE x\\${'y'.repeat(5000)}`;
  const figures = figuresOf(hubsOf([text(GOLD, 1000)]), [{ id: GOLD, symbol, assetType: '' }]);
  const [sample] = figures('feed_last_publish_timestamp_seconds');
  expect(sample).toMatchObject({ symbol: symbol.slice(0, 100), value: 1000 });
});

it('exports at most five hundred feeds', () => {
  const ids = Array.from({ length: 700 }, (_, index) => index.toString(16).padStart(64, '0') as FeedId);
  const figures = figuresOf(hubsOf(ids.map((id) => text(id, 1000))));
  expect(figures('feed_last_publish_timestamp_seconds')).toHaveLength(500);
});

it.each<[string, FeedConnection | undefined, number[]]>([
  ['live', { state: 'live', sinceMs: 0 }, [1]],
  ['quiet, with heartbeats', { state: 'quiet', sinceMs: 0 }, [1]],
  ['quiet, without any', { state: 'quiet', sinceMs: 0, failure: { kind: 'timeout', detail: '' } }, [0]],
  ['reconnecting', { state: 'reconnecting', sinceMs: 0, failure: { kind: 'failing', detail: '' } }, [0]],
  ['failed', { state: 'failed', sinceMs: 0, failure: { kind: 'unauthorized', detail: '' } }, [0]],
  ['opened for the first time', { state: 'connecting', sinceMs: 0 }, []],
  ['never requested', undefined, []],
])('exports the state of a stream that is %s', (_, connection, values) => {
  const figures = figuresOf(hubsOf([text(GOLD, 1000)], connection));
  expect(figures('feed_stream_up').map(({ value }) => value)).toEqual(values);
});

it('exports nothing without a watched feed', () => {
  for (const hub of [undefined, hubsOf([], { state: 'quiet', sinceMs: 0 })]) {
    const figures = figuresOf(hub);
    expect([figures('feed_stream_up'), figures('feed_last_publish_timestamp_seconds')]).toEqual([[], []]);
  }
});
