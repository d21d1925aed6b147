import 'server-only';
import type { Timers } from '@/lib/upstream/timers';
import { realTimers } from '@/lib/upstream/timers';
import { currentSettings } from './current-settings';
import { feedDirectory } from './feed-directory';
import { log } from './log';
import { metrics } from './metrics';
import { MetricsCollector } from './metrics-collector';
import { feedMetrics } from './metrics-feeds';
import { networkMetrics } from './metrics-networks';
import { addReadMetrics, type ReadMetric } from './metrics-reading';
import { serviceMetrics } from './metrics-services';
import { type NetworkFigures, networkFigures } from './network-figures';
import { processWide } from './process-wide';
import { startedServices } from './services';
import { bufferedBytes, openHubs } from './streams';
import { sharedTriage } from './triage/triage-shared';

const kept = processWide<MetricsCollector>('metrics-collector');
const added = processWide<'added'>('metrics-sources');

/** A look whose calls wait in the line goes on as long as somebody wants it: that is said so often. */
const STILL_WANTED_MS = 10_000;

/** Those of the process, but they never keep it alive. */
const idleTimers: Timers = {
  elapsed: realTimers.elapsed,
  after(ms, run) {
    const timer = setTimeout(run, ms).unref();
    return () => clearTimeout(timer);
  },
};

/** All metrics as Prometheus text. Reading them is what keeps the collector going, where the settings let it. */
export async function readMetrics(): Promise<{ text: string; contentType: string }> {
  const { registry } = metrics();
  if (added.get() === undefined) addReadMetrics(registry, sources());
  added.set('added');
  if (currentSettings().metricsCollect === 'on') collector().read();
  return { text: await registry.metrics(), contentType: registry.contentType };
}

/** Ends the collector, so that a test begins with none. */
export function stopCollecting(): void {
  kept.get()?.stop();
}

function collector(): MetricsCollector {
  const made =
    kept.get() ??
    new MetricsCollector({
      gather,
      timers: idleTimers,
      bug: (error) => log().error({ error }, 'collecting metrics met an error of ours'),
    });
  kept.set(made);
  return made;
}

function sources(): ReadMetric[] {
  return [
    ...serviceMetrics(startedServices),
    ...feedMetrics(openHubs),
    ...networkMetrics(() => kept.get()?.collected),
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

/** One look at all logs, shared with the page for pending requests, and the names and hours of feeds. */
async function gather(): Promise<NetworkFigures | undefined> {
  if (startedServices() === undefined) return undefined;
  // Never fails, and is kept for minutes.
  void feedDirectory();
  const { gatherer, sources: logs, view } = sharedTriage();
  if (logs.size === 0) return undefined;
  const wanted = setInterval(() => void gatherer.ask('unhurried'), STILL_WANTED_MS).unref();
  try {
    await gatherer.ask('unhurried');
  } finally {
    clearInterval(wanted);
  }
  return networkFigures(await view.now('latest'), currentSettings().networks);
}
