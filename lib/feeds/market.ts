import { DAY_MS, MINUTE_MS } from '@/lib/core/time';
import { isTimeZone, zoneOffsetMs } from '@/lib/core/time-text';

/** Minutes of the day; empty on a closed day. */
type MarketDay = readonly (readonly [fromMin: number, untilMin: number])[];

type MarketState =
  | { readonly kind: 'open' }
  /** `opensAtMs` is unix ms, if the opening is less than `DAYS_AHEAD` away. */
  | { readonly kind: 'closed'; readonly opensAtMs?: number | undefined };

const DAY_MIN = 24 * 60;
/** Days that are searched: longer than any run of holidays. */
const DAYS_AHEAD = 10;
/** A hostile schedule must not cost memory. */
const MAX_TEXT = 10_000;

/**
 * Reads the schedule of the router's directory: a time zone, seven days from Monday (`O` open all day, `C` closed, or
 * ranges joined by `&`), and exceptional days: `America/New_York;0930-1600,…,C,C;0704/C,1127/0930-1300`. Undefined
 * for an unreadable text or an unknown zone.
 */
export function marketAt(text: string | undefined, atMs: number): MarketState | undefined {
  const schedule = text === undefined ? undefined : parseSchedule(text);
  if (schedule === undefined) return undefined;
  const { timeZone, hoursOf } = schedule;
  const today = Math.floor((atMs + zoneOffsetMs(atMs, timeZone)) / DAY_MS);
  const ranges = Array.from({ length: DAYS_AHEAD + 2 }, (_, index) => today + index).flatMap((day) =>
    hoursOf(day).map((ends) => ends.map((min) => momentOf(day * DAY_MS + min * MINUTE_MS, timeZone))),
  );
  if (ranges.some(([fromMs = 0, untilMs = 0]) => fromMs <= atMs && atMs < untilMs)) return { kind: 'open' };
  const [opensAtMs = Infinity] = ranges.find(([fromMs = 0]) => fromMs > atMs) ?? [];
  return opensAtMs - atMs > DAYS_AHEAD * DAY_MS ? { kind: 'closed' } : { kind: 'closed', opensAtMs };
}

/** Takes two lookups, because the offset depends on the moment itself. */
function momentOf(wallMs: number, timeZone: string): number {
  return wallMs - zoneOffsetMs(wallMs - zoneOffsetMs(wallMs, timeZone), timeZone);
}

/** Closings are searched this far back from the end. */
export const MAX_CLOSED_MS = 60 * DAY_MS;

/** Spans between two moments (unix ms), in order. Empty for an unreadable schedule. */
export function closedSpans(
  text: string | undefined,
  fromMs: number,
  untilMs: number,
): { readonly fromMs: number; readonly untilMs: number }[] {
  const schedule = text === undefined ? undefined : parseSchedule(text);
  if (schedule === undefined) return [];
  const { timeZone, hoursOf } = schedule;
  const startMs = Math.max(fromMs, untilMs - MAX_CLOSED_MS);
  const dayOfWall = (ms: number) => Math.floor((ms + zoneOffsetMs(ms, timeZone)) / DAY_MS);
  const firstDay = dayOfWall(startMs) - 1;
  const lastDay = dayOfWall(untilMs) + 1;
  const days = Array.from({ length: lastDay - firstDay + 1 }, (_, index) => firstDay + index);
  const spans: { fromMs: number; untilMs: number }[] = [];
  let cursorMs = startMs;
  for (const day of days) {
    for (const [openMin, closeMin] of hoursOf(day)) {
      const opensMs = momentOf(day * DAY_MS + openMin * MINUTE_MS, timeZone);
      const closesMs = momentOf(day * DAY_MS + closeMin * MINUTE_MS, timeZone);
      if (opensMs > cursorMs && cursorMs < untilMs)
        spans.push({ fromMs: cursorMs, untilMs: Math.min(opensMs, untilMs) });
      cursorMs = Math.max(cursorMs, closesMs);
    }
  }
  if (cursorMs < untilMs) spans.push({ fromMs: cursorMs, untilMs });
  return spans;
}

function parseSchedule(text: string) {
  const [zone = '', days = '', exceptions = '', ...more] = text.split(';');
  const timeZone = zone.trim();
  if (text.length > MAX_TEXT || more.length > 0 || !isTimeZone(timeZone)) return undefined;
  const week = days.split(',').map((day) => dayOf(day.trim()));
  const differing = exceptions.trim() === '' ? [] : exceptions.split(',');
  const holidays = differing.map((day) => {
    const [, date = '', hours = ''] = /^(\d{4})\/(.+)$/.exec(day.trim()) ?? [];
    return [date, dayOf(hours)] as const;
  });
  const isRead = ![...week, ...holidays.map(([, day]) => day)].includes(undefined);
  if (!isRead || week.length !== 7) return undefined;
  const byDate = new Map(holidays);
  /** @param day days since 1970 */
  const hoursOf = (day: number): MarketDay => {
    const date = new Date(day * DAY_MS);
    const monthDay = date.toISOString().slice(5, 10).replace('-', '');
    return byDate.get(monthDay) ?? week[(date.getUTCDay() + 6) % 7] ?? [];
  };
  return { timeZone, hoursOf };
}

function dayOf(text: string): MarketDay | undefined {
  if (text === 'O') return [[0, DAY_MIN]];
  if (text === 'C') return [];
  const ranges = text.split('&').map((range) => {
    const digits = /^(\d\d)([0-5]\d)-(\d\d)([0-5]\d)$/.exec(range) ?? [];
    const [, fromHour = 0, fromMinute = 0, untilHour = 0, untilMinute = 0] = digits.map(Number);
    return [fromHour * 60 + fromMinute, untilHour * 60 + untilMinute] as const;
  });
  return ranges.every(([from, until]) => from < until && until <= DAY_MIN) ? ranges : undefined;
}
