/**
 * When a market trades, as the router's directory writes it: `America/New_York;0930-1600,…,C,C;0704/C,1127/0930-1300`: a time
 * zone, seven days from Monday (`O` open all day, `C` closed, or ranges joined by `&`), and days of the year that differ.
 */
export type MarketSchedule = {
  /** IANA name; the caller knows the zones. */
  readonly timeZone: string;
  /** Monday first. */
  readonly week: readonly MarketDay[];
  /** By month and day, `0704`. */
  readonly holidays: ReadonlyMap<string, MarketDay>;
};

/** Minutes of the day from which and until which it trades; none on a closed day. */
export type MarketDay = readonly { readonly fromMin: number; readonly untilMin: number }[];

const DAY_MIN = 24 * 60;
const ALL_DAY: MarketDay = [{ fromMin: 0, untilMin: DAY_MIN }];
/** No calendar has more; a hostile text must not cost memory. */
const MOST_HOLIDAYS = 366;
const LONGEST_TEXT = 10_000;

/** Reads the text of the directory; undefined for anything else, then nothing is said of the market. */
export function parseMarketSchedule(text: string): MarketSchedule | undefined {
  if (text.length > LONGEST_TEXT) return undefined;
  const [zone, days, ...more] = text.split(';');
  const timeZone = zone?.trim() ?? '';
  if (timeZone === '' || days === undefined || more.length > 1) return undefined;
  const week = days.split(',').map((day) => dayOf(day.trim()));
  if (week.length !== 7 || !week.every((day) => day !== undefined)) return undefined;
  const holidays = holidaysOf(more[0]?.trim() ?? '');
  return holidays === undefined ? undefined : { timeZone, week, holidays };
}

function holidaysOf(text: string): Map<string, MarketDay> | undefined {
  const entries = text === '' ? [] : text.split(',');
  if (entries.length > MOST_HOLIDAYS) return undefined;
  const days = entries.flatMap((entry) => {
    const [, date = '', hours = ''] = /^(\d{4})\/(.+)$/.exec(entry.trim()) ?? [];
    const day = dayOf(hours);
    return date === '' || day === undefined ? [] : [[date, day] as const];
  });
  return days.length === entries.length ? new Map(days) : undefined;
}

function dayOf(text: string): MarketDay | undefined {
  if (text === 'O') return ALL_DAY;
  if (text === 'C') return [];
  const ranges = text.split('&').map(rangeOf);
  return ranges.every((range) => range !== undefined) ? ranges : undefined;
}

function rangeOf(text: string): MarketDay[number] | undefined {
  const [, fromHour, fromMinute, untilHour, untilMinute] =
    /^(\d\d)([0-5]\d)-(\d\d)([0-5]\d)$/.exec(text)?.map(Number) ?? [];
  if (fromHour === undefined || fromMinute === undefined) return undefined;
  const fromMin = fromHour * 60 + fromMinute;
  const untilMin = (untilHour ?? 0) * 60 + (untilMinute ?? 0);
  return fromMin < untilMin && untilMin <= DAY_MIN ? { fromMin, untilMin } : undefined;
}

export type MarketState =
  | { readonly kind: 'open' }
  | { readonly kind: 'closed'; readonly opensAtMs?: number | undefined };

/** How far ahead the next opening is looked for: over any row of holidays. */
const DAYS_AHEAD = 10;
const MINUTE_MS = 60_000;
const DAY_MS = DAY_MIN * MINUTE_MS;

/**
 * Whether the market trades at a moment (unix milliseconds), and when it opens where that is less than ten days away.
 * @param offsetMs how far the clocks of the schedule's zone are ahead of UTC at a moment
 */
export function marketStateAt(
  schedule: MarketSchedule,
  atMs: number,
  offsetMs: (atMs: number) => number,
): MarketState {
  const wallMs = atMs + offsetMs(atMs);
  const today = Math.floor(wallMs / DAY_MS);
  const ranges = rangesFrom(schedule, today - 1);
  const current = ranges.find(({ fromMs, untilMs }) => fromMs <= wallMs && wallMs < untilMs);
  if (current !== undefined) return { kind: 'open' };
  const nextMs = ranges.find(({ fromMs }) => fromMs > wallMs)?.fromMs;
  const isFar = nextMs === undefined || nextMs > (today + DAYS_AHEAD) * DAY_MS;
  return { kind: 'closed', opensAtMs: isFar ? undefined : momentOf(nextMs, offsetMs) };
}

/** The hours of the days from `firstDay` on by the wall clock. */
function rangesFrom(schedule: MarketSchedule, firstDay: number): { fromMs: number; untilMs: number }[] {
  const days = Array.from({ length: DAYS_AHEAD + 3 }, (_, at) => firstDay + at);
  return days.flatMap((day) =>
    hoursOf(schedule, day).map(({ fromMin, untilMin }) => ({
      fromMs: day * DAY_MS + fromMin * MINUTE_MS,
      untilMs: day * DAY_MS + untilMin * MINUTE_MS,
    })),
  );
}

function hoursOf({ week, holidays }: MarketSchedule, day: number): MarketDay {
  const date = new Date(day * DAY_MS).toISOString();
  const holiday = holidays.get(date.slice(5, 7) + date.slice(8, 10));
  // Day 0, 1970-01-01, was a Thursday.
  return holiday ?? week[(((day + 3) % 7) + 7) % 7] ?? [];
}

/** The moment at which the clocks of the zone show this; asked twice, since the offset is that of the moment itself. */
function momentOf(wallMs: number, offsetMs: (atMs: number) => number): number {
  return wallMs - offsetMs(wallMs - offsetMs(wallMs));
}
