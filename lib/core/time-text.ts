import {
  DAY_MS,
  formatAge,
  formatIsoMillis,
  formatIsoSeconds,
  formatUtcSeconds,
  HOUR_MS,
  isoTimeInUtc,
  MINUTE_MS,
  OUT_OF_RANGE,
  parseIsoTime,
} from './time';

/** `Intl` supplies only the offset of a zone: its texts differ between Node and browsers, but renders must not. */

const ZONES = ['utc', 'local', 'relative'] as const;
export type Zone = (typeof ZONES)[number];

export const readZone = (text: string): Zone | undefined => ZONES.find((zone) => zone === text);

/** `timeZone` is the IANA name for `local`, or `UTC` if it is unknown. */
export type TimeStyle = { readonly zone: Zone; readonly timeZone: string };

export const DEFAULT_TIME_STYLE: TimeStyle = { zone: 'utc', timeZone: 'UTC' };

export type MomentText = {
  /** `2026-11-20 08:05:03`, or `3 min ago`. */
  readonly text: string;
  /** Three lines: UTC, local with its offset, and the service's own digits. */
  readonly title: string;
  /** UTC with every known digit, for copying. */
  readonly iso: string;
};

/** Clocks of services are slightly off, so a moment ahead of ours by less counts as now. */
const CLOCK_DIFFERENCE_MS = 10_000;

/** Bounds of both caches. Zone names come from a cookie, so an attacker could fill an unbounded cache. */
const MAX_ZONES = 32;
const MAX_OFFSETS = 2000;
const formats = new Map<string, Intl.DateTimeFormat>();
/** Offsets by zone and quarter of an hour. Clocks change only at a full quarter. */
const offsets = new Map<string, number>();

function formatOf(timeZone: string): Intl.DateTimeFormat | undefined {
  const cached = formats.get(timeZone);
  // The longest name in the zone database has 32 letters.
  if (cached !== undefined || !/^[A-Za-z][A-Za-z0-9_+/-]{1,47}$/.test(timeZone)) return cached;
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
    if (formats.size >= MAX_ZONES) formats.clear();
    formats.set(timeZone, format);
    return format;
  } catch {
    // This runtime's zone database does not have the name.
    return undefined;
  }
}

export const isTimeZone = (timeZone: string) => formatOf(timeZone) !== undefined;

/** Milliseconds by which the zone is ahead of UTC; 0 for an unknown zone. */
export function zoneOffsetMs(ms: number, timeZone: string): number {
  const format = timeZone === 'UTC' || formatIsoMillis(ms) === OUT_OF_RANGE ? undefined : formatOf(timeZone);
  if (format === undefined) return 0;
  const key = `${timeZone} ${Math.floor(ms / (15 * MINUTE_MS))}`;
  if (offsets.size >= MAX_OFFSETS) offsets.clear();
  const offset = offsets.get(key) ?? readOffset(format, ms);
  offsets.set(key, offset);
  return offset;
}

