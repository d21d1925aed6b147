import type { SpanTotals } from '@/lib/core/span-figures';
import { formatIsoMicros, formatIsoMillis, unixMicros } from '@/lib/core/time';
import { defaultRequestsView, formatRequestsUrl, type RequestsView } from '@/lib/requests/view';
import type { Insights } from './answer';
import type { FigureId } from './figures';
import type { InsightsView } from './view';

/** Where the rows of a figure are: the very ones that it counts, and no row that came later. */

/** Of what the figures are: an answer without its panels, and how it was asked for. */
export type Scope = Pick<Insights, 'asof' | 'startMs' | 'endMs'> & {
  view: InsightsView;
  /** All that there are, the default one first. */
  keepers: readonly string[];
};

const iso = (ms: number) => formatIsoMillis(ms);

function viewOf({ view, keepers, asof }: Scope): RequestsView {
  // The table shows the first keeper where none is named, the overview all of them.
  const named = view.keepers.length === 0 && keepers.length > 1 ? [...keepers] : view.keepers;
  return { ...defaultRequestsView(), networks: view.networks, keepers: named, asof };
}

export function rowsPath(scope: Scope, change: Partial<RequestsView> = {}) {
  const to = scope.view.between === undefined ? {} : { to: iso(scope.endMs) };
  return formatRequestsUrl({
    ...viewOf(scope),
    time: { kind: 'between', from: iso(scope.startMs), ...to },
    ...change,
  });
}

/** Rows that are pending, whenever they were created. */
export function pendingPath(scope: Scope, change: Partial<RequestsView> = {}) {
  return formatRequestsUrl({ ...viewOf(scope), states: ['pending'], time: { kind: 'all' }, ...change });
}

/** A part of the span, unix milliseconds; without an end up to whatever was seen last. */
export type SpanPart = { fromMs: number; toMs: number | undefined };

/** These buckets of an answer, both included, in any order; the outer ones are cut short as the span is. */
export function partOf(
  { startMs, endMs, buckets, view }: Scope & Pick<Insights, 'buckets'>,
  one: number,
  other = one,
): SpanPart {
  const [first, last] = one < other ? [one, other] : [other, one];
  const toMs = buckets.fromMs + (last + 1) * buckets.bucketMs;
  const isLast = last >= buckets.count - 1;
  return {
    fromMs: Math.max(startMs, buckets.fromMs + first * buckets.bucketMs),
    toMs: isLast ? (view.between === undefined ? undefined : endMs) : toMs,
  };
}

/** The rows of a part: a bucket ends a microsecond before the next one begins. */
export function partPath(scope: Scope, { fromMs, toMs }: SpanPart) {
  const isEnd = toMs === undefined || toMs === scope.endMs;
  const end =
    toMs === undefined
      ? {}
      : { to: isEnd ? iso(toMs) : formatIsoMicros(unixMicros(BigInt(toMs) * 1000n - 1n)) };
  return rowsPath(scope, { time: { kind: 'between', from: iso(fromMs), ...end } });
}

/** How many rows a figure is made of, and where they are. */
export function figureRows(id: FigureId, scope: Scope, now: SpanTotals, pending: number) {
  const { requests, completed, callbackFailed, failed, called } = now;
  const finished = completed + callbackFailed;
  const timed: Partial<RequestsView> = {
    states: ['completed', 'callback-failed'],
    sort: 'duration.desc',
    // A row without a time to callback is in no percentile.
    ...(called === finished ? {} : { duration: { min: '0' } }),
  };
  switch (id) {
    case 'requests':
      return { rows: requests, href: rowsPath(scope) };
    case 'success-rate':
      return {
        rows: finished + failed,
        href: rowsPath(scope, { states: ['completed', 'callback-failed', 'failed'] }),
      };
    case 'callback-failures':
      return { rows: callbackFailed, href: rowsPath(scope, { states: ['callback-failed'] }) };
    case 'p50':
    case 'p95':
      return { rows: called, href: rowsPath(scope, timed) };
    case 'pending':
      return { rows: pending, href: pendingPath(scope, { sort: 'created.asc' }) };
  }
}
