import { recogniseQuery } from '@/lib/core/log-query';
import { countOf, groupDigits } from '@/lib/core/numbers';
import { isStateWord } from '@/lib/core/request-record';
import { clipped, shortenHex } from '@/lib/core/text';
import { formatIsoMillis, formatUtcSeconds, parseIsoTime } from '@/lib/core/time';
import { filteredColumns } from './filters';
import { stateLabel } from './state-looks';
import { type RequestsView, rangeMs, type TimeFilter } from './view';

/** `10`, `10, 4 stuck`, `4, all stuck`, `10, 2 no longer served`. @param gone counted apart from the pending ones */
export function pendingText(pending: number, stuck: number, gone = 0): string {
  const stuckText = stuck < pending ? `${groupDigits(stuck)} stuck` : pending === 1 ? 'stuck' : 'all stuck';
  const goneText = gone === 0 ? '' : `, ${groupDigits(gone)} no longer served`;
  return `${groupDigits(pending)}${stuck === 0 ? '' : `, ${stuckText}`}${goneText}`;
}

export const RANGES = ['1h', '6h', '24h', '7d', '30d'];

const TYPED =
  /^(?:last\s+)?(\d{1,10})\s*(s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)$/i;

/** `45m`, `2 days`, `1w` in the form of links; undefined for other texts. */
export function typedRange(text: string): string | undefined {
  const [, digits, unit = ''] = TYPED.exec(text.trim()) ?? [];
  if (digits === undefined) return undefined;
  const letter = unit.charAt(0).toLowerCase();
  const range = letter === 'w' ? `${Number(digits) * 7}d` : `${Number(digits)}${letter}`;
  return rangeMs(range) === undefined ? undefined : range;
}

const UNITS: Record<string, string> = { s: 'second', m: 'minute', h: 'hour', d: 'day' };

/** `24h` → `last 24 hours`, `1h` → `last hour`. */
export function rangeText(range: string): string {
  const count = range.slice(0, -1);
  const unit = UNITS[range.slice(-1)];
  return count === '1' ? `last ${unit}` : `last ${count} ${unit}s`;
}

/** Unix ms within a sentence. With `withDay` it has its date, even if that is today. */
type MomentText = (ms: number, withDay?: boolean) => string;

const inUtc: MomentText = (ms) => `${formatUtcSeconds(ms)} UTC`;

/** `in the last 24 h`, `since …`, `in all time`. @param asof the moment to which a list is pinned */
export function timeText(time: TimeFilter, asof?: string, words: MomentText = inUtc): string {
  const moment = (iso: string, withDay?: boolean) => {
    const ms = parseIsoTime(iso);
    return ms === undefined ? iso : words(ms, withDay);
  };
  if (time.kind === 'all') return asof === undefined ? 'in all time' : `until ${moment(asof)}`;
  if (time.kind === 'last') {
    const span = time.range.replace(/^(\d+)m$/, '$1min').replace(/^(\d+)/, '$1 ');
    return asof === undefined ? `in the last ${span}` : `in the ${span} before ${moment(asof)}`;
  }
  const { from, to = from === undefined ? undefined : asof } = time;
  if (from === undefined) return `until ${moment(to ?? '')}`;
  if (to === undefined) return `since ${moment(from)}`;
  // Today's date is left out, unless the other side of the range is on another day.
  const isDated = [from, to].some((iso) => /^\d{4}-/.test(moment(iso)));
  return `from ${moment(from, isDated)} to ${moment(to, isDated)}`;
}

type Names = {
  network: (networkId: string) => string;
  /** Format of times on the page; UTC by default. */
  moment?: MomentText;
  /** Set if no keeper was read up to the present: the range ends then, unix ms. */
  lastReadMs?: number | undefined;
};

/** The range ends when its keepers were last read, if that is long ago. */
function countedTimeText({ time, asof }: RequestsView, { moment, lastReadMs }: Omit<Names, 'network'>) {
  return timeText(time, asof ?? (lastReadMs === undefined ? undefined : formatIsoMillis(lastReadMs)), moment);
}

/** @param behind keepers whose newer requests are unknown, of several that were read */
export function nothingText(
  view: RequestsView,
  words: Omit<Names, 'network'>,
  countedUntil: string,
  behind: readonly string[],
): string {
  const soFarText = endsAfter(view, countedUntil) ? 'so far ' : '';
  const keepers = behind.map((keeper) => clipped(keeper, 40)).join(', ');
  const behindText =
    behind.length === 0
      ? ''
      : words.lastReadMs === undefined
        ? ` Newer ones of ${keepers} are not synced.`
        : ' Newer ones are not synced.';
  return `No requests ${soFarText}${countedTimeText(view, words)} with these filters.${behindText}`;
}

function searchText(q: string): string | undefined {
  const search = recogniseQuery(q);
  if (search.kind === 'empty') return undefined;
  if (search.kind === 'none') return `search “${clipped(q, 40)}”`;
  return `${search.kind} ${search.kind === 'sequence' ? search.canonical : shortenHex(search.canonical)}`;
}

function listed(names: readonly string[], counted: string): string {
  return names.length > 2 ? `${names.length} ${counted}` : names.join(' and ');
}

/** Rows of this range may still be created after the moment (ISO time). */
export function endsAfter({ time }: RequestsView, countedUntil: string): boolean {
  if (time.kind !== 'between') return false;
  const last = time.to ?? time.from ?? '';
  return (parseIsoTime(last) ?? 0) > (parseIsoTime(countedUntil) ?? Infinity);
}

/**
 * `1,234 requests on Base in the last 24 h, pending, 2 of them no longer served`.
 * @param total decimal digits
 * @param countedUntil ISO time up to which rows were counted
 * @param pendingGone pending rows among them that their keeper no longer serves
 */
export function describeTotal(
  total: string,
  view: RequestsView,
  names: Names,
  countedUntil: string,
  pendingGone = 0,
): string {
  const { networks, states, q } = view;
  const keepers = view.keepers.map((keeper) => clipped(keeper, 40));
  const stateText = (state: string) =>
    isStateWord(state) ? stateLabel(state).toLowerCase() : stateLabel(state);
  const columns = [...new Set(filteredColumns(view))].map((id) => id.replace('-', ' '));
  const counted = [
    countOf(total, 'request'),
    endsAfter(view, countedUntil) && 'so far',
    keepers.length > 0 && `of ${listed(keepers, 'keepers')}`,
    networks.length > 0 && `on ${listed(networks.map(names.network), 'networks')}`,
    countedTimeText(view, names),
  ];
  const filters = [
    states.length > 0 && listed(states.map(stateText), 'states'),
    // Elsewhere such rows are not counted as pending.
    states.includes('pending') &&
      pendingGone > 0 &&
      `${groupDigits(pendingGone)} ${states.length === 1 ? 'of them' : 'pending ones'} no longer served`,
    searchText(q),
    columns.length > 0 && `filtered by ${listed(columns, 'columns')}`,
  ];
  return [counted.filter(Boolean).join(' '), ...filters].filter(Boolean).join(', ');
}