/** Reads `GMT`, `GMT+05:30`, `GMT-00:01:15`. */
function readOffset(format: Intl.DateTimeFormat, ms: number): number {
  const name = format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours = 0, minutes = 0, seconds = 0] = /([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(name) ?? [];
  const size = Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS + Number(seconds) * 1000;
  return sign === '-' ? -size : size;
}

/** `+01:00`, `-03:30`. Seconds (zones before 1972) are left out. */
function offsetText(offsetMs: number): string {
  const minutes = Math.floor(Math.abs(offsetMs) / MINUTE_MS);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${offsetMs < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** `2026-11-20 09:05:03`; `out of range` beyond years of four digits. */
function formatZoneSeconds(ms: number, timeZone: string): string {
  return formatUtcSeconds(ms + zoneOffsetMs(ms, timeZone));
}

/** One unit: `42 s ago`, `2 h ago`; `in 3 min` for the future. */
export function formatRelative(ms: number, nowMs: number): string {
  if (formatIsoMillis(ms) === OUT_OF_RANGE) return OUT_OF_RANGE;
  const inOneUnit = (length: number) => formatAge(length).replace(/^(\d+ \w+) .*$/, '$1');
  const passed = nowMs - ms;
  return passed > -CLOCK_DIFFERENCE_MS ? `${inOneUnit(passed)} ago` : `in ${inOneUnit(-passed)}`;
}

/** Clocks are never set back by more than this. */
const SET_BACK_MS = 4 * HOUR_MS;

/** Whether another moment shows the same date and time, because clocks are set back in between. */
function isShownTwice(ms: number, timeZone: string): boolean {
  const offset = zoneOffsetMs(ms, timeZone);
  // All moments of a day share the cache entries of its ends.
  const dayMs = Math.floor(ms / DAY_MS) * DAY_MS;
  const ends = [dayMs - SET_BACK_MS, dayMs + DAY_MS + SET_BACK_MS];
  return ends.some((end) => {
    const other = zoneOffsetMs(end, timeZone);
    return other !== offset && zoneOffsetMs(ms + offset - other, timeZone) === other;
  });
}

/** A local time that occurs twice, because clocks are set back, has its offset: `2026-10-25 02:30:00 +01:00`. */
export function shownMoment(ms: number, { zone, timeZone }: TimeStyle, nowMs: number): string {
  if (zone === 'relative') return formatRelative(ms, nowMs);
  if (zone === 'utc') return formatUtcSeconds(ms);
  const text = formatZoneSeconds(ms, timeZone);
  return isShownTwice(ms, timeZone) ? `${text} ${offsetText(zoneOffsetMs(ms, timeZone))}` : text;
}

/** @param ms unix ms @param serviceText as the service wrote the moment */
export function momentText(ms: number, style: TimeStyle, nowMs: number, serviceText?: string): MomentText {
  const { timeZone } = style;
  const utc = formatUtcSeconds(ms);
  const hasLocal = timeZone !== 'UTC' && isTimeZone(timeZone);
  const local = `${formatZoneSeconds(ms, timeZone)} ${offsetText(zoneOffsetMs(ms, timeZone))} ${timeZone}`;
  const lines = [
    `${utc} UTC`,
    ...(hasLocal ? [local] : []),
    ...(serviceText ? [`As sent: ${serviceText}`] : []),
  ];
  return {
    text: shownMoment(ms, style, nowMs),
    title: utc === OUT_OF_RANGE ? (serviceText ?? utc) : lines.join('\n'),
    iso: isoTimeInUtc(serviceText ?? '') ?? formatIsoMillis(ms),
  };
}

/** The style of a text that must not change with time: ages become UTC. */
export function clockStyle({ zone, timeZone }: TimeStyle): TimeStyle {
  return { zone: zone === 'local' ? 'local' : 'utc', timeZone };
}

/** A moment in words that are never an age: `12:03:07 UTC`. The date is included unless it is today's. */
export const clockWords = (ms: number, style: TimeStyle, nowMs = Date.now()) =>
  momentWords(ms, clockStyle(style), nowMs);

/** A moment within a sentence: `12:03:07 UTC`, `3 min ago`. The date is included unless it is today's. */
export function momentWords(ms: number, style: TimeStyle, nowMs: number): string {
  const short = momentInColumn(ms, style, nowMs);
  if (style.zone === 'relative' || short === OUT_OF_RANGE) return short;
  const offset = style.zone === 'utc' ? 'UTC' : offsetText(zoneOffsetMs(ms, style.timeZone));
  return short.endsWith(` ${offset}`) ? short : `${short} ${offset}`;
}

/** A moment in a column whose header names the zone. */
export function momentInColumn(ms: number, style: TimeStyle, nowMs: number): string {
  const text = shownMoment(ms, style, nowMs);
  if (style.zone === 'relative') return text;
  const today = shownMoment(nowMs, style, nowMs).slice(0, 10);
  return text.startsWith(`${today} `) ? text.slice(11) : text;
}

export function momentHeader(label: string, zone: Zone): string {
  return zone === 'relative' ? label : `${label} (${zone === 'utc' ? 'UTC' : 'local'})`;
}

/** The zone of input fields is that of the page; UTC with relative style. */
export function inputZone({ zone, timeZone }: TimeStyle): string {
  return zone === 'local' && isTimeZone(timeZone) ? timeZone : 'UTC';
}

/** Text of a moment for a field: as written, or in the zone with its offset. */
export function momentFieldText(iso: string, style: TimeStyle): string {
  const zone = inputZone(style);
  const ms = parseIsoTime(iso);
  if (zone === 'UTC' || ms === undefined) return iso;
  const wall = formatZoneSeconds(ms, zone);
  const offsetMs = zoneOffsetMs(ms, zone);
  // ISO text cannot express moments beyond year 9999, and offsets with seconds.
  if (wall === OUT_OF_RANGE || offsetMs % MINUTE_MS !== 0) return iso;
  return `${wall.replace(' ', 'T')}${/[.,]\d+/.exec(iso)?.[0] ?? ''}${offsetText(offsetMs)}`;
}

/** Accepts moments as our pages write them (`2026-11-20 09:05:03 UTC`, `… 10:05:03 +01:00 Europe/Berlin`). */
function asIso(text: string): string {
  return text
    .replace(/^(\d{4}-\d\d-\d\d) ?(?:UTC|GMT)$/i, '$1T00:00Z')
    .replace(/(\d) ?(?:UTC|GMT)$/i, '$1Z')
    .replace(/(:\d\d(?:[.,]\d+)?) ([+-]\d\d:?\d\d)(?: [A-Za-z_+/-]+)?$/, '$1$2');
}

/** Replaces `today` or `yesterday` by the date in the style's zone. */
function withDate(text: string, style: TimeStyle, nowMs: number): string {
  const [, day, clock = '00:00'] = /^(today|yesterday)(?:,? +(\d{1,2}:\d{2}(?::\d{2})?))?$/i.exec(text) ?? [];
  if (day === undefined) return text;
  const today = shownMoment(nowMs, clockStyle(style), nowMs).slice(0, 10);
  const dayMs = (parseIsoTime(today) ?? 0) - (day.toLowerCase() === 'today' ? 0 : DAY_MS);
  return `${formatIsoMillis(dayMs).slice(0, 10)} ${clock.replace(/^(\d):/, '0$1:')}`;
}

/**
 * ISO text for the link; undefined if the text names no moment. Without a zone it is read on the style's clock; a time
 * that this clock skips or shows twice, with the offset from before the change.
 */
export function typedMoment(text: string, style: TimeStyle, nowMs = Date.now()): string | undefined {
  const typed = asIso(withDate(text.trim(), style, nowMs));
  const wallMs = parseIsoTime(typed);
  const zone = inputZone(style);
  if (wallMs === undefined) return undefined;
  if (zone === 'UTC' || /[Tt ]\d{2}:\d{2}.*(?:[Zz]|[+-]\d{2}(?::?\d{2})?)$/.test(typed)) return typed;
  // The offset a day earlier precedes any change. It applies unless the change is over.
  const offsetBefore = zoneOffsetMs(wallMs - DAY_MS, zone);
  const fitting = zoneOffsetMs(wallMs - offsetBefore, zone);
  const offset = zoneOffsetMs(wallMs - fitting, zone) === fitting ? fitting : offsetBefore;
  const iso = `${/[Tt ]/.test(typed) ? typed : `${typed}T00:00`}${offsetText(offset)}`;
  return parseIsoTime(iso) === undefined ? undefined : iso;
}

/** Text of a `datetime-local` input: `2026-11-20T09:05:03` in the style's zone; empty for no moment. */
export function pickerText(iso: string, style: TimeStyle): string {
  const wall = formatZoneSeconds(parseIsoTime(iso) ?? Number.NaN, inputZone(style));
  return wall === OUT_OF_RANGE ? '' : wall.replace(' ', 'T');
}

/** ISO text for the link; undefined for an emptied picker. */
export function pickedMoment(value: string, style: TimeStyle): string | undefined {
  const typed = typedMoment(value, style);
  return typed === undefined || inputZone(style) !== 'UTC'
    ? typed
    : formatIsoSeconds(parseIsoTime(typed) ?? Number.NaN);
}

/** Cookie of the zone, which the server reads, so that the first HTML already shows the right times. */
export const ZONE_COOKIE = 'ks-zone';

/** Reads `local:Europe/Berlin`. An unreadable cookie counts as no choice. */
export function readZoneCookie(text: string | undefined): TimeStyle {
  const [name = '', timeZone = ''] = (text ?? '').split(':');
  const zone = readZone(name);
  if (zone === undefined) return DEFAULT_TIME_STYLE;
  return { zone, timeZone: isTimeZone(timeZone) ? timeZone : DEFAULT_TIME_STYLE.timeZone };
}

/** Text for `document.cookie`; the cookie lasts a year. */
export const persistentCookie = (name: string, value: string) =>
  `${name}=${value}; Path=/; Max-Age=31536000; SameSite=Lax`;
export const zoneCookie = ({ zone, timeZone }: TimeStyle) =>
  persistentCookie(ZONE_COOKIE, `${zone}:${timeZone}`);

/** The Cookie Store API exists on secure origins only. */
export function writeCookie(page: { cookie: string }, cookie: string): void {
  page.cookie = cookie;
}
