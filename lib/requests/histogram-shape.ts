import { formatIsoMillis, formatIsoSeconds, parseIsoTime, unixMillis } from '@/lib/core/time';
import { addCounts, type BucketCounts, HISTOGRAM_STATES, noCounts, sumOf } from './histogram';
import type { Histogram } from './summary';
import { withFilter } from './view';
import type { RequestsView, TimeFilter } from './view-shape';

/** What a histogram looks like, and what of the time is chosen on it: all pure. */

/** Buckets from one to another, both included, in any order. */
export type BucketRange = { anchor: number; at: number };

/** Left edge and width of a bucket's bar, in whole CSS pixels. */
export function barOf(index: number, buckets: number, width: number): { x: number; width: number } {
  const x = Math.round((index * width) / buckets);
  const end = Math.round(((index + 1) * width) / buckets);
  const gap = width / buckets >= 4 ? 1 : 0;
  return { x, width: Math.max(1, end - x - gap) };
}

/** The bucket at a distance from the left edge; the nearest one beyond the edges. */
export function bucketUnder(x: number, buckets: number, width: number): number {
  const index = Math.floor((x / Math.max(1, width)) * buckets);
  return Math.max(0, Math.min(buckets - 1, index));
}

/** A single row among a million must not vanish, CSS pixels. */
const LEAST_PX = 2;

type Stack = readonly (keyof BucketCounts)[];
/** What went well or may still, from the bottom up; and what did not, on a scale of its own above. */
export const FINE: Stack = ['completed', 'pending', 'unknown'];
export const FAILURES: Stack = ['callback-failed', 'failed'];

/** The most rows of these states in one bucket. */
export function highestOf(counts: readonly BucketCounts[], states: Stack): number {
  return counts.reduce(
    (most, one) =>
      Math.max(
        most,
        states.reduce((sum, state) => sum + one[state], 0),
      ),
    0,
  );
}

/** All bars of these states as path data of an SVG, by state: few elements, however many buckets. */
export function barPaths(
  counts: readonly BucketCounts[],
  states: Stack,
  plot: { width: number; height: number },
): { state: keyof BucketCounts; d: string }[] {
  const highest = Math.max(1, highestOf(counts, states));
  const paths = states.map((state) => ({ state, d: '' }));
  for (const [index, one] of counts.entries()) {
    const { x, width } = barOf(index, counts.length, plot.width);
    let bottom = plot.height;
    for (const path of paths) {
      if (one[path.state] === 0) continue;
      const height = Math.max(LEAST_PX, Math.round((one[path.state] / highest) * plot.height));
      path.d += `M${x} ${bottom - height}h${width}v${height}h${-width}z`;
      bottom -= height;
    }
  }
  return paths.filter(({ d }) => d !== '');
}

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
const STEPS = [
  ...[1000, 5000, 15_000, 30_000, MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE],
  ...[
    HOUR,
    2 * HOUR,
    3 * HOUR,
    6 * HOUR,
    12 * HOUR,
    DAY,
    2 * DAY,
    7 * DAY,
    14 * DAY,
    30 * DAY,
    90 * DAY,
    365 * DAY,
  ],
];
const TICK_PX = 84;

/**
 * Round moments along the axis, with their places from 0 to 1.
 * @param offsetMs of the zone whose clock the axis shows
 */
export function timeTicks(
  { fromMs, toMs }: Pick<Histogram, 'fromMs' | 'toMs'>,
  width: number,
  offsetMs: number,
): { ms: number; at: number; unit: 'second' | 'minute' | 'day' }[] {
  const most = Math.max(2, Math.floor(width / TICK_PX));
  const step = STEPS.find((one) => (toMs - fromMs) / one <= most) ?? 365 * DAY;
  const unit = step >= DAY ? 'day' : step >= MINUTE ? 'minute' : 'second';
  const ticks: ReturnType<typeof timeTicks> = [];
  for (let ms = Math.ceil((fromMs + offsetMs) / step) * step - offsetMs; ms < toMs; ms += step) {
    ticks.push({ ms, at: (ms - fromMs) / (toMs - fromMs), unit });
  }
  return ticks.slice(0, 100);
}

