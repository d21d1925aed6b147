import { formatIsoMicros, formatIsoMillis, unixMicros } from '@/lib/core/time';
import { defaultRequestsView, type RequestsView } from '@/lib/requests/view';
import { formatRequestsUrl } from '@/lib/requests/view-url';
import type { Insights } from './insights-response';
import type { InsightsView } from './view';

/** Links lead to exactly the rows that were counted, and none that came later. */

export type Scope = Pick<Insights, 'asof' | 'startMs' | 'endMs'> & {
  view: InsightsView;
  /** The default keeper first. */
  keepers: readonly string[];
};

/** @param change of the view; its times are those of the span */
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

/** Unix ms, buckets in any order. Open-ended if it reaches the newest rows. */
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

/** A bucket ends a microsecond before the next one begins. */
export function partPath(scope: Scope, { fromMs, toMs }: ReturnType<typeof partOf>) {
  const isEnd = toMs === scope.endMs;
  const to = toMs && (isEnd ? formatIsoMillis(toMs) : formatIsoMicros(unixMicros(BigInt(toMs) * 1000n - 1n)));
  return rowsPath(scope, { time: { kind: 'between', from: formatIsoMillis(fromMs), ...(to ? { to } : {}) } });
}
