import { describe, expect, it } from 'vitest';
import { readInsights } from './insights-response';

const HEAD = {
  range: '24h',
  revision: 1_795_449_929_276,
  asof: '2026-11-20T09:00:00.000Z',
  startMs: 1,
  endMs: 2,
  buckets: { fromMs: 0, bucketMs: 1_800_000, count: 49 },
  covered: { span: true, before: true, week: false },
  logBeginsMs: 0,
};

describe('the answer', () => {
  it('comes with any of its panels, and keeps every digit', () => {
    const senders = {
      count: 1,
      byFailures: [],
      byRequests: [
        {
          sender: `0x${'a'.repeat(40)}`,
          requests: 9_007_199_254_740_991,
          completed: 1,
          callbackFailed: 0,
          failed: 0,
          pending: 0,
          pendingGone: 0,
          called: 1,
          p50Us: 1_234_567.5,
          p95Us: 0.1,
          p99Us: null,
          networks: 1,
          lastUs: 1_763_697_600_123_456,
          p50GasShare: 0.985_000_000_000_000_1,
          p95GasShare: null,
        },
      ],
    };
    for (const answer of [HEAD, { ...HEAD, senders }]) {
      expect(readInsights(JSON.stringify(answer))).toEqual({ ok: true, value: answer });
    }
  });

  it.each([
    ['', 'no JSON'],
    ['{"range":"24h"', 'cut off'],
    ['[]', 'no object'],
    [JSON.stringify({ ...HEAD, range: '2h' }), 'another range'],
    [JSON.stringify({ ...HEAD, revision: 1.5 }), 'a count that is not whole'],
    [JSON.stringify({ ...HEAD, revision: -1 }), 'a count below 0'],
    [JSON.stringify({ ...HEAD, networks: {} }), 'a panel that is none'],
  ])('%s: %s', (text) => {
    const read = readInsights(text);
    expect(read.ok ? undefined : read.failure.kind).toBe('malformed');
  });
});
