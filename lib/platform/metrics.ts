import 'server-only';
import { Counter, collectDefaultMetrics, Gauge, Histogram, type Metric, Registry } from 'prom-client';
import type { CallEvent } from '@/lib/core/call-event';
import type { RequestEnd } from './log';
import { processWide } from './process-wide';

/** Streams of our pages, and one of the gateway for each host. */
export type StreamName = (typeof STREAMS)[number];

const STREAMS = ['feeds', 'revisions', 'updates', 'upgraded'] as const;
/** Usual values of `StreamEndReason`. */
const REASONS = ['planned', 'unreachable', 'timeout', 'malformed', 'failing'];
/** Bounds of durations, from a cached answer up to the timeout of a call. */
const CALL_BUCKETS_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];
/** An answer from memory takes a millisecond; an export may take minutes. */
const REQUEST_BUCKETS_S = [0.001, 0.0025, ...CALL_BUCKETS_S, 60];
const FAN_OUT_BUCKETS_S = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];
/** Gauges of the library that end in `_total`. They exist without the suffix too. */
const MISNAMED = ['handles', 'requests', 'resources'].map(
  (what) => `keeperscope_nodejs_active_${what}_total`,
);

/** Counted as events happen; metrics-on-scrape.ts computes the rest. */
const COUNTED = {
  service_calls_total: 'Calls to services by outcome: ok or a kind of failure. sent=no: blocked here.',
  service_call_seconds: 'Latency of calls to services; of a stream, to its headers.',
  service_received_bytes_total: 'Bytes received from services, decompressed, without streams.',
  http_requests_total: 'Finished requests by route pattern. code=aborted: the caller left first.',
  http_request_duration_seconds: 'Duration of requests, without streams.',
  open_streams: 'Open streams to browsers and programs.',
  stream_cuts_total: 'Streams cut because their reader was too slow.',
  stream_fan_out_seconds: 'Time to write a piece of an upstream stream to its readers.',
  upstream_stream_reconnects_total: 'Reconnects of upstream streams by reason.',
};

const processMetrics = processWide<ReturnType<typeof makeMetrics>>('metrics');

/** The metrics of the process. No label contains a user, an address or a key. */
export const metrics = () => processMetrics.ensure(makeMetrics);

function makeMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'keeperscope_' });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  const metricOptions = <T extends string>(name: keyof typeof COUNTED, ...labelNames: T[]) => {
    return { name: `keeperscope_${name}`, help: COUNTED[name], labelNames, registers: [registry] };
  };
  const ofCall = ['service', 'route', 'outcome'] as const;
  const calls = new Counter(metricOptions('service_calls_total', ...ofCall, 'sent'));
  const callSeconds = new Histogram({
    ...metricOptions('service_call_seconds', ...ofCall),
    buckets: CALL_BUCKETS_S,
  });
  const received = new Counter(metricOptions('service_received_bytes_total', ...ofCall));
  const requests = new Counter(metricOptions('http_requests_total', 'route', 'code'));
  const requestSeconds = new Histogram({
    ...metricOptions('http_request_duration_seconds', 'route', 'code'),
    buckets: REQUEST_BUCKETS_S,
  });
  const openStreams = new Gauge(metricOptions('open_streams', 'stream'));
  const cuts = new Counter(metricOptions('stream_cuts_total', 'stream'));
  const fanOut = new Histogram({
    ...metricOptions('stream_fan_out_seconds', 'stream'),
    buckets: FAN_OUT_BUCKETS_S,
  });
  const reconnects = new Counter(metricOptions('upstream_stream_reconnects_total', 'stream', 'reason'));
  // If a counter first appeared with the value 1, its first increase would be hidden.
  for (const stream of STREAMS) {
    openStreams.set({ stream }, 0);
    cuts.inc({ stream }, 0);
    for (const reason of REASONS) reconnects.inc({ stream, reason }, 0);
  }
  return {
    registry,
    observeCall: ({ label: service, route, outcome, ms, bytes, called }: CallEvent) => {
      const call = { service, route, outcome };
      calls.inc({ ...call, sent: called ? 'yes' : 'no' });
      if (!called) return;
      callSeconds.observe(call, ms / 1000);
      if (bytes > 0) received.inc(call, bytes);
    },
    observeRequest: ({ kind, route, status, ms }: RequestEnd) => {
      const request = { route, code: String(status) };
      requests.inc(request);
      if (kind === 'answer') requestSeconds.observe(request, ms / 1000);
    },
    openStreams,
    readerCut: (stream: StreamName) => cuts.inc({ stream }),
    /** Time from the arrival of a piece of an upstream stream until all clients have it. */
    passedOn: (stream: StreamName, ms: number) => fanOut.observe({ stream }, ms / 1000),
    /** The stream will be reopened. `planned`: the service ended it regularly. */
    streamEnded: (stream: StreamName, reason: string) => reconnects.inc({ stream, reason }),
  };
}

export type Labels = Readonly<Record<string, string>>;

/** True is exported as 1; null and undefined mean unknown, which is not exported. */
type Figure = number | boolean | null | undefined;

/** Figures by metric. `{label: {value: figure}}` adds a label with one figure per value. */
export type FigureList<Name extends string> = readonly (readonly [
  Labels,
  Partial<Record<Name, Figure | Readonly<Record<string, Readonly<Record<string, Figure>>>>>>,
])[];

type Value = { labels: Labels; value: number; metricName?: string };

/** Label sets that are missing now are no longer exported. Names of counters end in `_total`. */
export function registerFigures<Name extends string>(
  registry: Registry,
  helps: Readonly<Record<Name, string>>,
  figures: FigureList<Name>,
): void {
  for (const name of Object.keys(helps) as Name[]) {
    const values = figures.flatMap(([labels, counts]) => valuesOf(labels, counts[name]));
    register(registry, name, helps[name], name.endsWith('_total') ? 'counter' : 'gauge', values);
  }
}

function valuesOf(labels: Labels, figure: FigureList<string>[number][1][string]): Value[] {
  if (typeof figure === 'number' || typeof figure === 'boolean') return [{ labels, value: Number(figure) }];
  return Object.entries(figure ?? {}).flatMap(([label, figures]) =>
    Object.entries(figures).flatMap(([value, figure]) => valuesOf({ ...labels, [label]: value }, figure)),
  );
}

/** Computed on scrape: prom-client can only observe value by value. `within` has cumulative counts by edge. */
export function registerHistogram(
  registry: Registry,
  name: string,
  help: string,
  edges: readonly number[],
  samples: readonly { labels: Labels; count: number; sum: number; within: readonly number[] }[],
): void {
  const metricName = (end: string) => ({ metricName: `keeperscope_${name}_${end}` });
  const values = samples.flatMap(({ labels, count, sum, within }): Value[] => [
    ...[...edges, '+Inf'].map((edge, index) => ({
      ...metricName('bucket'),
      labels: { ...labels, le: String(edge) },
      value: within[index] ?? count,
    })),
    { ...metricName('sum'), labels, value: sum },
    { ...metricName('count'), labels, value: count },
  ]);
  register(registry, name, help, 'histogram', values);
}

function register(registry: Registry, shortName: string, help: string, type: string, values: Value[]): void {
  const description = { name: `keeperscope_${shortName}`, help, type };
  registry.removeSingleMetric(description.name);
  const get = async () => ({ ...description, values });
  registry.registerMetric({ ...description, get, reset: () => undefined } as unknown as Metric);
}
