import type { FeedEntry } from '@/lib/core/feed';
import { formatSpan } from '@/lib/core/time';
import { isTimeZone, zoneOffsetMs } from '@/lib/core/time-text';
import type { CompactFeed } from './stream-events';

/** A feed is late after this many of its own usual pauses, and stale after so many. */
const LATE_PAUSES = 3;
const STALE_PAUSES = 10;

const PAUSES = 60;

/** Seconds between updates as the service tells them: the upper quartile of the last, which no night among them moves. */
export function usualPauseS(ticks: readonly TickTimes[]): number | undefined {
  const pauses = ticks.flatMap(({ t, pp }, at) => {
    const before = pp ?? ticks[at - 1]?.t;
    return before === undefined || before > t ? [] : Math.max(1, t - before);
  });
  const sorted = pauses.slice(-PAUSES).sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * 0.75)];
}

/** Floors below which no feed is called late or stale, seconds (settings `FEED_LATE_S`, `FEED_STALE_S`). */
export type CadenceFloors = { readonly lateS: number; readonly staleS: number };

export function silentAfterS(pauseS: number | undefined, floors: CadenceFloors): number {
  return Math.max(floors.lateS, LATE_PAUSES * (pauseS ?? 0));
}

/**
 * `closed`: late, and its market is closed. `inactive`: late, and not published, by the directory. `misdated`: its publish
 * time can't be right, so nobody knows.
 */
export type FeedCurrency = {
  readonly word: 'fresh' | 'late' | 'stale' | 'closed' | 'inactive' | 'misdated';
  /** When the market opens again, unix milliseconds; with `closed` only, where it is known. */
  readonly opensAtMs?: number | undefined;
};

/** Whether a feed is published at all, by the `state` that the directory gives it; so it is where none is given. */
const isPublished = (state = '') => !['inactive', 'coming_soon'].includes(state);

type Market = Pick<FeedEntry, 'schedule' | 'state'>;

/** Whether prices are to be expected at a moment (unix ms). Undefined where the directory says nothing. */
export function isTrading({ schedule, state }: Market, atMs: number): boolean | undefined {
  if (!isPublished(state)) return false;
  const market = marketAt(schedule, atMs);
  return market && market.kind === 'open';
}

/** Judged by the feed's own cadence. A feed that publishes although its market is closed is as fresh as any. */
export function feedCurrency(facts: {
  readonly latestS: number;
  /** Its last updates, oldest first: they tell its usual pause. */
  readonly ticks: readonly TickTimes[];
  readonly nowMs: number;
  readonly floors: CadenceFloors;
  /** What the directory says of its market; absent where it says nothing. */
  readonly market?: Market | undefined;
}): FeedCurrency {
  const { latestS, ticks, nowMs, floors, market = {} } = facts;
  const ageS = nowMs / 1000 - latestS;
  const pauseS = usualPauseS(ticks.slice(-PAUSES - 1));
  const lateAfterS = silentAfterS(pauseS, floors);
  if (ageS <= lateAfterS) return { word: 'fresh' };
  if (!isPublished(market.state)) return { word: 'inactive' };
  const now = marketAt(market.schedule, nowMs);
  if (now?.kind === 'closed') return { word: 'closed', opensAtMs: now.opensAtMs };
  const staleAfterS = Math.max(floors.staleS, STALE_PAUSES * (pauseS ?? 0), lateAfterS);
  return { word: ageS > staleAfterS ? 'stale' : 'late' };
}

/** What is needed of an update to tell where some are missing: when it was published, and the one before it (unix seconds). */
export type TickTimes = Pick<CompactFeed, 't' | 'pp'>;

/** `unknown`: nothing came, and the service does not say when it published before. The others: see `GAPS`. */
export type GapKind = 'missed' | 'silent' | 'unknown';

export type FeedGap = {
  readonly kind: GapKind;
  /** Of this second an update is there, or the feed published it last. */
  readonly fromS: number;
  /** `missed`: the last second that is known to be missed. Else the second of the next update, or now. */
  readonly untilS: number;
  /** It goes on: the next update decides what it was. */
  readonly isOpen?: boolean;
};

export type GapRules = {
  /** A pause longer than this is not usual for the feed, seconds (`silentAfterS` of its cadence). */
  readonly silentAfterS: number;
  /** The live edge: how late it is by the publishing clock, and whether we are connected. Absent for the past alone. */
  readonly edge?: { readonly nowS: number; readonly link: 'up' | 'down' } | undefined;
};

/**
 * Where updates are missing between these of one feed (oldest publish time first), and whose fault it is: the service says
 * with each update when the one before it was published. If that is later than the last one we have, we missed something;
 * if not, the feed was silent. Exact to the second, no more: of one that we have one update of there may be others.
 */
