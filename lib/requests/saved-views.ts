import { formatIsoMillis, formatSpan, unixMillis } from '@/lib/core/time';
import type { Zone } from '@/lib/core/time-text';
import type { ColumnLayout } from './columns';
import { defaultRequestsView, formatRequestsUrl, parseRequestsUrl } from './view';
import type { RequestsView } from './view-shape';

/** A view under a name. `url` is its address (`/requests?…`), relative ranges still relative. */
export type SavedView = { readonly name: string; readonly url: string };

/** The part of `localStorage` that is used. */
export type ViewStorage = Pick<Storage, 'getItem' | 'setItem'>;

export const VIEWS_KEY = 'ks-views';
export const MOST_VIEWS = 50;
export const LONGEST_NAME = 60;
/** A view with every column and a dozen filters takes a fifth of this. */
const LONGEST_URL = 8000;

const NONE: readonly SavedView[] = [];

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
export function readSavedViews(text: string | null): readonly SavedView[] {
  const stored = parsed(text);
  if (!Array.isArray(stored)) return NONE;
  const views = new Map<string, SavedView>();
  for (const entry of stored) {
    if (views.size >= MOST_VIEWS) break;
    const view = savedViewOf(entry);
    if (view !== undefined && !views.has(view.name)) views.set(view.name, view);
  }
  return [...views.values()];
}

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? '[]');
  } catch {
    return NONE;
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

/** `unkept`: it holds until the page is left, because the browser's storage is full or forbidden. */
export type SaveResult = 'saved' | 'replaced' | 'unkept' | 'full' | 'no-name' | 'taken';

export type SavedViews = {
  /** The same array until something changes. */
  read: () => readonly SavedView[];
  /** Under a name that exists, the view of that name is replaced. */
  save: (name: string, view: RequestsView) => SaveResult;
  rename: (from: string, to: string) => SaveResult;
  remove: (name: string) => void;
  /** What another tab wrote. */
  reload: () => void;
  subscribe: (changed: () => void) => () => void;
};

/** What becomes of the views; `next` is absent where they stay as they are. */
type Change = { result: SaveResult; next?: readonly SavedView[] };

function savedInto(views: readonly SavedView[], name: string | undefined, url: string): Change {
  if (name === undefined) return { result: 'no-name' };
  const at = views.findIndex((known) => known.name === name);
  if (at >= 0) return { result: 'replaced', next: views.with(at, { name, url }) };
  return views.length >= MOST_VIEWS
    ? { result: 'full' }
    : { result: 'saved', next: [...views, { name, url }] };
}

function renamedIn(views: readonly SavedView[], from: string, name: string | undefined): Change {
  if (name === undefined) return { result: 'no-name' };
  if (name === from) return { result: 'saved' };
  if (views.some((known) => known.name === name)) return { result: 'taken' };
  const next = views.map((known) => (known.name === from ? { ...known, name } : known));
  return { result: 'saved', next };
}

/** The views that a browser keeps. */
export function savedViews(storage: ViewStorage | undefined): SavedViews {
  const listeners = new Set<() => void>();
  let views: readonly SavedView[] | undefined;
  const fromStorage = () => readSavedViews(attempt(() => storage?.getItem(VIEWS_KEY) ?? null) ?? null);
  const read = () => {
    views ??= fromStorage();
    return views;
  };
  const tell = () => {
    for (const listener of listeners) listener();
  };
  const settle = ({ next, result }: Change): SaveResult => {
    if (next === undefined) return result;
    views = next;
    const kept = attempt(() => {
      storage?.setItem(VIEWS_KEY, JSON.stringify(next));
      return storage !== undefined;
    });
    tell();
    return kept ? result : 'unkept';
  };
  return {
    read,
    save: (text, view) => settle(savedInto(read(), viewName(text), formatRequestsUrl(view))),
    rename: (from, text) => settle(renamedIn(read(), from, viewName(text))),
    remove: (name) => {
      settle({ result: 'saved', next: read().filter((known) => known.name !== name) });
    },
    reload: () => {
      views = fromStorage();
      tell();
    },
    subscribe: (changed) => {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
  };
}

function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
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
    to: formatIsoMillis(unixMillis(nowMs - Math.round(stuckAfterS * 1000))),
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
  return formatIsoMillis(unixMillis(start.getTime()));
}
