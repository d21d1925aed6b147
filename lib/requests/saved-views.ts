import * as z from 'zod/mini';
import { parsedJson } from '@/lib/core/text';
import { formatIsoMillis, formatSpan } from '@/lib/core/time';
import type { Zone } from '@/lib/core/time-text';
import type { ColumnLayout } from './columns';
import { defaultRequestsView, formatRequestsUrl, omit, parseRequestsUrl, type RequestsView } from './view';

/** A view under a name. `url` is its address (`/requests?…`), relative ranges still relative. */
export type SavedView = { readonly name: string; readonly url: string };

export const VIEWS_KEY = 'ks-views';
export const MOST_VIEWS = 50;
export const LONGEST_NAME = 60;

export const NO_VIEWS: readonly SavedView[] = [];

/** The name as it is kept: blanks at its ends taken off; undefined for none, and for one that is too long. */
export function viewName(text: string): string | undefined {
  const name = text.trim().replaceAll(/\s+/g, ' ');
  return name === '' || name.length > LONGEST_NAME ? undefined : name;
}

/** What of a view is worth keeping: what it looks for and how, not the moment, page or row it happened to show. */
export function savableView(view: RequestsView, layout: ColumnLayout): RequestsView {
  return { ...omit(view, 'asof', 'open', 'live', 'expected'), page: 1, columns: layout };
}

/** Others write there too: the address is bounded, and read and written anew. */
const storedView = z.object({
  name: z.string(),
  url: z.string().check(z.maxLength(8000), z.regex(/^\/requests(\?|$)/)),
});

/** The saved views that a text of the storage holds. Whatever is not one, or has the name of one before it, is left out. */
export function readSavedViews(text: string | null | undefined): readonly SavedView[] {
  const stored = parsedJson(text);
  const views = new Map<string, SavedView>();
  for (const entry of Array.isArray(stored) ? stored : []) {
    const { data } = storedView.safeParse(entry);
    const name = viewName(data?.name ?? '');
    if (data === undefined || name === undefined || views.has(name) || views.size >= MOST_VIEWS) continue;
    views.set(name, { name, url: formatRequestsUrl(viewOf(data)) });
  }
  return [...views.values()];
}

/** The view of an address. */
export function viewOf({ url }: { url: string }): RequestsView {
  return parseRequestsUrl(new URLSearchParams(url.split('?')[1] ?? '')).view;
}

/** What becomes of the views, or why nothing does. */
export type ViewsChange = { views?: readonly SavedView[]; problem?: string };

const NO_NAME: ViewsChange = { problem: `Use 1 to ${LONGEST_NAME} characters` };

/** The views with this one under a name; the view that had the name is replaced. */
export function withView(views: readonly SavedView[], text: string, view: RequestsView): ViewsChange {
  const name = viewName(text);
  if (name === undefined) return NO_NAME;
  const saved = { name, url: formatRequestsUrl(view) };
  const at = views.findIndex((known) => known.name === name);
  if (at >= 0) return { views: views.with(at, saved) };
  if (views.length >= MOST_VIEWS) return { problem: `At most ${MOST_VIEWS} views. Delete one first` };
  return { views: [...views, saved] };
}

/** The views with another name for one of them. */
export function withRenamedView(views: readonly SavedView[], from: string, text: string): ViewsChange {
  const name = viewName(text);
  if (name === undefined) return NO_NAME;
  if (name !== from && views.some((known) => known.name === name)) return { problem: 'Name already in use' };
  return { views: views.map((known) => (known.name === from ? { ...known, name } : known)) };
}

/**
 * The views that come with the dashboard, each with what it answers. "Today" begins at midnight of the zone that times are
 * shown in, and "stuck" ends some minutes ago, so their addresses are made when they are asked for.
 * @param stuckAfterS seconds after which a pending request is stuck
 */
export function builtInViews(nowMs: number, zone: Zone, stuckAfterS: number) {
  const midnight = new Date(nowMs);
  if (zone === 'local') midnight.setHours(0, 0, 0, 0);
  else midnight.setUTCHours(0, 0, 0, 0);
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
