import { recogniseQuery } from '@/lib/core/log-query';
import { countOf } from '@/lib/core/numbers';
import { isStateWord, type RequestState, type StateWord, stateWord } from '@/lib/core/request-record';
import { clipped, shortened } from '@/lib/core/text';
import { formatUtcSeconds, parseIsoTime } from '@/lib/core/time';
import { type RequestsView, rangeMs, type TimeFilter } from '@/lib/requests/view';

/** The states that can be filtered by, in the order in which they matter to an operator. */
export const STATE_LABELS: Record<StateWord, string> = {
  pending: 'Pending',
  'callback-failed': 'Callback failed',
  failed: 'Failed',
  completed: 'Completed',
};

/** The label of a state of ours; a wire name that is none of them stays as it is. */
export function stateLabel(state: string): string {
  return isStateWord(state) ? STATE_LABELS[state] : clipped(state, 60);
}

/** Our word for a state, for styles; whatever the service invented is `unknown`. */
export function stateToken(state: RequestState): StateWord | 'unknown' {
  const word = stateWord(state);
  return isStateWord(word) ? word : 'unknown';
}

/** The ranges on offer; any other one of the same form may stand in a link. */
export const RANGES = ['1h', '6h', '24h', '7d', '30d'];

const TYPED =
  /^(?:last\s+)?(\d{1,10})\s*(s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)$/i;

/**
 * A range as people type it (`45m`, `2 days`, `Last 90 s`, `1w`) in the form of the link.
 * @returns undefined when it is none, and for more than 100 years
 */
export function typedRange(text: string): string | undefined {
  const [, digits, unit = ''] = TYPED.exec(text.trim()) ?? [];
  if (digits === undefined) return undefined;
  const letter = unit.charAt(0).toLowerCase();
  const range = letter === 'w' ? `${Number(digits) * 7}d` : `${Number(digits)}${letter}`;
  return rangeMs(range) === undefined ? undefined : range;
}

const UNITS: Record<string, [string, string]> = {
  s: ['second', 'seconds'],
  m: ['minute', 'minutes'],
  h: ['hour', 'hours'],
  d: ['day', 'days'],
};

/** `24h` → `last 24 hours`, `1h` → `last hour`. */
export function rangeText(range: string): string {
  const count = range.slice(0, -1);
  const unit = UNITS[range.slice(-1)];
  if (unit === undefined || rangeMs(range) === undefined) return range;
  return count === '1' ? `last ${unit[0]}` : `last ${count} ${unit[1]}`;
}

/** A moment (unix milliseconds) within a sentence; `withDay`: with its date, though it is today. */
type MomentText = (ms: number, withDay?: boolean) => string;

const inUtc: MomentText = (ms) => `${formatUtcSeconds(ms)} UTC`;

/**
 * The time filter as the end of a sentence: `in the last 24 hours`, `since …`, `of all time`.
 * @param asof ISO time where a pinned list ends
 * @param words how the page shows moments; in UTC where nobody says
 */
export function timeText(time: TimeFilter, asof?: string, words: MomentText = inUtc): string {
  const moment = (iso: string, withDay?: boolean) => {
    const ms = parseIsoTime(iso);
    return ms === undefined ? iso : words(ms, withDay);
  };
  const between = (from: string, to: string | undefined) => {
    const start = moment(from);
    // Beside another day the end is not taken for one of it.
    return to === undefined ? `since ${start}` : `from ${start} to ${moment(to, /^\d{4}-/.test(start))}`;
  };
  switch (time.kind) {
    case 'all':
      return asof === undefined ? 'of all time' : `until ${moment(asof)}`;
    case 'last':
      if (asof === undefined) return `in the ${rangeText(time.range)}`;
      return `in the ${rangeText(time.range).replace('last ', '')} before ${moment(asof)}`;
    case 'between':
      if (time.to === undefined) return between(time.from ?? '', asof);
      if (time.from === undefined) return `until ${moment(time.to)}`;
      return between(time.from, time.to);
  }
}

/** The same in few letters, for a line that is always there: `in the last 24 h`, `in all time`. */
export function shortTimeText(time: TimeFilter, asof?: string, words: MomentText = inUtc): string {
  if (time.kind === 'all' && asof === undefined) return 'in all time';
  if (time.kind !== 'last') return timeText(time, asof, words);
  const span = time.range.replace(/^(\d+)m$/, '$1min').replace(/^(\d+)/, '$1 ');
  const end = asof === undefined ? undefined : parseIsoTime(asof);
  return end === undefined ? `in the last ${span}` : `in the ${span} before ${words(end)}`;
}

type Names = {
  network: (networkId: string) => string;
  /** How the page shows a moment (unix milliseconds); in UTC where nobody says. */
  moment?: MomentText;
};

function searchText(q: string): string | undefined {
  const search = recogniseQuery(q);
  switch (search.kind) {
    case 'empty':
      return undefined;
    case 'none':
      return `search “${clipped(q, 40)}”`;
    case 'sequence':
      return `sequence ${search.canonical}`;
    case 'transaction':
    case 'address':
      return `${search.kind} ${shortened(search.canonical)}`;
  }
}

function listed(names: readonly string[], counted: string): string {
  return names.length > 2 ? `${names.length} ${counted}` : names.join(' and ');
}

function filterText(view: RequestsView): (string | undefined)[] {
  const { senders, providers, failures, not } = view;
  const columns =
    senders.length +
    providers.length +
    failures.length +
    not.length +
    [view.duration, view.gasLimit, view.gasUsed, view.block].filter((bounds) => bounds !== undefined).length;
  return [
    view.states.length === 0 ? undefined : listed(view.states.map(stateText), 'states'),
    searchText(view.q),
    columns === 0 ? undefined : `${columns} more ${columns === 1 ? 'filter' : 'filters'}`,
  ];
}

/**
 * What is counted: `1,234 requests on Base in the last 24 h, pending`.
 * @param total decimal digits
 */
export function describeTotal(total: string, view: RequestsView, names: Names): string {
  const keepers = view.keepers.map((keeper) => clipped(keeper, 40));
  const parts = [
    countOf(total, 'request', 'requests'),
    keepers.length === 0 ? undefined : `of ${listed(keepers, 'keepers')}`,
    view.networks.length === 0 ? undefined : `on ${listed(view.networks.map(names.network), 'networks')}`,
    shortTimeText(view.time, view.asof, names.moment),
  ];
  return [parts.filter(Boolean).join(' '), ...filterText(view)].filter(Boolean).join(', ');
}

function stateText(state: string): string {
  return isStateWord(state) ? stateLabel(state).toLowerCase() : stateLabel(state);
}