/** The counts of these buckets together. */
export function countsOfRange({ buckets }: Pick<Histogram, 'buckets'>, range?: BucketRange): BucketCounts {
  const [first, last] =
    range === undefined ? [0, buckets.length - 1] : [range.anchor, range.at].sort((a, b) => a - b);
  return buckets.slice(first, (last ?? 0) + 1).reduce(addCounts, noCounts());
}

/** The states with rows, in the order of the bars. */
export function statesWithRows(counts: BucketCounts): (keyof BucketCounts)[] {
  return sumOf(counts) === 0 ? [] : HISTOGRAM_STATES.filter((state) => counts[state] > 0);
}

/** The time of these buckets, unix milliseconds, both ends inclusive, as the view cuts the outer ones short. */
export function timeOfRange(head: Histogram, { anchor, at }: BucketRange): { fromMs: number; toMs: number } {
  const [first, last] = [Math.min(anchor, at), Math.max(anchor, at)];
  return {
    fromMs: Math.max(head.startMs, head.fromMs + first * head.bucketMs),
    toMs: Math.min(head.endMs, head.fromMs + (last + 1) * head.bucketMs - 1),
  };
}

type Between = Extract<TimeFilter, { kind: 'between' }>;

/** `2026-11-20T08:00:00Z`, with milliseconds only where there are any. */
function isoOf(ms: number): string {
  return ms % 1000 === 0 ? formatIsoSeconds(unixMillis(ms)) : formatIsoMillis(unixMillis(ms));
}

/** The text that stands for this moment already, with all its digits, else one that is made. */
function sameMoment(ms: number, texts: (string | undefined)[]): string {
  return texts.find((text) => text !== undefined && parseIsoTime(text) === ms) ?? isoOf(ms);
}

/**
 * The view of these buckets and nothing else. It does not follow new rows: there are none in the past.
 * @param asof ISO time that the histogram is pinned to
 */
export function zoomedIn(
  view: RequestsView,
  head: Histogram,
  range: BucketRange,
  asof: string,
): RequestsView {
  const { fromMs, toMs } = timeOfRange(head, range);
  const given: Between = view.time.kind === 'between' ? view.time : { kind: 'between' };
  const isWhole = (toMs + 1) % 1000 === 0 && toMs < head.endMs;
  // The end of a bucket to the nanosecond, as the rows in it were counted.
  const end = `${formatIsoSeconds(unixMillis(toMs)).slice(0, 19)}.999999999Z`;
  const { live: _live, ...still } = view;
  return withFilter(still, {
    time: {
      kind: 'between',
      from: sameMoment(fromMs, [given.from]),
      to: isWhole ? end : sameMoment(toMs, [given.to, asof]),
    },
  });
}

/** Three times the span around its middle. Undefined for a time that is no stretch with two ends. */
export function zoomedOut(view: RequestsView): RequestsView | undefined {
  if (view.time.kind !== 'between') return undefined;
  const fromMs = parseIsoTime(view.time.from ?? '');
  const toMs = parseIsoTime(view.time.to ?? '');
  if (fromMs === undefined || toMs === undefined || toMs < fromMs) return undefined;
  const spanMs = Math.max(1000, toMs - fromMs);
  const from = Math.floor((fromMs - spanMs) / 1000) * 1000;
  const to = Math.ceil((toMs + spanMs) / 1000) * 1000;
  const time: Between = { kind: 'between', from: isoOf(from), to: isoOf(to) };
  const isNamed = parseIsoTime(time.from ?? '') === from && parseIsoTime(time.to ?? '') === to;
  return isNamed ? withFilter(view, { time }) : undefined;
}
