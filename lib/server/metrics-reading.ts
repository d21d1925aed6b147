import 'server-only';
import { Counter, Gauge, type Registry } from 'prom-client';

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
