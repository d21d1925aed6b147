import 'server-only';
import type { Histogram } from '@/lib/requests/summary';

/** Where the buckets lie, and how many there are. */
export type Buckets = Omit<Histogram, 'buckets'> & { buckets: number };

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
