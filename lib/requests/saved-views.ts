import { type NamedUrl, readNamed, withNamed } from '@/lib/core/named-urls';
import { formatIsoMillis, formatSpan } from '@/lib/core/time';
import type { Zone } from '@/lib/core/time-text';
import type { ColumnLayout } from './columns';
import { defaultRequestsView, formatRequestsUrl, omit, parseRequestsUrl, type RequestsView } from './view';

export const VIEWS_KEY = 'ks-views';

/** What of a view is worth keeping: what it looks for and how, not the moment, page or row it happened to show. */
export function savableView(view: RequestsView, layout: ColumnLayout): RequestsView {
  return { ...omit(view, 'asof', 'open', 'live', 'expected'), page: 1, columns: layout };
}

/** The saved views that a text of the storage holds, `/requests?…`, relative ranges still relative. */
export function readSavedViews(text: string | null | undefined): readonly NamedUrl[] {
  return readNamed(text, (url) =>
    /^\/requests(\?|$)/.test(url) ? formatRequestsUrl(viewOf({ url })) : undefined,
  );
}

export const withView = (views: readonly NamedUrl[], name: string, view: RequestsView) =>
  withNamed(views, name, formatRequestsUrl(view), 'views');

export const viewOf = ({ url }: { url: string }): RequestsView =>
  parseRequestsUrl(new URLSearchParams(url.split('?')[1])).view;

/** The views that come with the dashboard. "Today" and "stuck" go by the clock, so they are made when they are asked for. */
export function builtInViews(nowMs: number, zone: Zone, stuckAfterS: number) {
  const midnight = new Date(nowMs);
  midnight[zone === 'local' ? 'setHours' : 'setUTCHours'](0, 0, 0, 0);
  const builtIn = (name: string, says: string, change: Partial<RequestsView>) => {
    return { name, says, url: formatRequestsUrl({ ...defaultRequestsView(), ...change }) };
  };
  return [
    builtIn('Stuck', `Pending for over ${formatSpan(stuckAfterS * 1000)}, oldest first`, {
      states: ['pending'],
      time: { kind: 'between', to: formatIsoMillis(nowMs - Math.round(stuckAfterS * 1000)) },
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
