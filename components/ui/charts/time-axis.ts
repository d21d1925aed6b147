const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000];
const STEPS = [
  ...[1, 5, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
  ...[1, 2, 5, 7, 14, 30, 90, 180].map((count) => count * DAY),
];
/** Maximum number of ticks that fit on a phone. */
const maxTicks = (step: number) => (step < MINUTE ? 5 : step >= 90 * DAY ? 4 : 8);
/** Day and month repeat from this span on, so the year is shown. */
const YEAR = 360 * DAY;

export type TimeTick = { ms: number; unit: 'second' | 'minute' | 'day' | 'date' };

/** `most` returns the maximum number of ticks for a step. */
export function timeStep(
  spanMs: number,
  most: (step: number) => number,
): { step: number; unit: TimeTick['unit'] } {
  const step = STEPS.find((candidate) => spanMs / candidate <= most(candidate)) ?? 365 * DAY;
  return { step, unit: spanMs >= YEAR ? 'date' : unitOfStep(step) };
}

function unitOfStep(step: number): TimeTick['unit'] {
  if (step >= DAY) return 'day';
  return step >= MINUTE ? 'minute' : 'second';
}

/** Round moments among the starts of buckets, unix ms. `offsetMs` returns the zone's offset at a moment. */
export function timeTicks(
  buckets: readonly { fromMs: number }[],
  offsetMs: (ms: number) => number,
): TimeTick[] {
  const [first, last] = [buckets[0]?.fromMs ?? 0, buckets.at(-1)?.fromMs ?? 0];
  const { step, unit } = timeStep(last - first, maxTicks);
  return buckets
    .filter(({ fromMs }) => (fromMs + offsetMs(fromMs)) % step === 0)
    .map(({ fromMs }) => ({ ms: fromMs, unit }));
}

/** `04:35` for `2026-11-20 04:35:00`, or the day if one begins there. Includes the offset if the text has one. */
export function tickText(text: string, unit: TimeTick['unit']): string {
  const [, year = '', day = '', clock = '', offset = ''] = /^(\d{4}-)(\S+) (\S+)( \S+)?$/.exec(text) ?? [];
  const date = unit === 'date' ? `${year}${day}` : day;
  if (clock === '00:00:00') return `${date}${offset}`;
  if (unit === 'second') return `${clock}${offset}`;
  const isOfDay = unit === 'day' || unit === 'date';
  return `${isOfDay ? `${date} ` : ''}${clock.slice(0, 5)}${offset}`;
}

/** `2026-11-20 08:00 – 08:30`. The day appears once, seconds only if they are not zero. */
export function intervalText(from: string, to: string): string {
  const [fromText, toText] = [from, to].map((text) => text.replace(/^(\S+ \d\d:\d\d):00/, '$1'));
  const day = /^\d{4}-\d\d-\d\d /.exec(from)?.[0];
  return `${fromText} – ${day !== undefined && to.startsWith(day) ? toText?.slice(day.length) : toText}`;
}
