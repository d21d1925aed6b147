const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000];
const STEPS = [
  ...[1, 5, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
  ...[1, 2, 5, 7, 14, 30, 90, 180].map((count) => count * DAY),
];
/** As many as a phone has room for. */
const mostTicks = (step: number) => (step < MINUTE ? 5 : step >= 90 * DAY ? 4 : 8);
/** From here on a day and a month may come twice, so the year is told as well. */
const YEAR = 360 * DAY;

export type TimeTick = { ms: number; unit: 'second' | 'minute' | 'day' | 'date' };

/** The finest distance of ticks, in steps that people count in. @param most of them that there is room for */
export function timeStep(
  spanMs: number,
  most: (step: number) => number,
): { step: number; unit: TimeTick['unit'] } {
  const step = STEPS.find((one) => spanMs / one <= most(one)) ?? 365 * DAY;
  const unit = spanMs >= YEAR ? 'date' : step >= DAY ? 'day' : step >= MINUTE ? 'minute' : 'second';
  return { step, unit };
}

/** Round moments among the beginnings of buckets, unix ms. @param offsetMs of the zone whose clock the axis shows, then */
export function timeTicks(
  buckets: readonly { fromMs: number }[],
  offsetMs: (ms: number) => number,
): TimeTick[] {
  const [first, last] = [buckets[0]?.fromMs ?? 0, buckets.at(-1)?.fromMs ?? 0];
  const { step, unit } = timeStep(last - first, mostTicks);
  return buckets
    .filter(({ fromMs }) => (fromMs + offsetMs(fromMs)) % step === 0)
    .map(({ fromMs }) => ({ ms: fromMs, unit }));
}

/** `04:35` of `2026-11-20 04:35:00`, and the day where one begins; with its offset where the text has one. */
export function tickText(text: string, unit: TimeTick['unit']): string {
  const [, year = '', day = '', clock = '', offset = ''] = /^(\d{4}-)(\S+) (\S+)( \S+)?$/.exec(text) ?? [];
  const date = unit === 'date' ? `${year}${day}` : day;
  if (clock === '00:00:00') return `${date}${offset}`;
  if (unit === 'second') return `${clock}${offset}`;
  const isOfDay = unit === 'day' || unit === 'date';
  return `${isOfDay ? `${date} ` : ''}${clock.slice(0, 5)}${offset}`;
}

/** `2026-11-20 08:00 – 08:30`: the day is said once, and seconds only where there are some. */
export function spanText(from: string, to: string): string {
  const [one, other] = [from, to].map((text) => text.replace(/^(\S+ \d\d:\d\d):00/, '$1'));
  const day = /^\d{4}-\d\d-\d\d /.exec(from)?.[0];
  return `${one} – ${day !== undefined && to.startsWith(day) ? other?.slice(day.length) : other}`;
}
