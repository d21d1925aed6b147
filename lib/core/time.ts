import { withoutTrailingZeros } from './text';

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

/** Microseconds of a second. */
const MICROS = 1_000_000n;
/** 9999-12-31T23:59:59.999999Z, as far as ISO text of four-digit years reaches. */
const LAST = 253_402_300_800n * MICROS - 1n;

export function secondsToMicros(value: UnixSeconds): UnixMicros {
  return unixMicros(BigInt(value) * MICROS);
}

/** Rounds down: the second that has begun. Undefined before 1970 and after the year 9999. */
export function microsToSeconds(value: UnixMicros): UnixSeconds | undefined {
  return value < 0n || value > LAST ? undefined : unixSeconds(Number(value / MICROS));
}

/**
 * Reads an ISO 8601 time (as `parseIsoTime` takes it) with every digit down to the microsecond.
 * @returns undefined for anything else, for a time before 1970, and for one that is finer than a microsecond
 */
export function parseIsoMicros(text: string): UnixMicros | undefined {
  const [, whole, fraction = ''] = /^([^.]*?)(?:\.(\d+))?Z$/.exec(isoTimeInUtc(text) ?? '') ?? [];
  const wholeMs = whole === undefined ? undefined : parseIsoTime(`${whole}Z`);
  const digits = withoutTrailingZeros(fraction);
  if (wholeMs === undefined || wholeMs < 0 || digits.length > 6) return undefined;
  return unixMicros(BigInt(wholeMs) * 1000n + BigInt(digits.padEnd(6, '0')));
}

/** Reads unix seconds in decimal digits, with up to six behind a point: `1690576635`, `1690576635.000123`. */
export function parseSecondsText(text: string): UnixMicros | undefined {
  const [, whole, fraction = ''] = /^(\d{1,12})(?:\.(\d{1,6}))?$/.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const value = BigInt(whole) * MICROS + BigInt(fraction.padEnd(6, '0'));
  return value > LAST ? undefined : unixMicros(value);
}

/** `2026-11-20T08:05:03Z`, `2026-11-20T08:05:03.000125Z`; `out of range` where four-digit years end. */
export function formatIsoMicros(value: UnixMicros): string {
  const whole = formatIsoSeconds(unixMillis(microsToMillis(value)));
  if (!whole.endsWith('Z')) return whole;
  const fraction = microDigits(((value % MICROS) + MICROS) % MICROS);
  return fraction === '' ? whole : `${whole.slice(0, -1)}.${fraction}Z`;
}

/** Microseconds of a second as decimals of it; empty for none. */
function microDigits(micros: bigint): string {
  return withoutTrailingZeros(micros.toString().padStart(6, '0'));
}

/** A length of time in seconds with every digit and its sign: `+0.4 s`, `-12 s`, `0 s`. */
export function signedSecondsText(micros: bigint): string {
  const size = micros < 0n ? -micros : micros;
  const fraction = microDigits(size % MICROS);
  const sign = micros < 0n ? '−' : micros > 0n ? '+' : '';
  return `${sign}${size / MICROS}${fraction === '' ? '' : `.${fraction}`} s`;
}

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
