import type { Zone } from '@/lib/core/time-text';
import { DEFAULT_TIME_STYLE, isTimeZone, type TimeStyle } from '@/lib/core/time-text';

/** Read by the server, so that the first HTML shows times as they will stay. */
export const ZONE_COOKIE = 'ks-zone';

const YEAR_S = 365 * 24 * 3600;

const ZONES: readonly Zone[] = ['utc', 'local', 'relative'];

/** The zone of that name, or undefined. */
export function zoneOfText(text: string): Zone | undefined {
  return ZONES.find((zone) => zone === text);
}

/** `local:Europe/Berlin` as a style. Anything may stand in a cookie: what can't be read counts as not chosen. */
export function readZoneCookie(text: string | undefined): TimeStyle {
  const [name = '', timeZone = ''] = (text ?? '').split(':');
  const zone = zoneOfText(name);
  if (zone === undefined) return DEFAULT_TIME_STYLE;
  return { zone, timeZone: isTimeZone(timeZone) ? timeZone : DEFAULT_TIME_STYLE.timeZone };
}

/** What goes into `document.cookie`. */
export function zoneCookie({ zone, timeZone }: TimeStyle): string {
  return `${ZONE_COOKIE}=${zone}:${timeZone}; Path=/; Max-Age=${YEAR_S}; SameSite=Lax`;
}

/**
 * Writes a cookie into the page. The newer interface for that exists on secure origins only, and a dashboard is often
 * reached by plain HTTP inside its own network.
 */
export function keepCookie(page: { cookie: string }, cookie: string): void {
  page.cookie = cookie;
}
