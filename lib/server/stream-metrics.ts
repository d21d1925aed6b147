import 'server-only';
import type { FeedHub } from '@/lib/feeds/server/hub';
import type { ProgramStreams } from '@/lib/feeds/server/program-streams';
import { metrics } from './metrics';
import { addReadMetrics, type Sample } from './metrics-reading';

/** Adds what the streams know about themselves to the metrics; read when Prometheus asks, so a stream costs nothing more. */
export function measureStreams(
  hub: FeedHub,
  programs: { updates: ProgramStreams; upgraded: ProgramStreams },
): void {
  const perStream = (count: (stats: { upstreamStreams: number; losses: number }) => number) => ({
    labelNames: ['stream'],
    read: () => [
      { labels: { stream: 'feeds' }, value: count(hub.stats) },
      { labels: { stream: 'updates' }, value: count(programs.updates.stats) },
      { labels: { stream: 'upgraded' }, value: count(programs.upgraded.stats) },
    ],
  });
  addReadMetrics(metrics().registry, [
    {
      name: 'keeperscope_upstream_streams',
      help: 'Streams of the services that are open now: feeds is shared by all pages, the others by programs.',
      ...perStream(({ upstreamStreams }) => upstreamStreams),
    },
    {
      name: 'keeperscope_upstream_stream_losses_total',
      help: 'Streams of the services that were lost, planned closes not counted.',
      ...perStream(({ losses }) => losses),
    },
    {
      name: 'keeperscope_feed_history_bytes',
      help: 'Bytes of price updates that are remembered for charts.',
      labelNames: [],
      read: () => [{ labels: {}, value: hub.stats.historyBytes }],
    },
    {
      name: 'keeperscope_feed_updates_total',
      help: 'Price updates received for the pages: passed on, or dropped as duplicate, older or unreadable.',
      labelNames: ['fate'],
      read: () => fates(hub),
    },
  ]);
}

function fates({ stats }: FeedHub): Sample[] {
  const { updates, duplicates, older, unreadable } = stats;
  const counts = { passed: updates, duplicate: duplicates, older, unreadable };
  return Object.entries(counts).map(([fate, value]) => ({ labels: { fate }, value }));
}
