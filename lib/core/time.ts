/** A plain number is unix milliseconds (`…Ms`). Seconds and microseconds have types of their own. */
declare const unit: unique symbol;

export type UnixSeconds = number & { readonly [unit]: 's' };
/** A number would hold today's microseconds, but not every u64 that a service may send. */
export type UnixMicros = bigint & { readonly [unit]: 'us' };

export const SECOND_MS = 1000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;
export const HOUR_US = 3_600_000_000;
export const DAY_US = 24 * HOUR_US;

/** 9999-12-31T23:59:59Z */
const LAST_SECOND = 253_402_300_799;
/** 0000-01-01T00:00:00Z */
const FIRST_MS = -62_167_219_200_000;
const LAST_MS = LAST_SECOND * 1000 + 999;
const MICROS = 1_000_000n;
const LAST_MICRO = BigInt(LAST_SECOND + 1) * MICROS - 1n;

/** Undefined unless the number is whole and between 1970 and the year 9999. */
export function unixSeconds(value: number): UnixSeconds | undefined {
  return Number.isInteger(value) && value >= 0 && value <= LAST_SECOND ? (value as UnixSeconds) : undefined;
}

export const unixMicros = (value: bigint) => value as UnixMicros;

export const secondsToMicros = (value: UnixSeconds) => unixMicros(BigInt(value) * MICROS);
export const millisToMicros = (ms: number) => unixMicros(BigInt(Math.floor(ms)) * 1000n);
/** Rounds down, like all conversions below: a second counts once it has begun. */
export const millisToSeconds = (ms: number) => Math.floor(ms / 1000) as UnixSeconds;
export const microsToMillis = (value: UnixMicros) =>
  Number((value - (((value % 1000n) + 1000n) % 1000n)) / 1000n);

/** Undefined before 1970 and after the year 9999. */
export function microsToSeconds(value: UnixMicros): UnixSeconds | undefined {
  return value < 0n || value > LAST_MICRO ? undefined : unixSeconds(Number(value / MICROS));
}

const ISO_TIME =
  /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d)(?::(\d\d)(?:[.,](\d+))?)?(?:[Zz]|([+-])(\d\d)(?::?(\d\d))?)?)?$/;

function isoParts(text: string): { wholeSecondMs: number; fraction: string } | undefined {
  const match = ISO_TIME.exec(text);
  if (match === null) return undefined;
  const [, day = '', minute = '00:00', second = '00', fraction = '', sign, hours = 0, minutes = 0] = match;
  const wall = `${day}T${minute}:${second}`;
  const wallMs = Date.parse(`${wall}Z`);
  if (Number.isNaN(wallMs)) return undefined;
  // Date.parse reads 31 February as a day in March, and 24:00 as the next day.
  const mayBeAnother = day.slice(8) > '28' || minute.startsWith('24');
  if (mayBeAnother && !new Date(wallMs).toISOString().startsWith(wall)) return undefined;
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined;
  const offsetMs = Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS;
  const wholeSecondMs = wallMs + (sign === '-' ? offsetMs : -offsetMs);
  return wholeSecondMs < FIRST_MS || wholeSecondMs > LAST_MS ? undefined : { wholeSecondMs, fraction };
}

/** Unix ms of an ISO 8601 date or time, as UTC if it names no zone; undefined for anything else. */
export function parseIsoTime(text: string): number | undefined {
  const parts = isoParts(text);
  return parts && parts.wholeSecondMs + Number(parts.fraction.slice(0, 3).padEnd(3, '0'));
}

/** Ends in `Z` and has every digit; undefined for texts that `parseIsoTime` rejects. */
export function isoTimeInUtc(text: string): string | undefined {
  const parts = isoParts(text);
  return parts && withFraction(new Date(parts.wholeSecondMs).toISOString().slice(0, 19), parts.fraction);
}

const withFraction = (whole: string, digits: string) => `${whole}${digits === '' ? '' : `.${digits}`}Z`;

export const OUT_OF_RANGE = 'out of range';

