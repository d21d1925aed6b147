import { countOf, groupDigits } from '@/lib/core/numbers';
import { formatIsoMillis } from '@/lib/core/time';
import type { Zone } from '@/lib/core/time-text';
import type { Listing } from './answers';
import type { ColumnLayout } from './columns';
import { formatRequestsUrl, type RequestsView, rangeMs, type TimeFilter, viewNowMs } from './view';

/** What is on the sender's screen and does not stand in the URL. */
export type SharedAs = {
  /** ISO time that the rows are pinned to; undefined while none are there, then it is now. */
  asof: string | undefined;
  /** Decimal digits; undefined while not known. */
  total: string | undefined;
  layout: ColumnLayout;
  zone: Zone;
  /** Unix milliseconds. */
  nowMs: number;
};

/**
 * The view that shows somebody else the same rows: its time made absolute, pinned to the moment of the sender's rows, with
 * the sender's columns, style of times and total. Page, order, filters and the open row are the view's own; nobody's
 * list is set in motion (`live`) by a link.
 */
export function sharedView(view: RequestsView, as: SharedAs): RequestsView {
  const { live: _live, expected: _expected, ...rows } = view;
  const asof = as.asof ?? view.asof ?? formatIsoMillis(as.nowMs);
  return {
    ...rows,
    time: absoluteTime({ ...view, asof }, as.nowMs),
    asof,
    columns: as.layout,
    zone: as.zone,
    ...(as.total === undefined ? {} : { expected: as.total }),
  };
}

/** The same bounds as the server makes of a range: from whole seconds, rounded down. */
function absoluteTime(view: RequestsView & { asof: string }, nowMs: number): TimeFilter {
  if (view.time.kind !== 'last') return view.time;
  const endMs = Math.floor(viewNowMs(view, nowMs) / 1000) * 1000;
  const from = formatIsoMillis(endMs - (rangeMs(view.time.range) ?? 0));
  return { kind: 'between', from, to: view.asof };
}

/** The view as it goes on: nothing of it is pinned to a moment, so that it shows what matches when it is opened. */
function unpinnedView(view: RequestsView, as: Pick<SharedAs, 'layout' | 'zone'>): RequestsView {
  const { asof: _asof, live: _live, expected: _expected, ...rows } = view;
  return { ...rows, columns: as.layout, zone: as.zone };
}

/** The whole link, for a page at `origin`. `snapshot`: to these rows; else to what matches when it is opened. */
export function sharedLink(
  view: RequestsView,
  as: SharedAs,
  origin: string,
  kind: 'snapshot' | 'live' = 'snapshot',
): string {
  const shared = kind === 'snapshot' ? sharedView(view, as) : unpinnedView(view, as);
  return `${origin}${formatRequestsUrl(shared)}`;
}

/**
 * What the receiver of a link is told when the rows are no longer as many as the sender saw; undefined when they are, when
 * the link does not say, and while the rows are not there.
 */
export function expectedDifference(
  view: RequestsView,
  listing: Pick<Listing, 'total'> | undefined,
): string | undefined {
  const { expected } = view;
  const total = listing?.total;
  if (expected === undefined || total === undefined || BigInt(expected) === BigInt(total)) return undefined;
  return `Shared with ${countOf(expected, 'request', 'requests')}, now ${groupDigits(total)}`;
}
