import 'server-only';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { CallEvent } from '@/lib/upstream/call-record';
import { processWide } from './process-wide';

/** What Prometheus reads. Labels have few values: keepers, route patterns, kinds of outcome. */
export type Metrics = {
  registry: Registry;
  /** Takes in one call of a service client. */
  observeCall: (event: CallEvent) => void;
  /** Streams that are open to browsers and programs now, by stream endpoint. */
  openStreams: Gauge<'stream'>;
};

const kept = processWide<Metrics>('metrics');

/** From a cache's millisecond to the time-out of a call, in seconds. */
const LATENCY_BUCKETS_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];

/** The metrics of this process, made when first asked for. */
export function metrics(): Metrics {
  const made = kept.get() ?? makeMetrics();
  kept.set(made);
  return made;
}

function makeMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'keeperscope_' });
  const calls = new Counter({
    name: 'keeperscope_service_calls_total',
    help: 'Calls to the services by outcome: ok or a kind of failure. sent=no: held back here, nothing went out.',
    labelNames: ['service', 'route', 'outcome', 'sent'] as const,
    registers: [registry],
  });
  const latency = new Histogram({
    name: 'keeperscope_service_call_seconds',
    help: 'Time from sending a call to a service to the end of its answer.',
    labelNames: ['service', 'route'] as const,
    buckets: LATENCY_BUCKETS_S,
    registers: [registry],
  });
  const openStreams = new Gauge({
    name: 'keeperscope_open_streams',
    help: 'Streams that are open to browsers and programs.',
    labelNames: ['stream'] as const,
    registers: [registry],
  });
  return {
    registry,
    openStreams,
    observeCall: ({ label, route, outcome, ms, called }) => {
      calls.inc({ service: label, route, outcome, sent: called ? 'yes' : 'no' });
      if (called) latency.observe({ service: label, route }, ms / 1000);
    },
  };
}
