import 'server-only';
import { feedDirectory } from '@/lib/feeds/server/feed-directory';
import { type TriageNow, triageOf } from '@/lib/pending/server/triage';
import { log } from './log';
import { metrics } from './metrics';
import { feedMetrics } from './metrics-feeds';
import { indexMetrics } from './metrics-index';
import { networkMetrics } from './metrics-networks';
import { addReadMetrics, type ReadMetric } from './metrics-reading';
import { serviceMetrics } from './metrics-services';
import { processWide } from './process-wide';
import { startedServices } from './services';
import { bufferedBytes, openHub } from './streams';

const kept = processWide<TriageNow>('metrics-pending');
const added = processWide<'added'>('metrics-sources');

/** All metrics as Prometheus text. */
export async function readMetrics(): Promise<{ text: string; contentType: string }> {
  const { registry } = metrics();
  if (added.get() === undefined) addReadMetrics(registry, sources());
  added.set('added');
  kept.set(await pendingNow());
  // Never fails, and is kept for minutes.
  if (startedServices() !== undefined) void feedDirectory();
  return { text: await registry.metrics(), contentType: registry.contentType };
}

/** What the page for pending requests says; undefined where that can't be worked out, which is no reason to tell nothing. */
async function pendingNow(): Promise<TriageNow | undefined> {
  const index = startedServices()?.index;
  if (index === undefined) return undefined;
  try {
    return await triageOf(index).now();
  } catch (error) {
    log().error({ error }, 'reading metrics of the index met an error of ours');
    return undefined;
  }
}

function sources(): ReadMetric[] {
  return [
    ...serviceMetrics(startedServices),
    ...feedMetrics(openHub),
    ...networkMetrics(kept.get),
    ...indexMetrics(() => startedServices()?.index),
    {
      name: 'keeperscope_stream_buffered_bytes',
      help: 'Bytes that wait for readers of our streams who do not take them.',
      labelNames: [],
      read: () => [{ labels: {}, value: bufferedBytes() }],
    },
    {
      name: 'keeperscope_build_info',
      help: 'The version that runs, and whether real services stand behind it: always 1.',
      labelNames: ['version', 'source'],
      read: () => {
        const { version = 'unknown', source = 'none' } = startedServices() ?? {};
        return [{ labels: { version, source }, value: 1 }];
      },
    },
  ];
}
