import 'server-only';
import { Counter, collectDefaultMetrics, Gauge, Histogram, type Metric, Registry } from 'prom-client';
import type { CallEvent } from '@/lib/upstream/call-record';
import type { RequestEnd } from './log';
import { processWide } from './process-wide';

/** The streams of ours that browsers and programs open: of our pages, and of the gateway for each host. */
export type StreamName = (typeof STREAMS)[number];

const STREAMS = ['feeds', 'revisions', 'updates', 'upgraded'] as const;
/** Why streams are opened anew (`StreamEndReason`), as far as it is usual. */
const REASONS = ['planned', 'unreachable', 'timeout', 'malformed', 'failing'];

/**
 * What Prometheus reads. Labels have few values: keepers, route patterns, kinds of outcome; never a transaction, an
 * address, a user or a key. Here stands what is counted as it happens; what is known anyway is read when it is asked for
 * (metrics-sources.ts).
 */
export type Metrics = {
  registry: Registry;
  /** Takes in one call of a service client. */
  observeCall: (event: CallEvent) => void;
  /** Takes in one request to us. */
  observeRequest: (end: RequestEnd) => void;
  /** Streams that are open to browsers and programs now, by stream endpoint. */
  openStreams: Gauge<'stream'>;
  /** A reader was cut because it did not read. */
  readerCut: (stream: StreamName) => void;
  /** A piece of an upstream stream has been passed on to all readers, so long after it came. */
  passedOn: (stream: StreamName, ms: number) => void;
  /** An upstream stream ended, and the next one follows. `planned`: the service ended it in good order. */
  streamEnded: (stream: StreamName, reason: string) => void;
};

const kept = processWide<Metrics>('metrics');

/** From a cache's millisecond to the time-out of a call, in seconds. */
const LATENCY_BUCKETS_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];
/** An answer out of our own memory takes a millisecond; an export may take minutes. */
const REQUEST_BUCKETS_S = [0.001, 0.0025, ...LATENCY_BUCKETS_S, 60];
/** From an event for one reader to a burst for thousands. */
const FAN_OUT_BUCKETS_S = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];
/** The library calls them totals, which by Prometheus's own rules is the word of counters; the same figures stand without. */
const MISNAMED = ['handles', 'requests', 'resources'].map(
  (what) => `keeperscope_nodejs_active_${what}_total`,
);

/** The metrics of this process, made when first asked for. */
export function metrics(): Metrics {
  const made = kept.get() ?? makeMetrics();
  kept.set(made);
  return made;
}

function makeMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'keeperscope_' });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  return { registry, ...callMetrics(registry), ...requestMetrics(registry), ...streamMetrics(registry) };
}

function callMetrics(registry: Registry): Pick<Metrics, 'observeCall'> {
  const registers = [registry];
  const calls = new Counter({
    name: 'keeperscope_service_calls_total',
    help: 'Calls to the services by outcome: ok or a kind of failure. sent=no: held back here, nothing went out.',
    labelNames: ['service', 'route', 'outcome', 'sent'] as const,
    registers,
  });
  const latency = new Histogram({
    name: 'keeperscope_service_call_seconds',
    help: 'Time from sending a call to a service to the end of its answer; of a stream, to its head.',
    labelNames: ['service', 'route', 'outcome'] as const,
    buckets: LATENCY_BUCKETS_S,
    registers,
  });
  const bytes = new Counter({
    name: 'keeperscope_service_received_bytes_total',
    help: 'Bytes of the answers of the services, decompressed; streams are not counted.',
    labelNames: ['service', 'route', 'outcome'] as const,
    registers,
  });
  return {
    observeCall: ({ label, route, outcome, ms, bytes: received, called }) => {
      calls.inc({ service: label, route, outcome, sent: called ? 'yes' : 'no' });
      if (!called) return;
      const about = { service: label, route, outcome };
      latency.observe(about, ms / 1000);
      if (received > 0) bytes.inc(about, received);
    },
  };
}

function requestMetrics(registry: Registry): Pick<Metrics, 'observeRequest'> {
  const registers = [registry];
  const requests = new Counter({
    name: 'keeperscope_http_requests_total',
    help: 'Requests to the dashboard that are over, by the pattern of their path. code=aborted: the caller left first.',
    labelNames: ['route', 'code'] as const,
    registers,
  });
  const duration = new Histogram({
    name: 'keeperscope_http_request_duration_seconds',
    help: 'Time from the arrival of a request to the last byte of its answer; streams are left out.',
    labelNames: ['route', 'code'] as const,
    buckets: REQUEST_BUCKETS_S,
    registers,
  });
  return {
    observeRequest: ({ kind, route, status, ms }) => {
      const about = { route, code: String(status) };
      requests.inc(about);
      if (kind === 'answer') duration.observe(about, ms / 1000);
    },
  };
}

