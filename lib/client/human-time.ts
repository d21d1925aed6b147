import { formatIsoSeconds, unixMillis } from '@/lib/core/units';

/**
 * Times as people read them. No `Intl`: its texts differ between Node and browsers, and a page that is rendered
 * on both sides must come out the same.
 */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const two = (value: number) => String(value).padStart(2, '0');

/**
 * A length of time in at most two units: `0.8 s`, `42 s`, `5 min 03 s`, `2 h 14 min`, `3 d 4 h`.
 * Rounded down, so that a limit never looks reached before it is. Below ten seconds with one decimal.
 */
export function formatDuration(ms: number): string {
  const length = Math.max(0, ms);
  if (length < 10 * SECOND) return `${(Math.floor(length / 100) / 10).toFixed(1)} s`;
  return formatAge(length);
}

/** Like `formatDuration`, in whole seconds: for figures that tick. */
export function formatAge(ms: number): string {
  const length = Math.max(0, ms);
  if (length < MINUTE) return `${Math.floor(length / SECOND)} s`;
  if (length < HOUR)
    return `${Math.floor(length / MINUTE)} min ${two(Math.floor((length % MINUTE) / SECOND))} s`;
  if (length < DAY) return `${Math.floor(length / HOUR)} h ${two(Math.floor((length % HOUR) / MINUTE))} min`;
  return `${Math.floor(length / DAY)} d ${Math.floor((length % DAY) / HOUR)} h`;
}

/** Like `formatAge`, for lengths that are named in a sentence: `1 min`, not `1 min 00 s`. */
export function formatSpan(ms: number): string {
  return formatAge(ms).replace(/(min|h|d) 0+ \w+$/, '$1');
}

/** `12:03:07 UTC`, with the day in front when it is not that of `nowMs`; `out of range` where no calendar reaches. */
export function formatMoment(ms: number, nowMs: number): string {
  const moment = formatIsoSeconds(unixMillis(ms));
  if (!moment.endsWith('Z')) return moment;
  const [day, clock] = moment.slice(0, -1).split('T');
  return formatIsoSeconds(unixMillis(nowMs)).startsWith(`${day}T`) ? `${clock} UTC` : `${day} ${clock} UTC`;
}
