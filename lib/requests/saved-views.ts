import { type NamedUrl, readNamedUrls, withNamed } from '@/lib/core/named-urls';
import { formatIsoMillis, formatSpan } from '@/lib/core/time';
import type { Zone } from '@/lib/core/time-text';
import type { ColumnLayout } from './columns';
import { defaultRequestsView, omit, type RequestsView } from './view';
import { formatRequestsUrl, parseRequestsUrl } from './view-url';

export const VIEWS_KEY = 'ks-views';

/** Filters and layout, without moment, page or open row. */
export function savableView(view: RequestsView, layout: ColumnLayout): RequestsView {
  return { ...omit(view, 'asof', 'open', 'live', 'expected'), page: 1, columns: layout };
}

/** Saved views. Their URLs are `/requests?…` with relative ranges. */
export function readSavedViews(text: string | null | undefined): readonly NamedUrl[] {
  return readNamedUrls(text, (url) =>
    /^\/requests(\?|$)/.test(url) ? formatRequestsUrl(savedView({ url })) : undefined,
  );
}

export const withView = (views: readonly NamedUrl[], name: string, view: RequestsView) =>
  withNamed(views, name, formatRequestsUrl(view), 'views');

export const savedView = ({ url }: { url: string }): RequestsView =>
  parseRequestsUrl(new URLSearchParams(url.split('?')[1])).view;

/** "Today" and "stuck" depend on the clock. @param stuckFromS age from which the badge counts a request as stuck */
export function builtInViews(nowMs: number, zone: Zone, stuckFromS: number) {
  const midnight = new Date(nowMs);
  midnight[zone === 'local' ? 'setHours' : 'setUTCHours'](0, 0, 0, 0);
  const builtIn = (name: string, says: string, change: Partial<RequestsView>) => {
    return { name, says, url: formatRequestsUrl({ ...defaultRequestsView(), ...change }) };
  };
  return [
    builtIn('Stuck', `Pending for over ${formatSpan(stuckFromS * 1000)}, oldest first`, {
      states: ['pending'],
      time: { kind: 'between', to: formatIsoMillis(nowMs - Math.round(stuckFromS * 1000)) },
      sort: 'created.asc',
    }),
    builtIn('Reverted callbacks today', `Since midnight${zone === 'local' ? '' : ' UTC'}`, {
      states: ['callback-failed'],
      time: { kind: 'between', from: midnight.toISOString() },
    }),
    builtIn('Failures', 'Failed or reverted, last 7 days', {
      states: ['failed', 'callback-failed'],
      time: { kind: 'last', range: '7d' },
    }),
  ];
}
