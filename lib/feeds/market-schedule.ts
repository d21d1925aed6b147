import { isTimeZone, zoneOffsetMs } from '@/lib/core/time-text';

/** Minutes of the day from which and until which a market trades; none on a closed day. */
type MarketDay = readonly { readonly fromMin: number; readonly untilMin: number }[];

type MarketSchedule = {
  readonly timeZone: string;
  /** Monday first. */
  readonly week: readonly MarketDay[];
  /** By month and day, `0704`. */
  readonly holidays: ReadonlyMap<string, MarketDay>;
};

export type MarketState =
  | { readonly kind: 'open' }
  /** `opensAtMs`: unix milliseconds, where that is less than ten days away. */
  | { readonly kind: 'closed'; readonly opensAtMs?: number | undefined };

const MINUTE_MS = 60_000;
const DAY_MIN = 24 * 60;
const DAY_MS = DAY_MIN * MINUTE_MS;
/** How far ahead the next opening is looked for: over any row of holidays. */
const DAYS_AHEAD = 10;
/** A hostile text must not cost memory. */
const LONGEST_TEXT = 10_000;

/**
 * Whether a market trades at a moment (unix ms), by the text of the router's directory: a time zone, seven days from Monday
 * (`O` open all day, `C` closed, or ranges joined by `&`), and days of the year that differ, as in
 * `America/New_York;0930-1600,…,C,C;0704/C,1127/0930-1300`. Undefined where that can't be read, or its zone is not known.
 */
export function marketAt(text: string | undefined, atMs: number): MarketState | undefined {
  const schedule = text === undefined ? undefined : parseSchedule(text);
  if (schedule === undefined) return undefined;
  const offsetMs = (at: number) => zoneOffsetMs(at, schedule.timeZone);
  const wallMs = atMs + offsetMs(atMs);
  const today = Math.floor(wallMs / DAY_MS);
  const ranges = Array.from({ length: DAYS_AHEAD + 2 }, (_, at) => today + at).flatMap((day) =>
    hoursOf(schedule, day).map(({ fromMin, untilMin }) => ({
      fromMs: day * DAY_MS + fromMin * MINUTE_MS,
      untilMs: day * DAY_MS + untilMin * MINUTE_MS,
    })),
  );
  if (ranges.some(({ fromMs, untilMs }) => fromMs <= wallMs && wallMs < untilMs)) return { kind: 'open' };
  const nextMs = ranges.find(({ fromMs }) => fromMs > wallMs)?.fromMs ?? Number.POSITIVE_INFINITY;
  if (nextMs > (today + DAYS_AHEAD) * DAY_MS) return { kind: 'closed' };
  // Asked twice, since the offset is that of the moment itself.
  return { kind: 'closed', opensAtMs: nextMs - offsetMs(nextMs - offsetMs(nextMs)) };
}

function hoursOf({ week, holidays }: MarketSchedule, day: number): MarketDay {
  const date = new Date(day * DAY_MS);
  const holiday = holidays.get(date.toISOString().slice(5, 10).replace('-', ''));
  return holiday ?? week[(date.getUTCDay() + 6) % 7] ?? [];
}

function parseSchedule(text: string): MarketSchedule | undefined {
  const [zone = '', days, exceptions = '', ...more] = text.split(';');
  const timeZone = zone.trim();
  if (text.length > LONGEST_TEXT || days === undefined || more.length > 0 || !isTimeZone(timeZone))
    return undefined;
  const week = days.split(',').map((day) => dayOf(day.trim()));
  const holidays = exceptions.trim() === '' ? [] : exceptions.trim().split(',').map(holidayOf);
  const isRead = week.every((day) => day !== undefined) && holidays.every((day) => day !== undefined);
  return isRead && week.length === 7 ? { timeZone, week, holidays: new Map(holidays) } : undefined;
}

function holidayOf(text: string): [string, MarketDay] | undefined {
  const [, date = '', hours = ''] = /^(\d{4})\/(.+)$/.exec(text.trim()) ?? [];
  const day = dayOf(hours);
  return day && [date, day];
}

function dayOf(text: string): MarketDay | undefined {
  if (text === 'O') return [{ fromMin: 0, untilMin: DAY_MIN }];
  if (text === 'C') return [];
  const ranges = text.split('&').map(rangeOf);
  return ranges.every((range) => range !== undefined) ? ranges : undefined;
}

function rangeOf(text: string): MarketDay[number] | undefined {
  const [, ...digits] = /^(\d\d)([0-5]\d)-(\d\d)([0-5]\d)$/.exec(text) ?? [];
  const [fromHour = 0, fromMinute = 0, untilHour = 0, untilMinute = 0] = digits.map(Number);
  const [fromMin, untilMin] = [fromHour * 60 + fromMinute, untilHour * 60 + untilMinute];
  return fromMin < untilMin && untilMin <= DAY_MIN ? { fromMin, untilMin } : undefined;
}
