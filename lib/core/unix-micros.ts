import { withoutTrailingZeros } from './digit-text';
import {
  formatIsoSeconds,
  isoTimeInUtc,
  microsToMillis,
  parseIsoTime,
  type UnixMicros,
  type UnixSeconds,
  unixMicros,
  unixMillis,
  unixSeconds,
} from './units';

/** Microseconds of a second. */
const SECOND = 1_000_000n;
/** 9999-12-31T23:59:59.999999Z, as far as ISO text of four-digit years reaches. */
const LAST = 253_402_300_800n * SECOND - 1n;

export function secondsToMicros(value: UnixSeconds): UnixMicros {
  return unixMicros(BigInt(value) * SECOND);
}

/** Rounds down: the second that has begun. Undefined before 1970 and after the year 9999. */
export function microsToSeconds(value: UnixMicros): UnixSeconds | undefined {
  return value < 0n || value > LAST ? undefined : unixSeconds(Number(value / SECOND));
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
  const value = BigInt(whole) * SECOND + BigInt(fraction.padEnd(6, '0'));
  return value > LAST ? undefined : unixMicros(value);
}

/** `2026-11-20T08:05:03Z`, `2026-11-20T08:05:03.000125Z`; `out of range` where four-digit years end. */
export function formatIsoMicros(value: UnixMicros): string {
  const whole = formatIsoSeconds(unixMillis(microsToMillis(value)));
  if (!whole.endsWith('Z')) return whole;
  const fraction = microDigits(((value % SECOND) + SECOND) % SECOND);
  return fraction === '' ? whole : `${whole.slice(0, -1)}.${fraction}Z`;
}

/** Microseconds of a second as decimals of it; empty for none. */
function microDigits(micros: bigint): string {
  return withoutTrailingZeros(micros.toString().padStart(6, '0'));
}

/** A length of time in seconds with every digit and its sign: `+0.4 s`, `-12 s`, `0 s`. */
export function signedSecondsText(micros: bigint): string {
  const size = micros < 0n ? -micros : micros;
  const fraction = microDigits(size % SECOND);
  const sign = micros < 0n ? '−' : micros > 0n ? '+' : '';
  return `${sign}${size / SECOND}${fraction === '' ? '' : `.${fraction}`} s`;
}
