import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addCounts,
  type HistogramLine,
  noCounts,
  readHistogramLine,
  sumOf,
  writeHistogramLine,
} from './histogram';

const whole = fc.nat(2 ** 31 - 1);
const counts = fc.record({
  completed: whole,
  'callback-failed': whole,
  failed: whole,
  pending: whole,
  unknown: whole,
});
const head = fc.record({
  fromMs: fc.integer(),
  toMs: fc.integer(),
  startMs: fc.integer(),
  endMs: fc.integer(),
  bucketMs: fc.integer({ min: 1, max: 2 ** 31 }),
  buckets: fc.nat(120),
  exact: fc.constantFrom('rows' as const, 'counts' as const),
  total: fc.bigInt({ min: 0n, max: 2n ** 64n }).map(String),
});
const failure = fc.record({
  kind: fc.constantFrom('rejected' as const, 'too-many' as const, 'timeout' as const),
  detail: fc.string(),
});
const anyLine: fc.Arbitrary<HistogramLine> = fc.oneof(
  fc.record({ kind: fc.constant('head' as const), head }),
  fc.record({ kind: fc.constant('bucket' as const), index: fc.nat(119), counts }),
  fc.record({ kind: fc.constant('unplaced' as const), rows: whole }),
  fc.constant({ kind: 'complete' as const }),
  fc.record({ kind: fc.constant('problem' as const), failure }),
);

describe('a line of the histogram', () => {
  it('reads back as it was written', () => {
    fc.assert(
      fc.property(anyLine, (line) => {
        const text = writeHistogramLine(line);
        expect(text).not.toContain('\n');
        expect(readHistogramLine(text)).toEqual(line);
      }),
    );
  });

  it('that is not ours is nothing', () => {
    const bad = ['', 'x', 'null', '[]', '{}', '{"index":-1}', '{"index":1,"counts":{"pending":1}}'];
    for (const text of [...bad, '{"fromMs":1,"exact":"rows","total":"1"}', '{"problem":{"kind":"odd"}}']) {
      expect(readHistogramLine(text)).toBeUndefined();
    }
  });

  it('keeps the service and the wait of a problem, but not the status of the service', () => {
    const given = {
      kind: 'problem' as const,
      failure: {
        kind: 'rate-limited' as const,
        service: 'logs' as const,
        detail: 'slow down',
        retryAfterS: 7,
      },
    };
    expect(readHistogramLine(writeHistogramLine(given))).toEqual(given);
    const failure = { ...given.failure, upstreamStatus: 429 };
    expect(writeHistogramLine({ kind: 'problem', failure })).toBe(writeHistogramLine(given));
  });
});

it('adds counts state by state', () => {
  fc.assert(
    fc.property(counts, counts, (a, b) => {
      expect(sumOf(addCounts(a, b))).toBe(sumOf(a) + sumOf(b));
      expect(addCounts(a, noCounts())).toEqual(a);
    }),
  );
});
