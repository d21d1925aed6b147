import { formatUtcSeconds, parseIsoTime, unixMillis } from '@/lib/core/time';
import { rangeMs } from '@/lib/requests/view-params';
import type { TimeFilter } from '@/lib/requests/view-shape';

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
export function rangeWords(range: string): string {
  const count = range.slice(0, -1);
  const unit = UNITS[range.slice(-1)];
  if (unit === undefined || rangeMs(range) === undefined) return range;
  return count === '1' ? `last ${unit[0]}` : `last ${count} ${unit[1]}`;
}

/** A moment (unix milliseconds) within a sentence. */
type MomentWords = (ms: number) => string;

const inUtc: MomentWords = (ms) => `${formatUtcSeconds(unixMillis(ms))} UTC`;

/**
 * The time filter as the end of a sentence: `in the last 24 hours`, `since …`, `of all time`.
 * @param asof ISO time where a pinned list ends
 * @param words how the page shows moments; in UTC where nobody says
 */
export function timeWords(time: TimeFilter, asof?: string, words: MomentWords = inUtc): string {
  const moment = (iso: string) => {
    const ms = parseIsoTime(iso);
    return ms === undefined ? iso : words(ms);
  };
  const between = (from: string, to: string | undefined) =>
    to === undefined ? `since ${moment(from)}` : `from ${moment(from)} to ${moment(to)}`;
  switch (time.kind) {
    case 'all':
      return asof === undefined ? 'of all time' : `until ${moment(asof)}`;
    case 'last':
      if (asof === undefined) return `in the ${rangeWords(time.range)}`;
      return `in the ${rangeWords(time.range).replace('last ', '')} before ${moment(asof)}`;
    case 'between':
      if (time.to === undefined) return between(time.from ?? '', asof);
      if (time.from === undefined) return `until ${moment(time.to)}`;
      return between(time.from, time.to);
  }
}

/** The same in few letters, for a line that is always there: `in the last 24 h`, `in all time`. */
export function shortTimeWords(time: TimeFilter, asof?: string, words: MomentWords = inUtc): string {
  if (time.kind === 'all' && asof === undefined) return 'in all time';
  if (time.kind !== 'last') return timeWords(time, asof, words);
  const span = time.range.replace(/^(\d+)m$/, '$1min').replace(/^(\d+)/, '$1 ');
  const end = asof === undefined ? undefined : parseIsoTime(asof);
  return end === undefined ? `in the last ${span}` : `in the ${span} before ${words(end)}`;
}
