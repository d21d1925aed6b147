import { countOf, groupDigits } from '@/lib/core/numbers';
import { formatIsoMillis } from '@/lib/core/time';
import type { Zone } from '@/lib/core/time-text';
import type { ColumnLayout } from './columns';
import { omit, type RequestsView, rangeMs, viewNowMs } from './view';
import { formatRequestsUrl } from './view-url';

/** Parts of the sender's screen that are not in the URL. */
export type SharedAs = {
  /** ISO time to which the rows are pinned; undefined without rows, which means now. */
  asof: string | undefined;
  total: string | undefined;
  layout: ColumnLayout;
  zone: Zone;
  nowMs: number;
};

/**
 * Shows the same rows to somebody else: absolute times, pinned, with the columns, time style and total of the sender.
 * A link never turns on live mode.
 */
function sharedView(
  view: RequestsView,
  { layout: columns, zone, total, nowMs, ...as }: SharedAs,
): RequestsView {
  const asof = as.asof ?? view.asof ?? formatIsoMillis(nowMs);
  const expected = total === undefined ? {} : { expected: total };
  const shared = { ...omit(view, 'live', 'expected'), asof, columns, zone, ...expected };
  if (view.time.kind !== 'last') return shared;
  const start = formatIsoMillis(viewNowMs(shared, nowMs) - (rangeMs(view.time.range) ?? 0));
  return { ...shared, time: { kind: 'between', from: start, to: asof } };
}

/** `snapshot` leads to these rows, `live` to the matches at the time of opening. */
export function sharedLink(
  view: RequestsView,
  as: SharedAs,
  origin: string,
  kind: 'snapshot' | 'live' = 'snapshot',
): string {
  const goesOn = { ...omit(view, 'asof', 'live', 'expected'), columns: as.layout, zone: as.zone };
  return `${origin}${formatRequestsUrl(kind === 'snapshot' ? sharedView(view, as) : goesOn)}`;
}

/** The rows more or fewer than the sender of a link saw; undefined unless their number has changed. */
export function expectedDifference(
  { expected }: RequestsView,
  { total }: { total: string },
): string | undefined {
  if (expected === undefined || BigInt(expected) === BigInt(total)) return undefined;
  return `Shared with ${countOf(expected, 'request')}, now ${groupDigits(total)}`;
}

/** Note of a pinned list; undefined unless it lacks requests that were created before its moment. */
export function lateNote({ late = 0 }: { late?: number | undefined }): string | undefined {
  if (late === 0) return undefined;
  return `${countOf(late, 'request')} created before the moment of this list could only be read later, and ${late === 1 ? 'is' : 'are'} not in it`;
}
