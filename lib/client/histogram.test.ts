import { describe, expect, it } from 'vitest';
import { type HistogramHead, noCounts, writeHistogramLine } from '@/lib/contract/codec/histogram';
import { defaultRequestsView } from '@/lib/requests/view';
import {
  countedBuckets,
  type HistogramAnswer,
  histogramPath,
  loadHistogram,
  nextPin,
  nothingOf,
  shownHistogram,
  withHistogramLines,
  worthKeeping,
} from './histogram';

const ASOF = '2026-11-20T08:00:00.000Z';
const HEAD: HistogramHead = {
  fromMs: 0,
  toMs: 3000,
  startMs: 500,
  endMs: 2500,
  bucketMs: 1000,
  buckets: 3,
  exact: 'rows',
  total: '5',
};
const head = writeHistogramLine({ kind: 'head', head: HEAD });
const bucket = (index: number) =>
  writeHistogramLine({ kind: 'bucket', index, counts: { ...noCounts(), pending: index } });

describe('a histogram', () => {
  it('fills in as its lines come, in any order', () => {
    const first = withHistogramLines(nothingOf(ASOF), [head, bucket(2)]);
    expect(first.buckets).toEqual([undefined, undefined, { ...noCounts(), pending: 2 }]);
    expect([countedBuckets(first), first.complete]).toEqual([1, false]);
    const rest = withHistogramLines(first, [
      bucket(0),
      'odd',
      bucket(9),
      '{"unplaced":4}',
      '{"complete":true}',
    ]);
    expect([countedBuckets(rest), rest.complete, rest.unplaced]).toEqual([2, true, 4]);
    expect(countedBuckets(first)).toBe(1);
  });

  it('that is cut off says so, and one that failed says why', async () => {
    const asked = { asof: ASOF, signal: new AbortController().signal, onAnswer: () => {} };
    const load = (...lines: string[]) =>
      loadHistogram('/x', { ...asked, fetch: async () => new Response(lines.join('\n')) });
    expect((await load(head, bucket(1))).failure?.kind).toBe('unreachable');
    const failed = await load(head, '{"problem":{"kind":"failing","service":"logs","detail":"down"}}');
    expect(failed.failure).toEqual({ kind: 'failing', service: 'logs', detail: 'down' });
    expect(await load(head, '{"complete":true}')).not.toHaveProperty('failure');
  });

  it('is asked for with the filters of the view, pinned to a moment', () => {
    const view = { ...defaultRequestsView(), states: ['failed'], page: 7, live: 3 };
    expect(histogramPath(view, ASOF)).toBe(
      '/api/view/requests/histogram?state=failed&asof=2026-11-20T08%3A00%3A00.000Z&buckets=61',
    );
  });
});

describe('what is shown', () => {
  const begun = withHistogramLines(nothingOf(ASOF), [head, bucket(1)]);
  const complete = withHistogramLines(begun, ['{"complete":true}']);
  const failure = { kind: 'failing', service: 'logs', detail: 'down' } as const;

  it('is the histogram of the view before until the first line of the new one is there', () => {
    const last = { of: 'a', answer: complete };
    const before = { shown: complete, of: 'before' };
    expect(shownHistogram(last, 'b', undefined)).toEqual({ ...before, next: undefined });
    expect(shownHistogram(last, 'b', nothingOf(ASOF))).toMatchObject(before);
    expect(shownHistogram(last, 'b', begun)).toEqual({ shown: begun, of: 'view', next: undefined });
    const failed = { ...nothingOf(ASOF), failure };
    expect(shownHistogram(last, 'b', failed)).toEqual({ shown: failed, of: 'view', next: undefined });
  });

  it('is the one before of the same view until the new one is complete', () => {
    const last = { of: 'a', answer: complete };
    expect(shownHistogram(last, 'a', begun)).toEqual({ shown: complete, of: 'view', next: begun });
    const newer = { ...complete, asof: '2026-11-20T09:00:00.000Z' };
    expect(shownHistogram(last, 'a', newer)).toEqual({ shown: newer, of: 'view', next: undefined });
  });

  it('may be one that is only half counted, but none that failed or has no first line', () => {
    expect(worthKeeping(undefined, 'a', nothingOf(ASOF))).toBe('no');
    expect(worthKeeping(undefined, 'a', { ...begun, failure })).toBe('no');
    expect(worthKeeping({ of: 'a', answer: complete }, 'b', begun)).toBe('yes');
    expect(worthKeeping({ of: 'a', answer: complete }, 'a', begun)).toBe('no');
    expect(worthKeeping({ of: 'a', answer: begun }, 'a', complete)).toBe('yes');
    expect(worthKeeping({ of: 'a', answer: complete }, 'a', complete)).toBe('no');
  });
});

describe('the moment of a histogram', () => {
  const later = (seconds: number) => new Date(Date.parse(ASOF) + seconds * 1000).toISOString();
  const complete = (bucketMs: number): HistogramAnswer => ({
    ...nothingOf(ASOF),
    head: { ...HEAD, bucketMs },
    complete: true,
  });

  it('is that of the rows', () => {
    expect(nextPin({ pin: ASOF, answer: undefined }, later(1), 'still')).toBe(later(1));
  });

  it('waits, while new rows are followed, until the last one is complete and the difference shows', () => {
    expect(nextPin({ pin: ASOF, answer: undefined }, later(3600), 'live')).toBe(ASOF);
    const minutes = { pin: ASOF, answer: complete(60_000) };
    expect(nextPin(minutes, later(14), 'live')).toBe(ASOF);
    expect(nextPin(minutes, later(15), 'live')).toBe(later(15));
    const halfHours = { pin: ASOF, answer: complete(1_800_000) };
    expect(nextPin(halfHours, later(299), 'live')).toBe(ASOF);
    expect(nextPin(halfHours, later(300), 'live')).toBe(later(300));
  });
});
