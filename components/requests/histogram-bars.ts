import {
  type BucketCounts,
  HISTOGRAM_STATES,
  type HistogramHead,
  type HistogramState,
  sumOf,
} from '@/lib/contract/codec/histogram';

/** Where a drawing happens, CSS pixels. */
export type Plot = { width: number; height: number };

/** Outlines of all segments of a state, and of the buckets that are not counted yet, as path data of an SVG. */
export type Bars = Record<HistogramState | 'waiting', string>;

/** A single row among a million must not vanish. */
const LEAST_HEIGHT = 2;
/** Segments from this height on stand apart by a line. */
const APART_HEIGHT = 4;
/** Slots from this width on stand apart by a gap. */
const APART_WIDTH = 4;

/** Left edge and width of a bucket's bar, in whole pixels. */
export function barOf(index: number, buckets: number, width: number): { x: number; width: number } {
  const x = Math.round((index * width) / buckets);
  const end = Math.round(((index + 1) * width) / buckets);
  const gap = width / buckets >= APART_WIDTH ? 1 : 0;
  return { x, width: Math.max(1, end - x - gap) };
}

/** The bucket at a distance from the left edge; the nearest one beyond the edges. */
export function bucketUnder(x: number, buckets: number, width: number): number {
  const index = Math.floor((x / Math.max(1, width)) * buckets);
  return Math.max(0, Math.min(buckets - 1, index));
}

/** Heights of a bar's segments from the bottom up: none that has rows is lost, the largest one makes room. */
export function segmentHeights(
  counts: BucketCounts,
  highest: number,
  height: number,
): Record<HistogramState, number> {
  const total = sumOf(counts);
  const whole = total === 0 ? 0 : Math.max(LEAST_HEIGHT, (total / Math.max(1, highest)) * height);
  const heights = { completed: 0, 'callback-failed': 0, failed: 0, pending: 0, unknown: 0 };
  let largest: HistogramState = 'completed';
  for (const state of HISTOGRAM_STATES) {
    if (counts[state] > counts[largest]) largest = state;
    if (counts[state] > 0) heights[state] = Math.max(LEAST_HEIGHT, (counts[state] / total) * whole);
  }
  const others = HISTOGRAM_STATES.reduce((sum, one) => sum + (one === largest ? 0 : heights[one]), 0);
  if (total > 0) heights[largest] = Math.max(LEAST_HEIGHT, whole - others);
  return heights;
}

/** All bars of a histogram. The same states make one outline, so that a plot has few elements however many buckets. */
export function barsOf(buckets: readonly (BucketCounts | undefined)[], { width, height }: Plot): Bars {
  const highest = Math.max(1, ...buckets.map((counts) => (counts === undefined ? 0 : sumOf(counts))));
  const bars: Bars = {
    completed: '',
    'callback-failed': '',
    failed: '',
    pending: '',
    unknown: '',
    waiting: '',
  };
  for (const [index, counts] of buckets.entries()) {
    const bar = barOf(index, buckets.length, width);
    if (counts === undefined) {
      bars.waiting += outline(bar, 0, height);
      continue;
    }
    const heights = segmentHeights(counts, highest, height);
    let bottom = height;
    for (const state of HISTOGRAM_STATES) {
      if (heights[state] === 0) continue;
      const apart = heights[state] >= APART_HEIGHT && bottom < height ? 1 : 0;
      bars[state] += outline(bar, bottom - heights[state], bottom - apart);
      bottom -= heights[state];
    }
  }
  return bars;
}

function outline({ x, width }: { x: number; width: number }, top: number, bottom: number): string {
  const round = (value: number) => Math.round(value * 10) / 10;
  return `M${x} ${round(top)}h${width}V${round(bottom)}h${-width}z`;
}

/** The stretch of the plot that rows from `oldestMs` to `newestMs` cover; undefined when they lie outside of it. */
export function coverageOf(
  head: HistogramHead,
  oldestMs: number,
  newestMs: number,
  width: number,
): { x: number; width: number } | undefined {
  if (head.buckets === 0 || newestMs < head.startMs || oldestMs > head.endMs) return undefined;
  const place = (ms: number) =>
    ((Math.max(head.startMs, Math.min(head.endMs, ms)) - head.fromMs) / (head.toMs - head.fromMs)) * width;
  const [from, to] = [place(oldestMs), place(newestMs)];
  const least = Math.min(3, width);
  const x = Math.min(from, width - least);
  return { x, width: Math.max(least, to - x) };
}
