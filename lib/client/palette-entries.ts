import { recogniseQuery } from '@/lib/domain/log-query';
import type { Network } from '@/lib/domain/network';
import type { StateWord } from '@/lib/domain/request-record';
import { defaultRequestsView, formatRequestsUrl } from '@/lib/requests/view';
import { clipped, shortened } from './foreign-text';
import { fuzzyMatches } from './palette-match';
import type { Recent } from './palette-recents';

/** What the palette can do besides going somewhere. */
export type PaletteCommand =
  | 'help'
  | 'theme-auto'
  | 'theme-light'
  | 'theme-dark'
  | 'times-utc'
  | 'times-local'
  | 'times-relative';

export type PaletteEntry = {
  /** Unlike that of any other entry. */
  readonly id: string;
  readonly label: string;
  readonly hint?: string;
  /** Words that find it too, though they are not shown. */
  readonly also?: string;
  readonly does:
    | { readonly kind: 'go'; readonly path: string }
    | { readonly kind: 'run'; readonly command: PaletteCommand };
};

export type PaletteSection = { readonly title: string; readonly entries: readonly PaletteEntry[] };

/** What there is to choose from. */
export type PaletteSources = {
  readonly pages: readonly { readonly href: string; readonly label: string; readonly keys: string }[];
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

const STATES: readonly { word: StateWord; label: string }[] = [
  { word: 'pending', label: 'Pending requests' },
  { word: 'callback-failed', label: 'Requests whose callback failed' },
  { word: 'failed', label: 'Failed requests' },
  { word: 'completed', label: 'Completed requests' },
];

const COMMANDS: readonly { command: PaletteCommand; label: string; also?: string }[] = [
  { command: 'help', label: 'Keyboard shortcuts', also: 'help keys' },
  { command: 'times-utc', label: 'Times in UTC', also: 'zone' },
  { command: 'times-local', label: 'Times by the clock of this computer', also: 'local zone' },
  { command: 'times-relative', label: 'Times as ages', also: 'relative zone' },
  { command: 'theme-light', label: 'Light theme' },
  { command: 'theme-dark', label: 'Dark theme' },
  { command: 'theme-auto', label: 'System theme' },
];

/** Who looks for one thing doesn't know which keeper has it, so all are asked. */
function searchPath(q: string, keepers: readonly string[]): string {
  const asked = keepers.length > 1 ? [...keepers] : [];
  return formatRequestsUrl({ ...defaultRequestsView(), time: { kind: 'all' }, keepers: asked, q });
}

/** A pasted hash, address, sequence or explorer address, looked for at all times and all keepers. */
function foundByText(typed: string, keepers: readonly string[]): PaletteEntry[] {
  const query = recogniseQuery(typed);
  if (query.kind === 'none' || query.kind === 'empty') return [];
  const shown = query.kind === 'sequence' ? query.canonical : shortened(query.canonical);
  const path = searchPath(query.canonical, keepers);
  const hint = keepers.length > 1 ? 'all time, all keepers' : 'all time';
  return [{ id: 'search', label: `Find ${query.kind} ${shown}`, hint, does: { kind: 'go', path } }];
}

function pageEntries({ pages }: PaletteSources): PaletteEntry[] {
  return pages.map(({ href, label, keys }) => ({
    id: `page ${href}`,
    label,
    hint: keys,
    does: { kind: 'go', path: href },
  }));
}

function stateEntries(): PaletteEntry[] {
  return STATES.map(({ word, label }) => ({
    id: `state ${word}`,
    label,
    does: { kind: 'go', path: formatRequestsUrl({ ...defaultRequestsView(), states: [word] }) },
  }));
}

function networkEntries({ networks }: PaletteSources): PaletteEntry[] {
  return networks.map(({ networkId, name }) => ({
    id: `network ${networkId}`,
    label: clipped(name, 60),
    hint: networkId,
    also: 'network chain',
    does: { kind: 'go', path: formatRequestsUrl({ ...defaultRequestsView(), networks: [networkId] }) },
  }));
}

function recentEntries({ requests }: PaletteSources): PaletteEntry[] {
  return requests.map(({ label, path }) => ({
    id: `recent ${path}`,
    label: clipped(label, 80),
    does: { kind: 'go', path },
  }));
}

function queryEntries({ queries, keepers }: PaletteSources): PaletteEntry[] {
  return queries.map((q) => ({
    id: `query ${q}`,
    label: clipped(q, 80),
    hint: 'search',
    does: { kind: 'go', path: searchPath(q, keepers) },
  }));
}

function commandEntries(): PaletteEntry[] {
  return COMMANDS.map(({ command, label, also }) => ({
    id: `command ${command}`,
    label,
    also,
    does: { kind: 'run', command },
  }));
}

const searched = ({ label, hint, also }: PaletteEntry) => [label, hint, also].filter(Boolean).join(' ');

/** What the palette offers for a typed text, by section; sections with nothing to offer are left out. */
export function paletteSections(typed: string, sources: PaletteSources): PaletteSection[] {
  const most = typed.trim() === '' ? MOST_UNTYPED : MOST_TYPED;
  const fitting = (entries: readonly PaletteEntry[]) => fuzzyMatches(entries, searched, typed, most);
  const sections = [
    { title: 'Search', entries: foundByText(typed, sources.keepers) },
    { title: 'Pages', entries: fitting(pageEntries(sources)) },
    { title: 'Recent requests', entries: fitting(recentEntries(sources)) },
    { title: 'Recent searches', entries: fitting(queryEntries(sources)) },
    { title: 'States', entries: fitting(stateEntries()) },
    { title: 'Networks', entries: fitting(networkEntries(sources)) },
    { title: 'Settings', entries: fitting(commandEntries()) },
  ];
  return sections.filter(({ entries }) => entries.length > 0);
}
