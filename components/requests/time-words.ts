import { rangeMs } from '@/lib/contract/codec/requests-params';
import type { TimeFilter } from '@/lib/contract/codec/requests-url';
import { formatUtcSeconds, parseIsoTime } from '@/lib/domain/units';

/** The ranges on offer; any other one of the same form may stand in a link. */
export const RANGES = ['15m', '1h', '6h', '24h', '7d', '30d'];

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

function moment(iso: string): string {
  const ms = parseIsoTime(iso);
  return ms === undefined ? iso : `${formatUtcSeconds(ms)} UTC`;
}

/** The time filter as the end of a sentence: `in the last 24 hours`, `since …`, `of all time`. */
export function timeWords(time: TimeFilter): string {
  switch (time.kind) {
    case 'all':
      return 'of all time';
    case 'last':
      return `in the ${rangeWords(time.range)}`;
    case 'between':
      if (time.to === undefined) return `since ${moment(time.from ?? '')}`;
      if (time.from === undefined) return `until ${moment(time.to)}`;
      return `from ${moment(time.from)} to ${moment(time.to)}`;
  }
}
