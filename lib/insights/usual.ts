import type { HourCounts, LatencyHistory, SpanTotals } from '@/lib/core/span-figures';
import type { NetworkUsual, Unusual } from './answer';

/**
 * Whether the last hour of a network is unusual. It is judged by the same hour of the seven days before, so that a quiet
 * night is as usual as a busy noon; where these hold too little, by all their hours; and where even they do, by nothing.
 */

export type NetworkPast = {
  /** Up to 191 hours back: each hour of the last day has seven days before it. */
  hours: readonly HourCounts[];
  latency: LatencyHistory;
  /** Created first and last of all time, unix microseconds. */
  firstUs: number;
  lastUs: number;
  nowUs: number;
  /** Since when the index holds every row; null for from the beginning. */
  coveredFromUs: number | null;
};

const HOUR_US = 3_600_000_000;
const DAY_HOURS = 24;
const WEEK_DAYS = 7;

/** Fewer days at this hour are no habit. */
const ENOUGH_DAYS = 3;
/** Fewer finished requests, or times to callback, say nothing. */
const ENOUGH_ROWS = 20;
/** Of fewer the p95 is that of the slowest few: at this hour, an outage of minutes on one of the days would be the habit. */
const ENOUGH_FOR_P95 = 100;

/** So many requests should have come before their absence is silence. */
const MISSED = 20;
/** Fewer failures than this are chance, however few requests there are: never red for one failure in 179. */
const MIN_FAILURES = 5;
/** Failures that are a smaller part of what has finished are no trouble; nor are fewer than so many times the usual part. */
const FAILING_SHARE = 0.05;
const CALLBACKS_SHARE = 0.1;
const TIMES_FAILURES = 3;
/** A p95 is slow when it is so many times the usual one, and longer than this. */
const TIMES_SLOW = 2;
const SLOW_US = 10_000_000;
/** A time to callback that counts as slow beside a usual p95, in microseconds. */
export const slowAboveUs = (usualP95Us: number) => Math.max(SLOW_US, TIMES_SLOW * usualP95Us);
/** Busy: so many times the busiest of the same hours, and at least so many requests. */
const TIMES_BUSY = 3;
const MIN_BUSY = 100;

/** Whether a p95 is well above the usual one of its network. Microseconds; null is not known, and never slow. */
export function isSlow(p95Us: number | null, usualP95Us: number | null): boolean {
  return p95Us !== null && usualP95Us !== null && p95Us > SLOW_US && p95Us >= TIMES_SLOW * usualP95Us;
}

/** The p95 of the last seven days; null where too few callbacks tell it. */
export function weekP95Us({ weekCalled, weekP95Us: p95Us }: LatencyHistory): number | null {
  return weekCalled < ENOUGH_ROWS ? null : p95Us;
}

export function usualOf(past: NetworkPast): NetworkUsual {
  const days = daysKnown(past);
  const atThisHour = sameHours(past, days, 0);
  const week = past.hours.filter(({ hour }) => hour > 0 && hour <= WEEK_DAYS * DAY_HOURS);
  const hourSum = sumOf(atThisHour);
  const weekSum = sumOf(week);
  const { latency } = past;
  const isOfHour = days >= ENOUGH_DAYS && hourSum.finished >= ENOUGH_ROWS;
  const isP95OfHour = isOfHour && latency.hourCalled >= ENOUGH_FOR_P95;
  const ofWeek = weekSum.finished >= ENOUGH_ROWS ? 'week' : 'none';
  const { finished, failed, callbackFailed } = isOfHour ? hourSum : weekSum;
  return {
    basis: isOfHour ? 'hour' : ofWeek,
    p95Basis: isP95OfHour ? 'hour' : ofWeek,
    days,
    requests: days >= ENOUGH_DAYS ? median(atThisHour.map(({ requests }) => requests)) : null,
    called: isP95OfHour ? latency.hourCalled : latency.weekCalled,
    p95Us: isP95OfHour ? latency.hourP95Us : weekP95Us(latency),
    finished,
    failed,
    callbackFailed,
  };
}

