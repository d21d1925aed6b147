import { formatIsoSeconds, unixMillis } from '@/lib/domain/units';

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

/** `12:03:07`, in UTC. */
export function formatClock(ms: number): string {
  return formatIsoSeconds(unixMillis(ms)).slice(11, 19);
}

/** `2026-11-20`, in UTC. */
export function formatDay(ms: number): string {
  return formatIsoSeconds(unixMillis(ms)).slice(0, 10);
}

/** `12:03:07 UTC`, with the day in front when it is not that of `nowMs`. */
export function formatMoment(ms: number, nowMs: number): string {
  const clock = `${formatClock(ms)} UTC`;
  return formatDay(ms) === formatDay(nowMs) ? clock : `${formatDay(ms)} ${clock}`;
}
