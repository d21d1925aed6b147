import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HISTOGRAM_STATES, type HistogramHead, noCounts, sumOf } from '@/lib/contract/codec/histogram';
import { barOf, barsOf, bucketUnder, coverageOf, segmentHeights } from './histogram-bars';

const count = fc.oneof(fc.constant(0), fc.nat(5), fc.nat(1_000_000));
const counts = fc.record({
  completed: count,
  'callback-failed': count,
  failed: count,
  pending: count,
  unknown: count,
});

describe('bars', () => {
  it('fill the width in order and do not overlap', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 120 }), fc.integer({ min: 120, max: 2000 }), (buckets, width) => {
        const bars = Array.from({ length: buckets }, (_, index) => barOf(index, buckets, width));
        expect(bars[0]?.x).toBe(0);
        for (const [index, bar] of bars.entries()) {
          expect(bar.width).toBeGreaterThanOrEqual(1);
          expect(bar.x + bar.width).toBeLessThanOrEqual(bars[index + 1]?.x ?? width);
          expect(bucketUnder(bar.x + bar.width / 2, buckets, width)).toBe(index);
        }
      }),
    );
  });

  it('show every state that has rows, and never grow out of the plot', () => {
    fc.assert(
      fc.property(counts, fc.nat(1_000_000), (some, more) => {
        const highest = sumOf(some) + more;
        const heights = segmentHeights(some, highest, 40);
        const all = HISTOGRAM_STATES.reduce((sum, state) => sum + heights[state], 0);
        for (const state of HISTOGRAM_STATES) {
          if (some[state] > 0) expect(heights[state]).toBeGreaterThanOrEqual(2);
          else expect(heights[state]).toBe(0);
        }
        expect(all).toBeLessThanOrEqual(40.001);
      }),
    );
  });

  it('make one outline per state, and one for all that is not counted yet', () => {
    const bars = barsOf([{ ...noCounts(), pending: 1 }, undefined, { ...noCounts(), pending: 2 }], {
      width: 30,
      height: 10,
    });
    expect(bars.pending).toBe('M0 5h9V10h-9zM20 0h9V10h-9z');
    expect(bars.waiting).toBe('M10 0h9V10h-9z');
    expect(bars.completed).toBe('');
  });

  it('beyond the edges are the outer ones', () => {
    expect([bucketUnder(-5, 10, 100), bucketUnder(500, 10, 100), bucketUnder(5, 10, 0)]).toEqual([0, 9, 9]);
  });
});

describe('the stretch that the rows of the table cover', () => {
  const head: HistogramHead = {
    fromMs: 0,
    toMs: 1000,
    startMs: 100,
    endMs: 950,
    bucketMs: 100,
    buckets: 10,
    exact: 'rows',
    total: '9',
  };

  it.each([
    ['inside', 200, 500, { x: 20, width: 30 }],
    ['cut at the ends of the view', -50, 5000, { x: 10, width: 85 }],
    ['at least wide enough to be seen', 500, 500, { x: 50, width: 3 }],
    ['not past the edge', 950, 950, { x: 95, width: 3 }],
    ['nowhere', 2000, 3000, undefined],
  ])('is %s', (_name, oldest, newest, expected) => {
    expect(coverageOf(head, oldest, newest, 100)).toEqual(expected);
  });
});