/** `2026-11-20T08:05:03.120Z`; `out of range` outside years of four digits. */
export function formatIsoMillis(ms: number): string {
  return ms >= FIRST_MS && ms <= LAST_MS ? new Date(ms).toISOString() : OUT_OF_RANGE;
}

/** `2026-11-20T08:05:03Z`, rounded down; `out of range` as in `formatIsoMillis`. */
export const formatIsoSeconds = (ms: number) => formatIsoMillis(ms).replace(/\.\d+Z$/, 'Z');

/** `2026-11-20 08:05:03`; `out of range` as in `formatIsoMillis`. */
export const formatUtcSeconds = (ms: number) => formatIsoMillis(ms).replace(/T(.*)\.\d+Z$/, ' $1');

/** Undefined before 1970 and for times finer than microseconds. */
export function parseIsoMicros(text: string): UnixMicros | undefined {
  const { wholeSecondMs = -1, fraction = '' } = isoParts(text) ?? {};
  const isExact = /^\d{0,6}0*$/.test(fraction);
  if (wholeSecondMs < 0 || !isExact) return undefined;
  return unixMicros(BigInt(wholeSecondMs) * 1000n + BigInt(fraction.slice(0, 6).padEnd(6, '0')));
}

/** Seconds with up to six decimals: `1690576635`, `1690576635.000123`. */
export function parseSecondsText(text: string): UnixMicros | undefined {
  const [, whole, fraction = ''] = /^(\d{1,12})(?:\.(\d{1,6}))?$/.exec(text) ?? [];
  const value = whole === undefined ? undefined : BigInt(whole + fraction.padEnd(6, '0'));
  return value === undefined || value > LAST_MICRO ? undefined : unixMicros(value);
}

/** `2026-11-20T08:05:03Z`, `2026-11-20T08:05:03.000125Z`; `out of range` as in `formatIsoMillis`. */
export function formatIsoMicros(value: UnixMicros): string {
  const whole = formatIsoSeconds(microsToMillis(value));
  const micros = ((value % MICROS) + MICROS) % MICROS;
  return whole === OUT_OF_RANGE ? whole : withFraction(whole.slice(0, -1), microDigits(micros));
}

/** Digits of microseconds without trailing zeros. */
const microDigits = (micros: bigint) => micros.toString().padStart(6, '0').replace(/0+$/, '');

/** Text with every digit: `+0.4 s`, `−12 s`, `0 s`. @param minDecimals for durations that are compared */
export function signedSecondsText(micros: bigint, minDecimals = 0): string {
  const size = micros < 0n ? -micros : micros;
  const fraction = microDigits(size % MICROS).padEnd(minDecimals, '0');
  const sign = micros < 0n ? '−' : micros > 0n ? '+' : '';
  return `${sign}${size / MICROS}${fraction === '' ? '' : `.${fraction}`} s`;
}

/** `42 s`, `5 min 03 s`, `2 h 14 min`, `3 d 4 h`. Rounded down, so that no limit seems reached too early. */
export function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const two = (value: number) => String(value % 60).padStart(2, '0');
  if (minutes < 1) return `${seconds} s`;
  if (hours < 1) return `${minutes} min ${two(seconds)} s`;
  return hours < 24 ? `${hours} h ${two(minutes)} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** A measured duration, rounded down: `0.8 s`, `12.8 s`; from a minute on as `formatSpan`. */
export function formatDuration(ms: number): string {
  return ms < MINUTE_MS ? `${(Math.floor(Math.max(0, ms) / 100) / 10).toFixed(1)} s` : formatSpan(ms);
}

/** A measured duration that is usually short: `40 ms`; from a second on as `formatDuration`. */
export function formatLatency(ms: number): string {
  const whole = Math.round(ms);
  return whole < SECOND_MS ? `${whole} ms` : formatDuration(whole);
}

/** `1 min`, where `formatAge` has `1 min 00 s`. */
export const formatSpan = (ms: number) => formatAge(ms).replace(/(min|h|d) 0+ \w+$/, '$1');

/** A range of an address as pages write it: `24h` → `24 h`. */
export const rangeName = (range: string) => range.replace(/\D+$/, ' $&');
