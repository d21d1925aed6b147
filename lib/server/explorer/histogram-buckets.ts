import 'server-only';
import type { HistogramHead } from '@/lib/contract/codec/histogram';
import { formatIsoMillis, unixMillis } from '@/lib/domain/units';
import type { LogFilter } from './log-source';

/** Where the buckets lie; see `HistogramHead`. */
export type Buckets = Pick<HistogramHead, 'fromMs' | 'toMs' | 'startMs' | 'endMs' | 'bucketMs' | 'buckets'>;

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;

/** Lengths that clocks and calendars have marks for, shortest first; each holds a whole number of seconds. */
const LENGTHS = [
  ...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR),
  ...[1, 2].map((n) => n * DAY),
  ...[1, 4, 13, 52].map((n) => n * WEEK),
];

/** A Monday, 1970-01-05, since weeks begin there; for the lengths up to a day it makes no difference. */
const ORIGIN_MS = 4 * DAY;

function floorTo(ms: number, bucketMs: number): number {
  return ORIGIN_MS + Math.floor((ms - ORIGIN_MS) / bucketMs) * bucketMs;
}

function countFor(startMs: number, endMs: number, bucketMs: number): number {
  return (floorTo(endMs, bucketMs) - floorTo(startMs, bucketMs)) / bucketMs + 1;
}

/**
 * The shortest round buckets that cover `startMs` to `endMs` (both inclusive) with at most `most` of them. An end before
 * the start gives none.
 */
export function bucketsFor(startMs: number, endMs: number, most: number): Buckets {
  let bucketMs = LENGTHS.find((length) => countFor(startMs, endMs, length) <= most) ?? 52 * WEEK;
  while (countFor(startMs, endMs, bucketMs) > most) bucketMs *= 2;
  const fromMs = floorTo(startMs, bucketMs);
  const buckets = endMs < startMs ? 0 : countFor(startMs, endMs, bucketMs);
  return { fromMs, toMs: fromMs + buckets * bucketMs, startMs, endMs, bucketMs, buckets };
}

/** The bucket that a moment of the view lies in; undefined outside of the view. */
export function bucketAt({ fromMs, startMs, endMs, bucketMs }: Buckets, ms: number): number | undefined {
  return ms < startMs || ms > endMs ? undefined : Math.floor((ms - fromMs) / bucketMs);
}

/**
 * The filter of one bucket. Together the buckets ask for each row of `filter` once: the first one keeps its beginning,
 * the last one its end, and all others end a nanosecond before the next one begins, since services write times as fine
 * as that and both bounds are inclusive.
 */
export function bucketFilter(filter: LogFilter, buckets: Buckets, index: number): LogFilter {
  const from = buckets.fromMs + index * buckets.bucketMs;
  const isLast = index === buckets.buckets - 1;
  return {
    ...filter,
    ...(index === 0 ? {} : { min: formatIsoMillis(unixMillis(from)) }),
    ...(isLast ? {} : { max: justBefore(from + buckets.bucketMs) }),
  };
}

/** The last nanosecond before a whole second. */
function justBefore(ms: number): string {
  return `${formatIsoMillis(unixMillis(ms - 1)).slice(0, 19)}.999999999Z`;
}
