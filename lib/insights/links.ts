import { formatIsoMicros, formatIsoMillis, unixMicros } from '@/lib/core/time';
import { defaultRequestsView, type RequestsView } from '@/lib/requests/view';
import { formatRequestsUrl } from '@/lib/requests/view-url';
import type { Insights } from './insights-response';
import type { InsightsView } from './view';

/** Links from figures to their rows: exactly the rows that were counted, and none that came later. */

/** Scope of the figures: an answer without its panels, and its view. */
export type Scope = Pick<Insights, 'asof' | 'startMs' | 'endMs'> & {
  view: InsightsView;
  /** All keepers, the default one first. */
  keepers: readonly string[];
};

/**
 * Path of the table with the rows of a scope. @param change members of the view to change; its times are those of the
 * span
 */
export function rowsPath({ view, asof, startMs, endMs }: Scope, change: Partial<RequestsView> = {}) {
  const { between, networks, keepers } = view;
  return formatRequestsUrl({
    ...defaultRequestsView(),
    networks,
    keepers,
    asof,
    time: { kind: 'between', from: formatIsoMillis(startMs), ...(between && { to: formatIsoMillis(endMs) }) },
    ...change,
  });
}

/**
 * Time span of two buckets and all between them, in any order, in unix ms. It is open-ended if it reaches the newest
 * rows.
 */
export function partOf(
  { startMs, endMs, buckets, view }: Scope & Pick<Insights, 'buckets'>,
  a: number,
  b = a,
): { fromMs: number; toMs: number | undefined } {
  const [first, last] = a < b ? [a, b] : [b, a];
  const startOf = (at: number) => buckets.fromMs + at * buckets.bucketMs;
  const toMs = last < buckets.count - 1 ? startOf(last + 1) : view.between && endMs;
  return { fromMs: Math.max(startMs, startOf(first)), toMs };
}

/** Path of the rows of a part. A bucket ends a microsecond before the next one begins. */
export function partPath(scope: Scope, { fromMs, toMs }: ReturnType<typeof partOf>) {
  const isEnd = toMs === scope.endMs;
  const to = toMs && (isEnd ? formatIsoMillis(toMs) : formatIsoMicros(unixMicros(BigInt(toMs) * 1000n - 1n)));
  return rowsPath(scope, { time: { kind: 'between', from: formatIsoMillis(fromMs), ...(to ? { to } : {}) } });
}