export function unusualOf(past: NetworkPast, usual: NetworkUsual = usualOf(past)): Unusual[] {
  if (usual.basis === 'none') return [];
  const now = sumOf(past.hours.filter(({ hour }) => hour === 0));
  const found = [
    silence(past),
    ...failing(now, usual),
    slowness(past.latency, usual),
    business(past, now, usual),
  ];
  return found
    .filter((one) => one !== undefined)
    .sort((a, b) => LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level));
}

export const LEVELS: readonly Unusual['level'][] = ['bad', 'warning', 'notice'];

const unusual = (told: Omit<Unusual, 'sinceUs' | 'sender'>): Unusual => {
  return { ...told, sinceUs: null, sender: null };
};

/** Networks with something unusual before all others, the worst first. */
export function byUnusual(a: { unusual: readonly Unusual[] }, b: { unusual: readonly Unusual[] }): number {
  const rank = ({ unusual: [worst] }: typeof a) =>
    worst === undefined ? LEVELS.length : LEVELS.indexOf(worst.level);
  return rank(a) - rank(b);
}

/** Whole days before an hour of which all is known, 7 at most. @param hoursAgo 0 for the last hour */
function daysKnown({ firstUs, coveredFromUs, nowUs }: NetworkPast, hoursAgo = 0): number {
  const sinceUs = Math.max(firstUs, coveredFromUs ?? Number.NEGATIVE_INFINITY);
  const days = Math.floor((nowUs - (hoursAgo + 1) * HOUR_US - sinceUs) / (DAY_HOURS * HOUR_US));
  return Math.max(0, Math.min(WEEK_DAYS, days));
}

/** The counts of one hour on each of these days, hours without rows among them. @param hoursAgo 0 to 23 */
function sameHours({ hours }: NetworkPast, days: number, hoursAgo: number): HourCounts[] {
  return Array.from({ length: days }, (_, day) => {
    const hour = hoursAgo + (day + 1) * DAY_HOURS;
    return hours.find((one) => one.hour === hour) ?? noCounts(hour);
  });
}

function noCounts(hour: number): HourCounts {
  return { hour, requests: 0, finished: 0, failed: 0, callbackFailed: 0 };
}

function sumOf(hours: readonly HourCounts[]): HourCounts {
  const sum = noCounts(0);
  for (const { requests, finished, failed, callbackFailed } of hours) {
    sum.requests += requests;
    sum.finished += finished;
    sum.failed += failed;
    sum.callbackFailed += callbackFailed;
  }
  return sum;
}

/** Of the values in the middle the lower one; 0 for none. A single day of a burst or of an outage does not move it. */
function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}

/** Since the last request twenty would have come, by the same hours of the days before. At most a day is looked at. */
function silence(past: NetworkPast): Unusual | undefined {
  const silentHours = Math.min(DAY_HOURS, (past.nowUs - past.lastUs) / HOUR_US);
  let missed = 0;
  for (let hoursAgo = 0; hoursAgo < silentHours; hoursAgo += 1) {
    const days = daysKnown(past, hoursAgo);
    if (days < ENOUGH_DAYS) break;
    const part = Math.min(1, silentHours - hoursAgo);
    missed += part * median(sameHours(past, days, hoursAgo).map(({ requests }) => requests));
  }
  if (missed < MISSED) return undefined;
  return { ...unusual({ kind: 'silent', level: 'bad', value: 0, usual: missed }), sinceUs: past.lastUs };
}

function failing(now: HourCounts, usual: NetworkUsual): Unusual[] {
  const kinds = [
    ['failing', 'bad', 'failed', FAILING_SHARE],
    ['callbacks-failing', 'warning', 'callbackFailed', CALLBACKS_SHARE],
  ] as const;
  return kinds.flatMap(([kind, level, of, least]) => {
    // Only requests that did not fail have a callback.
    const outOf = (counts: Pick<HourCounts, 'finished' | 'failed'>) =>
      Math.max(1, of === 'failed' ? counts.finished : counts.finished - counts.failed);
    const value = now[of] / outOf(now);
    const before = usual[of] / outOf(usual);
    const isMuch = now[of] >= MIN_FAILURES && value >= Math.max(least, TIMES_FAILURES * before);
    return isMuch ? [unusual({ kind, level, value, usual: before })] : [];
  });
}

