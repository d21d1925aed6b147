import { recogniseQuery } from '@/lib/core/log-query';
import type { Network } from '@/lib/core/network';
import { clipped, shortened } from '@/lib/core/text';
import type { Recent } from '@/lib/requests/recent';
import type { RequestsView } from '@/lib/requests/view';
import { defaultRequestsView, formatRequestsUrl } from '@/lib/requests/view';
import { PAGES } from './pages';

/** What the palette can do besides going somewhere: the help, a theme, a style of times. */
export type PaletteCommand =
  | 'help'
  | `theme-${'auto' | 'light' | 'dark'}`
  | `times-${'utc' | 'local' | 'relative'}`;

export type PaletteEntry = {
  readonly label: string;
  readonly hint?: string;
  /** Words that find it too, though they are not shown. */
  readonly also?: string;
  readonly does: { readonly path: string } | { readonly command: PaletteCommand };
};

export type PaletteSection = { readonly title: string; readonly entries: readonly PaletteEntry[] };

/** What there is to choose from besides what is always there. */
export type PaletteSources = {
  readonly networks: readonly Network[];
  readonly requests: readonly Recent[];
  readonly keepers: readonly string[];
  readonly queries: readonly string[];
};

const MOST_UNTYPED = 6;
const MOST_TYPED = 8;

const requestsPath = (change: Partial<RequestsView>) =>
  formatRequestsUrl({ ...defaultRequestsView(), ...change });

const STATES: readonly PaletteEntry[] = [
  { label: 'Pending requests', does: { path: requestsPath({ states: ['pending'] }) } },
  { label: 'Requests whose callback failed', does: { path: requestsPath({ states: ['callback-failed'] }) } },
  { label: 'Failed requests', does: { path: requestsPath({ states: ['failed'] }) } },
  { label: 'Completed requests', does: { path: requestsPath({ states: ['completed'] }) } },
];

const COMMANDS: readonly PaletteEntry[] = [
  { label: 'Keyboard shortcuts', also: 'help keys', does: { command: 'help' } },
  { label: 'Times in UTC', also: 'zone', does: { command: 'times-utc' } },
  { label: 'Times by the clock of this computer', also: 'local zone', does: { command: 'times-local' } },
  { label: 'Times as ages', also: 'relative zone', does: { command: 'times-relative' } },
  { label: 'Light theme', does: { command: 'theme-light' } },
  { label: 'Dark theme', does: { command: 'theme-dark' } },
  { label: 'System theme', does: { command: 'theme-auto' } },
];

const searchPath = (q: string, keepers: readonly string[]) =>
  requestsPath({ time: { kind: 'all' }, keepers: keepers.length > 1 ? [...keepers] : [], q });

function foundByText(typed: string, keepers: readonly string[]): PaletteEntry[] {
  const query = recogniseQuery(typed);
  if (query.kind === 'none' || query.kind === 'empty') return [];
  const shown = query.kind === 'sequence' ? query.canonical : shortened(query.canonical);
  const hint = keepers.length > 1 ? 'all time, all keepers' : 'all time';
  return [
    { label: `Find ${query.kind} ${shown}`, hint, does: { path: searchPath(query.canonical, keepers) } },
  ];
}

/** What the palette offers for a typed text, by section; sections with nothing to offer are left out. */
export function paletteSections(typed: string, sources: PaletteSources): PaletteSection[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const fitting = (entries: readonly PaletteEntry[]) =>
    entries
      .filter(({ label, hint = '', also = '' }) => {
        const text = `${label} ${hint} ${also}`.toLowerCase();
        return words.every((word) => text.includes(word));
      })
      .slice(0, words.length === 0 ? MOST_UNTYPED : MOST_TYPED);
  const { keepers, networks, requests, queries } = sources;
  return [
    { title: 'Search', entries: foundByText(typed, keepers) },
    {
      title: 'Pages',
      entries: fitting(PAGES.map(({ href, label, keys }) => ({ label, hint: keys, does: { path: href } }))),
    },
    {
      title: 'Recent requests',
      entries: fitting(requests.map(({ label, path }) => ({ label: clipped(label, 80), does: { path } }))),
    },
    {
      title: 'Recent searches',
      entries: fitting(
        queries.map((q) => ({
          label: clipped(q, 80),
          hint: 'search',
          does: { path: searchPath(q, keepers) },
        })),
      ),
    },
    { title: 'States', entries: fitting(STATES) },
    {
      title: 'Networks',
      entries: fitting(
        networks.map(({ networkId, name }) => ({
          label: clipped(name, 60),
          hint: networkId,
          also: 'network chain',
          does: { path: requestsPath({ networks: [networkId] }) },
        })),
      ),
    },
    { title: 'Settings', entries: fitting(COMMANDS) },
  ].filter(({ entries }) => entries.length > 0);
}
