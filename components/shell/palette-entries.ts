import { PAGES } from '@/components/ui/pages';
import { recogniseQuery } from '@/lib/core/log-query';
import type { Network } from '@/lib/core/network';
import type { StateWord } from '@/lib/core/request-record';
import { clipped, shortenHex } from '@/lib/core/text';
import type { Zone } from '@/lib/core/time-text';
import type { FeedName } from '@/lib/feeds/board-url';
import { searchFeeds } from '@/lib/feeds/client/directory';
import { feedPagePath } from '@/lib/feeds/page-url';
import type { RecentEntry } from '@/lib/requests/client/browsing-history';
import { STATE_WORDS } from '@/lib/requests/state-looks';
import { defaultRequestsView, type RequestsView } from '@/lib/requests/view';
import { formatRequestsUrl } from '@/lib/requests/view-url';

export type PaletteCommand = 'help' | `theme-${'auto' | 'light' | 'dark'}` | `times-${Zone}`;

/** `press`: button to click on the page. `find`: an id that opens the request if it matches exactly one, otherwise the list. */
type PaletteStep = { readonly path: string; readonly press?: string; readonly find?: string };

export type PaletteEntry = {
  readonly label: string;
  readonly hint?: string;
  /** Search terms that are not shown. */
  readonly also?: string;
  readonly does: PaletteStep | { readonly command: PaletteCommand };
};

export type PaletteSources = {
  readonly networks: readonly Network[];
  readonly feeds: readonly FeedName[];
  readonly requests: readonly RecentEntry[];
  readonly queries: readonly string[];
};

const MAX_UNTYPED = 6;
const MAX_TYPED = 8;

export const requestsPath = (change: Partial<RequestsView>) =>
  formatRequestsUrl({ ...defaultRequestsView(), ...change });

const PAGE_ENTRIES: readonly PaletteEntry[] = PAGES.map(({ href, label, keys }) => ({
  label,
  hint: keys,
  does: { path: href },
}));

const ACTIONS: readonly PaletteEntry[] = [
  { label: 'Stuck requests', also: 'pending incidents', does: { path: '/pending' } },
  { label: 'Live requests', also: 'follow', hint: 'l', does: { path: '/requests', press: 'Live' } },
  {
    label: 'Export requests',
    also: 'download csv json ndjson',
    does: { path: '/requests', press: 'Export' },
  },
  { label: 'Share view', also: 'copy link', does: { path: '/requests', press: 'Share' } },
];

const STATE_NAMES: Record<StateWord, { label: string; also?: string }> = {
  pending: { label: 'Pending requests' },
  'callback-failed': { label: 'Callback reverted', also: 'callback failed' },
  failed: { label: 'Failed requests' },
  completed: { label: 'Completed requests' },
};
const STATES = STATE_WORDS.map((state): PaletteEntry => {
  return { ...STATE_NAMES[state], does: { path: requestsPath({ states: [state] }) } };
});

const SETTINGS: readonly PaletteEntry[] = [
  { label: 'Keyboard shortcuts', also: 'help keys', hint: '?', does: { command: 'help' } },
  { label: 'Times in UTC', also: 'zone', does: { command: 'times-utc' } },
  { label: 'Local times', also: 'zone computer', does: { command: 'times-local' } },
  { label: 'Relative times', also: 'zone age', does: { command: 'times-relative' } },
  { label: 'Light theme', does: { command: 'theme-light' } },
  { label: 'Dark theme', does: { command: 'theme-dark' } },
  { label: 'System theme', does: { command: 'theme-auto' } },
];

function searchStep(q: string): PaletteStep {
  const query = recogniseQuery(q);
  const path = requestsPath({ time: { kind: 'all' }, q });
  return 'canonical' in query ? { path, find: query.canonical } : { path };
}

function searchEntries(typed: string): PaletteEntry[] {
  const query = recogniseQuery(typed);
  if (query.kind === 'none' || query.kind === 'empty') return [];
  const shown = query.kind === 'sequence' ? query.canonical : shortenHex(query.canonical);
  return [{ label: `Find ${query.kind} ${shown}`, hint: 'all time', does: searchStep(query.canonical) }];
}

/** Sections that have entries. */
export function paletteSections(typed: string, sources: PaletteSources) {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const limit = words.length === 0 ? MAX_UNTYPED : MAX_TYPED;
  const fits = ({ label, hint = '', also = '' }: PaletteEntry) =>
    words.every((word) => `${label} ${hint} ${also}`.toLowerCase().includes(word));
  const { networks, requests, queries } = sources;
  const feeds = words.length === 0 ? [] : searchFeeds(sources.feeds, typed).slice(0, MAX_TYPED);
  const fitting: Record<string, readonly PaletteEntry[]> = {
    Pages: PAGE_ENTRIES,
    Actions: ACTIONS,
    'Recent requests': requests.map(({ label, path }) => ({ label: clipped(label, 80), does: { path } })),
    'Recent searches': queries.map((q) => ({
      label: clipped(q, 80),
      hint: 'search',
      does: searchStep(q),
    })),
    States: STATES,
    Networks: networks.map(({ networkId, name }) => ({
      label: clipped(name, 60),
      hint: networkId,
      also: 'network chain',
      does: { path: requestsPath({ networks: [networkId] }) },
    })),
    Settings: SETTINGS,
  };
  return [
    { title: 'Search', entries: searchEntries(typed) },
    ...Object.entries(fitting).map(([title, all]) => ({ title, entries: all.filter(fits).slice(0, limit) })),
    {
      title: 'Feeds',
      entries: feeds.map(({ symbol, description }) => ({
        label: clipped(symbol, 60),
        hint: clipped(description ?? '', 60),
        does: { path: feedPagePath(symbol) },
      })),
    },
  ].filter(({ entries }) => entries.length > 0);
}
