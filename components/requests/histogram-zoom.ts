import type { HistogramHead } from '@/lib/contract/codec/histogram';
import { formatIsoMillis, formatIsoSeconds, parseIsoTime, unixMillis } from '@/lib/domain/units';
import { type RequestsView, type TimeFilter, withFilter } from '@/lib/requests/view';

/** Buckets from one to another, both included, in any order. */
export type BucketRange = { anchor: number; at: number };

/** Where one was before zooming in: by the time filter that the zoom led to. The latest few are enough. */
export type ZoomTrail = Map<string, Pick<RequestsView, 'time' | 'asof'>>;
const LONGEST_TRAIL = 50;

type Between = Extract<TimeFilter, { kind: 'between' }>;

function trailKey({ from = '', to = '' }: Between): string {
  return `${from}/${to}`;
}

/** The time of these buckets, unix milliseconds, both ends inclusive, as the view cuts the outer ones short. */
export function timeOfBuckets(
  head: HistogramHead,
  { anchor, at }: BucketRange,
): { fromMs: number; toMs: number } {
  const [first, last] = [Math.min(anchor, at), Math.max(anchor, at)];
  return {
    fromMs: Math.max(head.startMs, head.fromMs + first * head.bucketMs),
    toMs: Math.min(head.endMs, head.fromMs + (last + 1) * head.bucketMs - 1),
  };
}

/** `2026-11-20T08:00:00Z`, with milliseconds only where there are any. */
function isoOf(ms: number): string {
  return ms % 1000 === 0 ? formatIsoSeconds(unixMillis(ms)) : formatIsoMillis(unixMillis(ms));
}

/** The end of a bucket to the nanosecond, as the rows in it were counted. */
function endOf(ms: number): string {
  return `${formatIsoSeconds(unixMillis(ms)).slice(0, 19)}.999999999Z`;
}

/** The text that stands for this moment already, with all its digits, else one that is made. */
function sameMoment(ms: number, texts: (string | undefined)[]): string {
  return texts.find((text) => text !== undefined && parseIsoTime(text) === ms) ?? isoOf(ms);
}

/** The view of these buckets and nothing else. It does not follow new rows: there are none in the past. */
export function zoomedIn(
  view: RequestsView,
  head: HistogramHead,
  range: BucketRange,
  asof: string,
  trail: ZoomTrail,
): RequestsView {
  const { fromMs, toMs } = timeOfBuckets(head, range);
  const given: Between = view.time.kind === 'between' ? view.time : { kind: 'between' };
  const isWhole = (toMs + 1) % 1000 === 0 && toMs < head.endMs;
  const time: Between = {
    kind: 'between',
    from: sameMoment(fromMs, [given.from]),
    to: isWhole ? endOf(toMs) : sameMoment(toMs, [given.to, asof]),
  };
  trail.set(trailKey(time), {
    time: view.time,
    ...(view.asof === undefined ? {} : { asof: view.asof }),
  });
  for (const oldest of trail.keys()) {
    if (trail.size <= LONGEST_TRAIL) break;
    trail.delete(oldest);
  }
  const { live: _live, ...still } = view;
  return withFilter(still, { time });
}

/**
 * One step back out: the time before the zoom, else three times the span around its middle. Undefined for a time that is
 * no stretch with two ends.
 */
export function zoomedOut(view: RequestsView, trail: ZoomTrail): RequestsView | undefined {
  if (view.time.kind !== 'between') return undefined;
  const before = trail.get(trailKey(view.time));
  if (before !== undefined) return withFilter(view, before);
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
