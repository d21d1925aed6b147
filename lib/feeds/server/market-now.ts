import 'server-only';
import type { FeedEntry } from '@/lib/core/feed';
import { isPublished } from '@/lib/feeds/feed-cadence';
import { marketStateAt, parseMarketSchedule } from '@/lib/feeds/market-schedule';

const MINUTE_MS = 60_000;
const ZONE_NAME = /^[A-Za-z][A-Za-z0-9_+/-]{1,47}$/;

/**
 * Whether prices of a feed are expected at a moment: not while its market is closed, nor where nobody publishes it.
 * Undefined where the directory says nothing of either.
 * @param atMs unix milliseconds
 */
export function isTrading({ schedule: text, state }: FeedEntry, atMs: number): boolean | undefined {
  if (!isPublished(state)) return false;
  const schedule = text === undefined ? undefined : parseMarketSchedule(text);
  // The name of the zone comes from a service.
  if (schedule === undefined || !ZONE_NAME.test(schedule.timeZone)) return undefined;
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: schedule.timeZone,
      timeZoneName: 'longOffset',
    });
    return marketStateAt(schedule, atMs, (ms) => offsetMs(format, ms)).kind === 'open';
  } catch {
    return undefined;
  }
}

/** How far the clocks of the zone are ahead of UTC, from `GMT-05:00`, or `GMT` for none. */
function offsetMs(format: Intl.DateTimeFormat, atMs: number): number {
  const text = format.formatToParts(atMs).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours = '0', minutes = '0'] = /^GMT([+-])(\d{2}):(\d{2})/.exec(text) ?? [];
  const ms = (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
  return sign === '-' ? -ms : ms;
}