type OfStreams = Pick<Metrics, 'openStreams' | 'readerCut' | 'passedOn' | 'streamEnded'>;

function streamMetrics(registry: Registry): OfStreams {
  const registers = [registry];
  const openStreams = new Gauge({
    name: 'keeperscope_open_streams',
    help: 'Streams that are open to browsers and programs.',
    labelNames: ['stream'] as const,
    registers,
  });
  const cuts = new Counter({
    name: 'keeperscope_stream_cuts_total',
    help: 'Readers of our streams that were cut because they did not read.',
    labelNames: ['stream'] as const,
    registers,
  });
  const fanOut = new Histogram({
    name: 'keeperscope_stream_fan_out_seconds',
    help: 'Time from the coming of a piece of an upstream stream until it has been written to every reader that is due.',
    labelNames: ['stream'] as const,
    buckets: FAN_OUT_BUCKETS_S,
    registers,
  });
  const reconnects = new Counter({
    name: 'keeperscope_upstream_stream_reconnects_total',
    help: 'Upstream streams that ended and are opened anew, by the reason: planned, or the kind of failure.',
    labelNames: ['stream', 'reason'] as const,
    registers,
  });
  // What has not happened yet is told as zero: a counter that begins at one hides its first increase.
  for (const stream of STREAMS) {
    openStreams.set({ stream }, 0);
    cuts.inc({ stream }, 0);
    for (const reason of REASONS) reconnects.inc({ stream, reason }, 0);
  }
  return {
    openStreams,
    readerCut: (stream) => cuts.inc({ stream }),
    passedOn: (stream, ms) => fanOut.observe({ stream }, ms / 1000),
    streamEnded: (stream, reason) => reconnects.inc({ stream, reason }),
  };
}

/** One value of a metric, with the labels that tell it from its others. */
export type Sample = { labels: Record<string, string>; value: number };

/** A metric whose values are known anyway, and are read when Prometheus asks. */
export type ReadMetric = {
  /** Of a counter it ends in `_total`. */
  name: string;
  help: string;
  labelNames: readonly string[];
  /** All values as of now: a label set that is not among them is not told any more. */
  read: () => Iterable<Sample>;
};

/** Adds metrics that are read; one of the same name before it is replaced. */
export function addReadMetrics(registry: Registry, all: readonly ReadMetric[]): void {
  for (const { name, help, labelNames, read } of all) {
    registry.removeSingleMetric(name);
    const about = { name, help, labelNames, registers: [registry] };
    if (name.endsWith('_total')) new Counter({ ...about, collect: counting(read) });
    else new Gauge({ ...about, collect: setting(read) });
  }
}

function counting(read: ReadMetric['read']) {
  return function collect(this: Counter): void {
    forget(this);
    for (const { labels, value } of read()) this.inc(labels, value);
  };
}

function setting(read: ReadMetric['read']) {
  return function collect(this: Gauge): void {
    forget(this);
    for (const { labels, value } of read()) this.set(labels, value);
  };
}

/** A metric without labels is zero after a reset, which is a value too: it must go as well. */
function forget(metric: Counter | Gauge): void {
  metric.reset();
  metric.remove({});
}

/** What a histogram has counted: how many in all, their sum, and how many up to each of its edges. */
export type HistogramSample = {
  labels: Record<string, string>;
  count: number;
  sum: number;
  within: readonly number[];
};

/** Adds a histogram that is read as a whole; the library only knows those that are observed one by one. */
export function addReadHistogram(
  registry: Registry,
  {
    name,
    help,
    edges,
    read,
  }: { name: string; help: string; edges: readonly number[]; read: () => HistogramSample[] },
): void {
  registry.removeSingleMetric(name);
  const valuesOf = ({ labels, count, sum, within }: HistogramSample) => [
    ...[...edges.map(String), '+Inf'].map((le, at) => ({
      metricName: `${name}_bucket`,
      labels: { ...labels, le },
      value: within[at] ?? count,
    })),
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
  const get = async () => ({ name, help, type: 'histogram', values: read().flatMap(valuesOf) });
  registry.registerMetric({ name, help, get, reset: () => undefined } as unknown as Metric);
}

/**
 * The same reading, made once for all metrics that are read in one turn of the event loop: the library asks for all of
 * them in one go.
 */
export function sharedInTurn<T>(read: () => T): () => T {
  let known: { value: T } | undefined;
  return () => {
    if (known === undefined) {
      known = { value: read() };
      setImmediate(() => {
        known = undefined;
      });
    }
    return known.value;
  };
}

/** A moment as Prometheus counts time: unix seconds. @param ms unix milliseconds */
export function inSeconds(ms: number): number {
  return ms / 1000;
}
