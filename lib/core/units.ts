/**
 * Three clocks meet here: unix seconds (price updates), microseconds (router), ISO text (logs). A number carries
 * its unit in its type, and changes it only by the functions of this file.
 */
declare const unit: unique symbol;

export type UnixSeconds = number & { readonly [unit]: 's' };
export type UnixMillis = number & { readonly [unit]: 'ms' };
/** A bigint: today's microseconds still fit a number, a u64 does not. */
export type UnixMicros = bigint & { readonly [unit]: 'us' };

/** 9999-12-31T23:59:59Z: the last second that ISO text of four-digit years can name. */
const LAST_SECOND = 253_402_300_799;
/** 0000-01-01T00:00:00Z. */
const FIRST_MILLI = -62_167_219_200_000;
const LAST_MILLI = LAST_SECOND * 1000 + 999;

/** A number that is whole unix seconds from 1970 to the year 9999, or undefined. */
export function unixSeconds(value: number): UnixSeconds | undefined {
  return Number.isInteger(value) && value >= 0 && value <= LAST_SECOND ? (value as UnixSeconds) : undefined;
}

/** A clock reading (`Date.now()`) or another number that is known to be milliseconds. */
export function unixMillis(value: number): UnixMillis {
  return value as UnixMillis;
}

/** Microseconds from a bigint that is known to be such. */
export function unixMicros(value: bigint): UnixMicros {
  return value as UnixMicros;
}

export function secondsToMillis(value: UnixSeconds): UnixMillis {
  return (value * 1000) as UnixMillis;
}

/** Rounds down: a second has begun, never "is about to". */
export function millisToSeconds(value: UnixMillis): UnixSeconds {
  return Math.floor(value / 1000) as UnixSeconds;
}

/** Rounds down to the millisecond. */
export function microsToMillis(value: UnixMicros): UnixMillis {
  const floor = value / 1000n - (value < 0n && value % 1000n !== 0n ? 1n : 0n);
  return Number(floor) as UnixMillis;
}

export function millisToMicros(value: UnixMillis): UnixMicros {
  return (BigInt(Math.floor(value)) * 1000n) as UnixMicros;
}

const ISO_TIME =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?(?:([Zz])|([+-])(\d{2})(?::?(\d{2}))?)?)?$/;

/** After so many years the Gregorian calendar repeats, and so many days are over. */
const CYCLE_YEARS = 400;
const CYCLE_MS = 146_097 * 86_400_000;

const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Days of a month from 1 to 12 in the Gregorian calendar. */
function daysIn(year: number, month: number): number {
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && isLeapYear ? 29 : (DAYS_IN_MONTH[month - 1] ?? 0);
}

/** `2026-11-20T08:05:03.12Z` on a day that every month has. Others may be times as well: `parseIsoTime` tells. */
const USUAL_TIME =
  /^2\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?Z$/;

/** True for the form in which services write times; a quick yes, while a no says nothing. */
export function isUsualTime(text: string): boolean {
  return USUAL_TIME.test(text);
}

type IsoParts = { wholeSecondMs: number; fraction: string };

function isoParts(text: string): IsoParts | undefined {
  const match = ISO_TIME.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction, , sign, offsetHour, offsetMinute] = match;
  const [y, mon, d] = [Number(year), Number(month), Number(day)];
  // Date.UTC would roll 31 February over into March.
  if (mon < 1 || mon > 12 || d < 1 || d > daysIn(y, mon)) return undefined;
  const [h, m, s] = [Number(hour ?? 0), Number(minute ?? 0), Number(second ?? 0)];
  const [oh, om] = [Number(offsetHour ?? 0), Number(offsetMinute ?? 0)];
  if (h > 23 || m > 59 || s > 59 || oh > 23 || om > 59) return undefined;
  const offsetMs = (oh * 60 + om) * 60_000 * (sign === '-' ? -1 : 1);
  // And it takes the years 0 to 99 for 1900 to 1999, so it is asked for the same day of the next cycle.
  const wholeSecondMs = Date.UTC(y + CYCLE_YEARS, mon - 1, d, h, m, s) - CYCLE_MS - offsetMs;
  if (wholeSecondMs < FIRST_MILLI || wholeSecondMs > LAST_MILLI) return undefined;
  return { wholeSecondMs, fraction: fraction ?? '' };
}

/**
 * Reads an ISO 8601 date or time: `Z`, a numeric offset, or no zone (then it is UTC, as the services write);
 * a fraction of any length, of which milliseconds are kept (rounded down).
 * @returns undefined for anything else: invalid dates, other formats, bare numbers.
 */
export function parseIsoTime(text: string): UnixMillis | undefined {
  const parts = isoParts(text);
  if (parts === undefined) return undefined;
  return (parts.wholeSecondMs + Number(parts.fraction.slice(0, 3).padEnd(3, '0'))) as UnixMillis;
}

/** The same moment as UTC text ending in `Z`, with every digit of the fraction kept; undefined as in `parseIsoTime`. */
export function isoTimeInUtc(text: string): string | undefined {
  const parts = isoParts(text);
  if (parts === undefined) return undefined;
  const fraction = parts.fraction === '' ? '' : `.${parts.fraction}`;
  return `${new Date(parts.wholeSecondMs).toISOString().slice(0, 19)}${fraction}Z`;
}

/** `2026-11-20T08:05:03.120Z`; `out of range` for a moment that four-digit years cannot name. */
export function formatIsoMillis(value: UnixMillis): string {
  const inRange = value >= FIRST_MILLI && value <= LAST_MILLI;
  return inRange ? new Date(value).toISOString() : 'out of range';
}

/** `2026-11-20T08:05:03Z`, rounded down to the second; `out of range` as in `formatIsoMillis`. */
export function formatIsoSeconds(value: UnixMillis): string {
  const text = formatIsoMillis(value);
  return text.endsWith('Z') ? `${text.slice(0, 19)}Z` : text;
}

/** `2026-11-20 08:05:03` in UTC, for table cells; `out of range` as in `formatIsoMillis`. */
export function formatUtcSeconds(value: UnixMillis): string {
  const text = formatIsoMillis(value);
  return text.endsWith('Z') ? text.slice(0, 19).replace('T', ' ') : text;
}