export function feedGaps(ticks: readonly TickTimes[], { silentAfterS, edge }: GapRules): FeedGap[] {
  const gaps: FeedGap[] = [];
  let last: TickTimes | undefined;
  for (const tick of ticks) {
    if (last !== undefined && tick.t < last.t) continue;
    if (last !== undefined) gaps.push(...between(last.t, tick, silentAfterS));
    last = tick;
  }
  if (last !== undefined && edge !== undefined && edge.nowS - last.t > silentAfterS) {
    const kind = edge.link === 'up' ? 'silent' : 'unknown';
    gaps.push({ kind, fromS: last.t, untilS: edge.nowS, isOpen: true });
  }
  return gaps;
}

function between(fromS: number, { t: untilS, pp: before }: TickTimes, silentAfterS: number): FeedGap[] {
  if (before === undefined || before > untilS) {
    return untilS - fromS > silentAfterS ? [{ kind: 'unknown', fromS, untilS }] : [];
  }
  // The one before it was published in the same second, and we don't have it: what lies between is not known to us.
  if (before === untilS) return untilS - fromS > 1 ? [{ kind: 'missed', fromS, untilS }] : [];
  const silentFromS = Math.max(before, fromS);
  return [
    ...(before > fromS ? [{ kind: 'missed', fromS, untilS: before } as const] : []),
    ...(untilS - silentFromS > silentAfterS ? [{ kind: 'silent', fromS: silentFromS, untilS } as const] : []),
  ];
}

/** Whose fault a gap is, for legends, and what it means. */
export const GAPS: Readonly<Record<GapKind, { readonly label: string; readonly meaning: string }>> = {
  missed: { label: 'Missed updates', meaning: 'Published by the feed, not received here' },
  silent: { label: 'Feed silent', meaning: 'Nothing published for longer than typical' },
  unknown: { label: 'Unknown gap', meaning: 'Nothing received; unknown whether the feed published' },
};

const spanOf = (gaps: readonly FeedGap[]) =>
  formatSpan(gaps.reduce((sum, { fromS, untilS }) => sum + untilS - fromS, 0) * 1000);

/** A gap in a table: `Missed updates for 14 s`. */
export function gapText(gap: FeedGap): string {
  return `${GAPS[gap.kind].label} for ${spanOf([gap])}${gap.isOpen ? ' so far' : ''}`;
}

/** What is missing, kind by kind: `Missed updates: 2 (14 s) · Feed silent: 1 (1 min)`; empty where nothing is. */
export function gapCounts(gaps: readonly FeedGap[]): string {
  const kinds = (Object.keys(GAPS) as GapKind[]).flatMap((kind) => {
    const some = gaps.filter((gap) => gap.kind === kind);
    return some.length === 0 ? [] : `${GAPS[kind].label}: ${some.length} (${spanOf(some)})`;
  });
  return kinds.join(' · ');
}

/** Minutes of the day from which and until which a market trades; none on a closed day. */
type MarketDay = readonly (readonly [fromMin: number, untilMin: number])[];

type MarketState =
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
    schedule.hoursOf(day).map((ends) => ends.map((min) => day * DAY_MS + min * MINUTE_MS)),
  );
  if (ranges.some(([fromMs = 0, untilMs = 0]) => fromMs <= wallMs && wallMs < untilMs))
    return { kind: 'open' };
  const [nextMs = Infinity] = ranges.find(([fromMs = 0]) => fromMs > wallMs) ?? [];
  if (nextMs > (today + DAYS_AHEAD) * DAY_MS) return { kind: 'closed' };
  // Asked twice, since the offset is that of the moment itself.
  return { kind: 'closed', opensAtMs: nextMs - offsetMs(nextMs - offsetMs(nextMs)) };
}

function parseSchedule(text: string) {
  const [zone = '', days = '', exceptions = '', ...more] = text.split(';');
  const timeZone = zone.trim();
  if (text.length > LONGEST_TEXT || more.length > 0 || !isTimeZone(timeZone)) return undefined;
  const week = days.split(',').map((day) => dayOf(day.trim()));
  const differing = exceptions.trim() === '' ? [] : exceptions.split(',');
  const holidays = differing.map((one) => {
    const [, date = '', hours = ''] = /^(\d{4})\/(.+)$/.exec(one.trim()) ?? [];
    return [date, dayOf(hours)] as const;
  });
  const isRead = ![...week, ...holidays.map(([, day]) => day)].includes(undefined);
  if (!isRead || week.length !== 7) return undefined;
  const byDate = new Map(holidays);
  /** @param day since 1970 */
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
