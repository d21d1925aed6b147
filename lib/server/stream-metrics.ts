import 'server-only';
import { Counter, Gauge } from 'prom-client';
import type { FeedHub } from '@/lib/streaming/feed-hub';
import type { SharedStreams } from '@/lib/streaming/shared-stream';
import { metrics } from './metrics';

/** Adds what the streams know about themselves to the metrics; read when Prometheus asks, so a stream costs nothing more. */
export function measureStreams(
  hub: FeedHub,
  programs: { updates: SharedStreams; upgraded: SharedStreams },
): void {
  const { registry } = metrics();
  const registers = [registry];
  for (const name of [UPSTREAM, LOSSES, UPDATES]) registry.removeSingleMetric(name);
  new Gauge({
    name: UPSTREAM,
    help: 'Streams of the services that are open now: feeds is shared by all pages, the others by programs.',
    labelNames: ['stream'] as const,
    registers,
    collect() {
      this.set({ stream: 'feeds' }, hub.stats.upstreamStreams);
      this.set({ stream: 'updates' }, programs.updates.stats.upstreamStreams);
      this.set({ stream: 'upgraded' }, programs.upgraded.stats.upstreamStreams);
    },
  });
  new Counter({
    name: LOSSES,
    help: 'Streams of the services that were lost, planned closes not counted.',
    labelNames: ['stream'] as const,
    registers,
    collect() {
      this.reset();
      this.inc({ stream: 'feeds' }, hub.stats.losses);
      this.inc({ stream: 'updates' }, programs.updates.stats.losses);
      this.inc({ stream: 'upgraded' }, programs.upgraded.stats.losses);
    },
  });
  new Counter({
    name: UPDATES,
    help: 'Price updates received for the pages: passed on, or dropped as duplicate, older or unreadable.',
    labelNames: ['fate'] as const,
    registers,
    collect() {
      const { updates, duplicates, older, unreadable } = hub.stats;
      this.reset();
      this.inc({ fate: 'passed' }, updates);
      this.inc({ fate: 'duplicate' }, duplicates);
      this.inc({ fate: 'older' }, older);
      this.inc({ fate: 'unreadable' }, unreadable);
    },
  });
}

const UPSTREAM = 'keeperscope_upstream_streams';
const LOSSES = 'keeperscope_upstream_stream_losses_total';
const UPDATES = 'keeperscope_feed_updates_total';