function slowness({ nowCalled, nowP95Us }: LatencyHistory, { p95Us }: NetworkUsual): Unusual | undefined {
  if (nowCalled < ENOUGH_ROWS || nowP95Us === null || p95Us === null || !isSlow(nowP95Us, p95Us)) {
    return undefined;
  }
  return unusual({ kind: 'slow', level: 'warning', value: nowP95Us, usual: p95Us });
}

type ShortTime = Pick<SpanTotals, 'completed' | 'callbackFailed' | 'failed' | 'p95Us'>;

/**
 * Where what is unusual began: the first of the times, up to the last one, in which it was so without a break; undefined
 * where it was so in none. Times in which nothing finished break nothing, nor those without rows.
 */
export function beginningOf(
  { kind, usual }: Pick<Unusual, 'kind' | 'usual'>,
  times: readonly (ShortTime | undefined)[],
): number | undefined {
  let beginning: number | undefined;
  for (let at = times.length - 1; at >= 0; at -= 1) {
    const time = times[at];
    const is = time === undefined ? undefined : isUnusualThen(kind, usual, time);
    if (is === false) break;
    if (is === true) beginning = at;
  }
  return beginning;
}

/** Parts that fewer rows than this show are taken for no less. */
const MIN_USUAL_PART = 0.02;
const MAX_CHANGED_PART = 0.95;

/**
 * When a change began within rows that are in order of time: the first odd row after which odd rows are as frequent as after
 * the change, rather than as before it (the maximum of the cumulated log-likelihood ratio, CUSUM).
 * @param usualPart of rows that are odd before it, 0 to 1. @returns the row's moment; undefined where none is odd
 */
export function changeMoment(
  rows: readonly { us: number; isOdd: boolean }[],
  usualPart: number,
): number | undefined {
  const before = Math.max(MIN_USUAL_PART, usualPart);
  const half = rows.slice(Math.floor(rows.length / 2));
  const oddPart = half.filter(({ isOdd }) => isOdd).length / Math.max(1, half.length);
  const after = Math.min(MAX_CHANGED_PART, Math.max(2 * before, oddPart));
  const odd = Math.log(after / before);
  const even = Math.log((1 - after) / (1 - before));
  let sum = 0;
  let most = 0;
  let found: number | undefined;
  for (const { us, isOdd } of rows.toReversed()) {
    sum += isOdd ? odd : even;
    if (!isOdd || sum < most) continue;
    most = sum;
    found = us;
  }
  return found;
}

function isUnusualThen(kind: Unusual['kind'], usual: number, time: ShortTime): boolean | undefined {
  const finished = time.completed + time.callbackFailed + time.failed;
  if (finished === 0) return undefined;
  if (kind === 'slow') return isSlow(time.p95Us, usual);
  const [failures, outOf, least] =
    kind === 'failing'
      ? [time.failed, finished, FAILING_SHARE]
      : [time.callbackFailed, finished - time.failed, CALLBACKS_SHARE];
  return failures / Math.max(1, outOf) >= Math.max(least, TIMES_FAILURES * usual);
}

/** Far more requests than at the busiest of the same hours. No trouble by itself, and told without alarm. */
function business(past: NetworkPast, now: HourCounts, usual: NetworkUsual): Unusual | undefined {
  const days = daysKnown(past);
  if (days < ENOUGH_DAYS || usual.requests === null) return undefined;
  const busiest = Math.max(...sameHours(past, days, 0).map(({ requests }) => requests));
  if (now.requests < MIN_BUSY || now.requests < TIMES_BUSY * busiest) return undefined;
  return unusual({ kind: 'busy', level: 'notice', value: now.requests, usual: usual.requests });
}
