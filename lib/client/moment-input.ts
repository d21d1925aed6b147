import { formatIsoSeconds, formatUtcSeconds, parseIsoTime, unixMillis } from '@/lib/core/units';
import { formatZoneSeconds, isTimeZone, offsetText, type TimeStyle, zoneOffsetMs } from './moment-text';

/** Moments as people type and pick them: by the clock that the page shows. Ages cannot be typed, so they count as UTC. */

/** The zone whose clock the fields speak of. */
export function inputZone({ zone, timeZone }: TimeStyle): string {
  return zone === 'local' && isTimeZone(timeZone) ? timeZone : 'UTC';
}

/** The zone in words, for the line below a field: `UTC`, `Europe/Berlin`. */
export function inputZoneWords(style: TimeStyle): string {
  return inputZone(style).replaceAll('_', ' ');
}

const WITH_ZONE = /[Tt ]\d{2}:\d{2}.*(?:[Zz]|[+-]\d{2}(?::?\d{2})?)$/;
const FRACTION = /[.,]\d+/;

/** What stands in a field for an ISO time of the link: as it was written, or by the clock of the zone with its offset. */
export function momentFieldText(iso: string, style: TimeStyle): string {
  const zone = inputZone(style);
  const ms = parseIsoTime(iso);
  if (zone === 'UTC' || ms === undefined) return iso;
  const wall = formatZoneSeconds(ms, zone);
  // Beyond the calendar, or by an offset that ISO text has no digits for.
  if (!/^\d/.test(wall) || zoneOffsetMs(ms, zone) % 60_000 !== 0) return iso;
  const fraction = FRACTION.exec(iso)?.[0] ?? '';
  return `${wall.replace(' ', 'T')}${fraction}${offsetText(zoneOffsetMs(ms, zone))}`;
}

/**
 * The moment that a text names, as ISO text for the link: what names no zone is meant by the clock of the style. A time
 * that this clock skips or shows twice (when it is changed) is read by its offset before the change.
 * @returns undefined when it is no ISO time
 */
export function typedMoment(text: string, style: TimeStyle): string | undefined {
  const typed = text.trim();
  const wallMs = parseIsoTime(typed);
  const zone = inputZone(style);
  if (wallMs === undefined) return undefined;
  if (zone === 'UTC' || WITH_ZONE.test(typed)) return typed;
  // The day before has the offset from before any change; it fits unless the change is over by then.
  const before = zoneOffsetMs(wallMs - 86_400_000, zone);
  const fitting = zoneOffsetMs(wallMs - before, zone);
  const offset = zoneOffsetMs(wallMs - fitting, zone) === fitting ? fitting : before;
  const withTime = /[Tt ]/.test(typed) ? typed : `${typed}T00:00`;
  const iso = `${withTime}${offsetText(offset)}`;
  return parseIsoTime(iso) === undefined ? undefined : iso;
}

/** The value of a `datetime-local` input for a moment: `2026-11-20T09:05:03` by the clock of the style; empty for none. */
export function pickerText(iso: string, style: TimeStyle): string {
  const ms = parseIsoTime(iso);
  if (ms === undefined) return '';
  const zone = inputZone(style);
  const wall = zone === 'UTC' ? formatUtcSeconds(ms) : formatZoneSeconds(ms, zone);
  return /^\d/.test(wall) ? wall.replace(' ', 'T') : '';
}

/** The moment that was picked, as ISO text for the link; undefined for an emptied picker. */
export function pickedMoment(value: string, style: TimeStyle): string | undefined {
  const typed = typedMoment(value, style);
  const ms = typed === undefined ? undefined : parseIsoTime(typed);
  if (ms === undefined) return undefined;
  return inputZone(style) === 'UTC' ? formatIsoSeconds(unixMillis(ms)) : typed;
}
