import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Failure } from '@/lib/core/outcome';
import { CallRecord } from './call-record';

const MAX_LATENCY_SAMPLES = 500;

const failure = (kind: Failure['kind'], upstreamStatus?: number): Failure => ({
  kind,
  detail: `it was ${kind}`,
  ...(upstreamStatus === undefined ? {} : { upstreamStatus }),
});

function counting() {
  let nowMs = 0;
  const record = new CallRecord('logs:main', () => nowMs);
  const finished = (ms: number, failed: Failure | undefined, atMs: number) => {
    nowMs = atMs;
    record.finished({ route: '/v1/logs', ms }, failed, false);
  };
  return { record, finished, read: () => record.statistics() };
}

test('is empty before the first call', () => {
  expect(counting().read()).toEqual({ sent: 0, failures: [], heldBack: [] });
});

test('percentiles are times of real calls, by nearest rank', () => {
  const counter = counting();
  for (let ms = 100; ms >= 1; ms -= 1) counter.finished(ms, undefined, ms);
  expect(counter.read().latency).toEqual({ calls: 100, p50Ms: 50, p95Ms: 95, p99Ms: 99, maxMs: 100 });
});

test('percentiles are ordered, and among the last calls', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20_000), { minLength: 1, maxLength: MAX_LATENCY_SAMPLES * 2 }), (times) => {
      const counter = counting();
      for (const ms of times) counter.finished(ms, undefined, 0);
      const latest = times.slice(-MAX_LATENCY_SAMPLES);
      const latency = counter.read().latency;
      expect(latency?.calls).toBe(latest.length);
      const figures = [latency?.p50Ms, latency?.p95Ms, latency?.p99Ms, latency?.maxMs];
      for (const ms of figures) expect(latest).toContain(ms);
      expect(figures).toEqual([...figures].sort((a, b) => (a ?? 0) - (b ?? 0)));
      expect(latency?.maxMs).toBe(Math.max(...latest));
    }),
    { numRuns: 50 },
  );
});

test('a refused connection does not make the service look fast, and a timeout makes it slow', () => {
  const counter = counting();
  counter.finished(1, failure('unreachable'), 5);
  expect(counter.read()).toMatchObject({ sent: 1, failures: [{ kind: 'unreachable', count: 1 }] });
  expect(counter.read().latency).toBeUndefined();
  counter.finished(10_000, failure('timeout'), 6);
  expect(counter.read().latency?.maxMs).toBe(10_000);
});

test('a failure lasts from the first of its run, whatever the kinds, until a success', () => {
  const { record, finished } = counting();
  finished(1, undefined, 100);
  expect(record.last).not.toHaveProperty('failingSinceMs');
  finished(1, failure('failing', 500), 500);
  finished(1, failure('timeout'), 900);
  expect(record.last).toMatchObject({ ok: false, kind: 'timeout', atMs: 900, failingSinceMs: 500 });
  finished(1, undefined, 1000);
  expect(record.last).not.toHaveProperty('failingSinceMs');
  finished(1, failure('failing', 500), 2000);
  expect(record.last).toMatchObject({ failingSinceMs: 2000 });
});

test('errors are counted by kind, latest first, with the text of the last one', () => {
  const counter = counting();
  counter.finished(1, failure('failing', 500), 10);
  counter.finished(1, failure('unauthorized', 401), 20);
  counter.finished(1, failure('failing', 503), 30);
  counter.record.heldBack('/v1/logs', failure('rate-limited', 429));
  const { failures, heldBack, sent } = counter.read();
  expect(sent).toBe(3);
  expect(failures).toEqual([
    { kind: 'failing', count: 2, lastAtMs: 30, lastDetail: 'it was failing', lastStatus: 503 },
    { kind: 'unauthorized', count: 1, lastAtMs: 20, lastDetail: 'it was unauthorized', lastStatus: 401 },
  ]);
  expect(heldBack).toMatchObject([{ kind: 'rate-limited', count: 1, lastAtMs: 30 }]);
});

test('errors are those of the last hour, also where a kind occurs again and again', () => {
  const counter = counting();
  const MINUTE = 60_000;
  for (const minute of [0, 30, 60, 90, 120]) counter.finished(1, failure('failing'), minute * MINUTE);
  expect(counter.read().failures).toMatchObject([{ kind: 'failing', count: 2 }]);
  counter.finished(1, undefined, 200 * MINUTE);
  expect(counter.read()).toMatchObject({ sent: 6, failures: [] });
});
