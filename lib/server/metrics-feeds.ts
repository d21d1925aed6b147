import 'server-only';
import type { FeedEntry } from '@/lib/core/feed';
import { knownFeeds } from '@/lib/feeds/server/feed-directory';
import type { FeedHub } from '@/lib/feeds/server/hub';
import type { CompactFeed } from '@/lib/feeds/stream-events';
import { isTrading } from './market-now';
import { inSeconds, type ReadMetric, type Sample, sharedInTurn } from './metrics-reading';

/** Feeds that are told: as many as a hub watches at most. */
const MOST_FEEDS = 500;
/** Symbols come from services. */
const MOST_SYMBOL_CHARACTERS = 100;

/** A market opens to the minute, and its schedule costs a little to read. */
const MARKET_KEPT_MS = 30_000;

type WatchedFeed = { labels: { feed: string; symbol: string }; latest: CompactFeed; entry?: FeedEntry };

/**
 * When the watched feeds were last published and received, and how the pages' stream is. A feed is told while somebody
 * watches it, and for as long as the process lives where FEEDS names it.
 */
export function feedMetrics(
  hub: () => FeedHub | undefined,
  directory: () => readonly FeedEntry[] = knownFeeds,
  now: () => number = Date.now,
): ReadMetric[] {
  const feeds = sharedInTurn(() => watchedFeeds(hub(), directory()));
  const isOpen = marketsAsOf(now);
  const each = (samplesOf: (feed: WatchedFeed) => number | undefined) => ({
    labelNames: ['feed', 'symbol'],
    read: () =>
      feeds().flatMap((feed): Sample[] => {
        const value = samplesOf(feed);
        return value === undefined ? [] : [{ labels: feed.labels, value }];
      }),
  });
  return [
    {
      name: 'keeperscope_feed_last_publish_timestamp_seconds',
      help: 'Publish time of the last update of a watched feed, unix time by the clock of the service.',
      ...each(({ latest }) => latest.t),
    },
    {
      name: 'keeperscope_feed_last_receive_timestamp_seconds',
      help: 'When the last update of a watched feed came here, unix time.',
      ...each(({ latest }) => inSeconds(latest.r)),
    },
    {
      name: 'keeperscope_feed_market_open',
      help: 'Whether prices are to be expected: 1, or 0 while the market is closed or the feed is not published; absent where the directory does not say.',
      ...each(({ entry }) => {
        const open = entry && isOpen(entry);
        return open === undefined ? undefined : Number(open);
      }),
    },
    {
      name: 'keeperscope_feed_stream_up',
      help: 'Whether the stream of our pages stands and gives signs of life: 1 or 0; absent while nobody watches a feed.',
      labelNames: [],
      read: () => streamUp(hub()),
    },
  ];
}

function watchedFeeds(hub: FeedHub | undefined, directory: readonly FeedEntry[]): WatchedFeed[] {
  const texts = [...(hub?.lastTexts ?? [])].slice(0, MOST_FEEDS);
  if (texts.length === 0) return [];
  const wanted = new Set<string>(texts.map(([id]) => id));
  const entries = new Map(directory.filter(({ id }) => wanted.has(id)).map((one) => [one.id, one]));
  return texts.map(([id, text]) => {
    const entry = entries.get(id);
    const symbol = entry?.symbol.slice(0, MOST_SYMBOL_CHARACTERS) ?? '';
    return { labels: { feed: id, symbol }, latest: JSON.parse(text) as CompactFeed, entry };
  });
}

function marketsAsOf(now: () => number): (entry: FeedEntry) => boolean | undefined {
  let known = new WeakMap<FeedEntry, { open: boolean | undefined }>();
  let asOfMs = Number.NEGATIVE_INFINITY;
  return (entry) => {
    if (Math.abs(now() - asOfMs) >= MARKET_KEPT_MS) {
      known = new WeakMap();
      asOfMs = now();
    }
    const found = known.get(entry) ?? { open: isTrading(entry, now()) };
    known.set(entry, found);
    return found.open;
  };
}

/** While it is first opened nothing is wrong yet; without a feed nothing is to be open. */
function streamUp(hub: FeedHub | undefined): Sample[] {
  const connection = hub?.connection;
  if (hub === undefined || connection === undefined || hub.stats.feeds === 0) return [];
  const { state, failure } = connection;
  if (state === 'connecting') return [];
  return [{ labels: {}, value: Number((state === 'live' || state === 'quiet') && failure === undefined) }];
}
