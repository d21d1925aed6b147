import { formatIsoMillis, formatSpan } from '@/lib/core/time';
import type { Zone } from '@/lib/core/time-text';
import type { ColumnLayout } from './columns';
import { defaultRequestsView, formatRequestsUrl, parseRequestsUrl, type RequestsView } from './view';

/** A view under a name. `url` is its address (`/requests?…`), relative ranges still relative. */
export type SavedView = { readonly name: string; readonly url: string };

export const VIEWS_KEY = 'ks-views';
export const MOST_VIEWS = 50;
export const LONGEST_NAME = 60;
/** A view with every column and a dozen filters takes a fifth of this. */
const LONGEST_URL = 8000;

export const NO_VIEWS: readonly SavedView[] = [];

/** The name as it is kept: blanks at its ends taken off; undefined for none, and for one that is too long. */
export function viewName(text: string): string | undefined {
  const name = text.trim().replaceAll(/\s+/g, ' ');
  return name === '' || name.length > LONGEST_NAME ? undefined : name;
}

/** What of a view is worth keeping: what it looks for and how, not the moment, page or row it happened to show. */
export function savableView(view: RequestsView, layout: ColumnLayout): RequestsView {
  const { asof: _asof, open: _open, live: _live, expected: _expected, ...kept } = view;
  return { ...kept, page: 1, columns: layout };
}

/** The saved views that a text of the storage holds. Whatever is not one, or has the name of one before it, is left out. */
export function readSavedViews(text: string | null | undefined): readonly SavedView[] {
  const stored = parsed(text);
  if (!Array.isArray(stored)) return NO_VIEWS;
  const views = new Map<string, SavedView>();
  for (const entry of stored) {
    if (views.size >= MOST_VIEWS) break;
    const view = savedViewOf(entry);
    if (view !== undefined && !views.has(view.name)) views.set(view.name, view);
  }
  return [...views.values()];
}

function parsed(text: string | null | undefined): unknown {
  try {
    return JSON.parse(text ?? '[]');
  } catch {
    return NO_VIEWS;
  }
}

/** Other tabs, extensions and older versions write there too: the address is read and written anew. */
function savedViewOf(entry: unknown): SavedView | undefined {
  if (typeof entry !== 'object' || entry === null) return undefined;
  const { name, url } = entry as Partial<Record<keyof SavedView, unknown>>;
  if (typeof name !== 'string' || typeof url !== 'string' || url.length > LONGEST_URL) return undefined;
  const kept = viewName(name);
  if (kept === undefined || !/^\/requests(\?|$)/.test(url)) return undefined;
  return { name: kept, url: formatRequestsUrl(viewOf({ name, url })) };
}

/** The view of an address. */
export function viewOf({ url }: SavedView): RequestsView {
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
  if (name !== from && views.some((known) => known.name === name)) {
    return { problem: 'Name already in use' };
  }
  return { views: views.map((known) => (known.name === from ? { ...known, name } : known)) };
}

/**
 * The views that come with the dashboard, each with what it answers. "Today" begins at midnight of the zone that times are
 * shown in, and "stuck" ends some minutes ago, so their addresses are made when they are asked for.
 * @param stuckAfterS seconds after which a pending request is stuck
 */
export function builtInViews(
  nowMs: number,
  zone: Zone,
  stuckAfterS: number,
): readonly (SavedView & { readonly says: string })[] {
  const view = defaultRequestsView();
  const today = { kind: 'between', from: midnight(nowMs, zone) } as const;
  const week = { kind: 'last', range: '7d' } as const;
  const beforeStuck = {
    kind: 'between',
    to: formatIsoMillis(nowMs - Math.round(stuckAfterS * 1000)),
  } as const;
  return [
    {
      name: 'Stuck',
      says: `Pending for over ${formatSpan(stuckAfterS * 1000)}, oldest first`,
      url: formatRequestsUrl({ ...view, states: ['pending'], time: beforeStuck, sort: 'created.asc' }),
    },
    {
      name: 'Reverted callbacks today',
      says: `Since midnight${zone === 'local' ? '' : ' UTC'}`,
      url: formatRequestsUrl({ ...view, states: ['callback-failed'], time: today }),
    },
    {
      name: 'Failures',
      says: 'Failed or reverted, last 7 days',
      url: formatRequestsUrl({ ...view, states: ['failed', 'callback-failed'], time: week }),
    },
  ];
}

function midnight(nowMs: number, zone: Zone): string {
  const start = new Date(nowMs);
  if (zone === 'local') start.setHours(0, 0, 0, 0);
  else start.setUTCHours(0, 0, 0, 0);
  return formatIsoMillis(start.getTime());
}
