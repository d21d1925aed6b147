import { countOf, groupDigits } from '@/lib/core/numbers';
import { formatIsoMillis } from '@/lib/core/time';
import type { Zone } from '@/lib/core/time-text';
import type { ColumnLayout } from './columns';
import { formatRequestsUrl, omit, type RequestsView, rangeMs, viewNowMs } from './view';

/** What is on the sender's screen and does not stand in the URL. */
export type SharedAs = {
  /** ISO time that the rows are pinned to; undefined while none are there, then it is now. */
  asof: string | undefined;
  total: string | undefined;
  layout: ColumnLayout;
  zone: Zone;
  nowMs: number;
};

/**
 * The view that shows somebody else the same rows: its time absolute, pinned to the moment of these rows, with columns, style
 * of times and total of the sender. No link sets a list in motion (`live`).
 */
export function sharedView(
  view: RequestsView,
  { layout: columns, zone, total, nowMs, ...as }: SharedAs,
): RequestsView {
  const asof = as.asof ?? view.asof ?? formatIsoMillis(nowMs);
  const expected = total === undefined ? {} : { expected: total };
  const shared = { ...omit(view, 'live', 'expected'), asof, columns, zone, ...expected };
  if (view.time.kind !== 'last') return shared;
  // The same bounds as the server makes of a range: from whole seconds, rounded down.
  const endMs = Math.floor(viewNowMs(shared, nowMs) / 1000) * 1000;
  const from = formatIsoMillis(endMs - (rangeMs(view.time.range) ?? 0));
  return { ...shared, time: { kind: 'between', from, to: asof } };
}

/** The whole link, for a page at `origin`. `snapshot`: to these rows; else to what matches when it is opened. */
export function sharedLink(
  view: RequestsView,
  as: SharedAs,
  origin: string,
  kind: 'snapshot' | 'live' = 'snapshot',
): string {
  const goesOn = { ...omit(view, 'asof', 'live', 'expected'), columns: as.layout, zone: as.zone };
  return `${origin}${formatRequestsUrl(kind === 'snapshot' ? sharedView(view, as) : goesOn)}`;
}

/** What the receiver of a link is told when the rows are no longer as many as the sender saw; else undefined. */
export function expectedDifference(
  { expected }: RequestsView,
  { total }: { total: string },
): string | undefined {
  if (expected === undefined || BigInt(expected) === BigInt(total)) return undefined;
  return `Shared with ${countOf(expected, 'request')}, now ${groupDigits(total)}`;
}
