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
  /** Where it goes to, or what it does. */
  readonly does: { readonly path: string } | { readonly command: PaletteCommand };
};

export type PaletteSection = { readonly title: string; readonly entries: readonly PaletteEntry[] };

/** What there is to choose from besides what is always there. */
export type PaletteSources = {
  readonly networks: readonly Network[];
  readonly requests: readonly Recent[];
  /** All that there are, the default one first. */
  readonly keepers: readonly string[];
  /** Search texts that were used before, latest first. */
  readonly queries: readonly string[];
};

/** With nothing typed the palette is a short menu. */
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

/** Who looks for one thing doesn't know which keeper has it, so all are asked. */
const searchPath = (q: string, keepers: readonly string[]) =>
  requestsPath({ time: { kind: 'all' }, keepers: keepers.length > 1 ? [...keepers] : [], q });

/** A pasted hash, address, sequence or explorer address, looked for at all times and all keepers. */
function foundByText(typed: string, keepers: readonly string[]): PaletteEntry[] {
  const query = recogniseQuery(typed);
  if (query.kind === 'none' || query.kind === 'empty') return [];
  const shown = query.kind === 'sequence' ? query.canonical : shortened(query.canonical);
  const hint = keepers.length > 1 ? 'all time, all keepers' : 'all time';
  return [
    { label: `Find ${query.kind} ${shown}`, hint, does: { path: searchPath(query.canonical, keepers) } },
  ];
}

/** How well a text fits: every typed word has to be found in it, best at the beginning, then at that of a word. */
function scoreOf(text: string, words: readonly string[]): number {
  const inside = text.toLowerCase();
  return words.reduce((sum, word) => {
    const at = inside.indexOf(word);
    if (at < 0) return Number.NaN;
    return sum + (at === 0 ? 3 : /[\p{L}\p{N}]/u.test(inside[at - 1] ?? '') ? 1 : 2);
  }, 0);
}

/** What the palette offers for a typed text, by section; sections with nothing to offer are left out. */
export function paletteSections(typed: string, sources: PaletteSources): PaletteSection[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const fitting = (entries: readonly PaletteEntry[]) =>
    entries
      .map((entry) => {
        const text = [entry.label, entry.hint, entry.also].filter(Boolean).join(' ');
        // Of two that fit alike the shorter one is nearer to what was typed.
        return { entry, score: scoreOf(text, words) - (words.length === 0 ? 0 : text.length / 1000) };
      })
      .filter(({ score }) => !Number.isNaN(score))
      .sort((a, b) => b.score - a.score)
      .slice(0, words.length === 0 ? MOST_UNTYPED : MOST_TYPED)
      .map(({ entry }) => entry);
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
