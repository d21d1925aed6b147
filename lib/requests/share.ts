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
  { layout, zone, total, nowMs, ...as }: SharedAs,
): RequestsView {
  const asof = as.asof ?? view.asof ?? formatIsoMillis(nowMs);
  const { time } = view;
  // The same bounds as the server makes of a range: from whole seconds, rounded down.
  const endMs = Math.floor(viewNowMs({ ...view, asof }, nowMs) / 1000) * 1000;
  const from = time.kind === 'last' ? formatIsoMillis(endMs - (rangeMs(time.range) ?? 0)) : undefined;
  return {
    ...omit(view, 'live', 'expected'),
    time: from === undefined ? time : { kind: 'between', from, to: asof },
    asof,
    columns: layout,
    zone,
    ...(total === undefined ? {} : { expected: total }),
  };
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
