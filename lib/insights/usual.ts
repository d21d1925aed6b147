import type { HourCounts, LatencyHistory, SpanTotals } from '@/lib/core/span-figures';
import type { NetworkUsual, Unusual } from './insights-response';

/**
 * Decides whether the last hour of a network is unusual. It is compared with the same hour of the seven days before, so
 * that a quiet night is as usual as a busy noon; with too little data there, with all their hours; with too little even
 * then, with nothing.
 */

export type NetworkPast = {
  /** Hours up to 191 back: each hour of the last day has seven days before it. */
  hours: readonly HourCounts[];
  latency: LatencyHistory;
  /** Creation of the first and last request of all time, unix microseconds. */
  firstUs: number;
  lastUs: number;
  nowUs: number;
  /** Time from which the index holds every row; null for all time. */
  coveredFromUs: number | null;
};

const HOUR_US = 3_600_000_000;
const HOURS_PER_DAY = 24;
const WEEK_DAYS = 7;

/** Minimum of days for a typical hour. */
const MIN_DAYS = 3;
/** Minimum of finished requests, or callbacks, for a comparison. */
const MIN_ROWS = 20;
/**
 * Minimum of callbacks for the p95 of an hour: with fewer, minutes of outage on one of the days would become the norm.
 */
const MIN_FOR_P95 = 100;

/** Silence: the number of usual requests that have to be missing. */
const MIN_MISSED = 20;
/** Minimum of failures: fewer are chance, never red for one failure in 179. */
const MIN_FAILURES = 5;
/** Minimum failing share, and minimum ratio to the usual share, of an anomaly. */
const FAILING_SHARE = 0.05;
const CALLBACKS_SHARE = 0.1;
const FAILURES_RATIO = 3;
/** A p95 is slow at this multiple of the usual one, if above `SLOW_US`. */
const SLOW_RATIO = 2;
const SLOW_US = 10_000_000;
/** Duration from which a callback counts as slow, given the usual p95. Microseconds. */
export const slowAboveUs = (usualP95Us: number) => Math.max(SLOW_US, SLOW_RATIO * usualP95Us);
/** Busy: this multiple of the busiest of the same hours, and at least `MIN_BUSY` requests. */
const BUSY_RATIO = 3;
const MIN_BUSY = 100;

/** Whether a p95 is well above the usual one of its network. Microseconds; null is unknown and never slow. */
export function isSlow(p95Us: number | null, usualP95Us: number | null): boolean {
  return p95Us !== null && usualP95Us !== null && p95Us > SLOW_US && p95Us >= SLOW_RATIO * usualP95Us;
}

/** The p95 of the last seven days; null with too few callbacks. */
export function weekP95Us({ weekCalled, weekP95Us: p95Us }: LatencyHistory): number | null {
  return weekCalled < MIN_ROWS ? null : p95Us;
}

export function usualOf(past: NetworkPast): NetworkUsual {
  const days = daysKnown(past);
  const atThisHour = sameHours(past, days, 0);
  const week = past.hours.filter(({ hour }) => hour > 0 && hour <= WEEK_DAYS * HOURS_PER_DAY);
  const hourSum = sumOf(atThisHour);
  const weekSum = sumOf(week);
  const { latency } = past;
  const isOfHour = days >= MIN_DAYS && hourSum.finished >= MIN_ROWS;
  const isP95OfHour = isOfHour && latency.hourCalled >= MIN_FOR_P95;
  const ofWeek = weekSum.finished >= MIN_ROWS ? 'week' : 'none';
  const { finished, failed, callbackFailed } = isOfHour ? hourSum : weekSum;
  return {
    basis: isOfHour ? 'hour' : ofWeek,
    p95Basis: isP95OfHour ? 'hour' : ofWeek,
    days,
    requests: days >= MIN_DAYS ? median(atThisHour.map(({ requests }) => requests)) : null,
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
    slowHour(past.latency, usual),
    busyHour(past, now, usual),
  ];
  return found
    .filter((one) => one !== undefined)
    .sort((a, b) => LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level));
}

export const LEVELS: readonly Unusual['level'][] = ['bad', 'warning', 'notice'];

const unusual = (given: Omit<Unusual, 'sinceUs' | 'sender'>): Unusual => {
  return { ...given, sinceUs: null, sender: null };
};

/** Sorts networks with anomalies first, the worst before the others. */
export function byUnusual(a: { unusual: readonly Unusual[] }, b: { unusual: readonly Unusual[] }): number {
  const rank = ({ unusual: [worst] }: typeof a) =>
    worst === undefined ? LEVELS.length : LEVELS.indexOf(worst.level);
  return rank(a) - rank(b);
}

/** Complete days of data before an hour, 7 at most. @param hoursAgo 0 for the last hour */
function daysKnown({ firstUs, coveredFromUs, nowUs }: NetworkPast, hoursAgo = 0): number {
  const sinceUs = Math.max(firstUs, coveredFromUs ?? Number.NEGATIVE_INFINITY);
  const days = Math.floor((nowUs - (hoursAgo + 1) * HOUR_US - sinceUs) / (HOURS_PER_DAY * HOUR_US));
  return Math.max(0, Math.min(WEEK_DAYS, days));
}

/** Counts of one hour on each of these days, including hours without rows. @param hoursAgo 0 to 23 */
function sameHours({ hours }: NetworkPast, days: number, hoursAgo: number): HourCounts[] {
  return Array.from({ length: days }, (_, day) => {
    const hour = hoursAgo + (day + 1) * HOURS_PER_DAY;
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

/** Lower median; 0 without values. A single day of a burst or an outage does not move it. */
function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}

/**
 * Silence: since the last request at least `MIN_MISSED` would have come, by the same hours of the days before. Looks back
 * one day at most.
 */
function silence(past: NetworkPast): Unusual | undefined {
  const silentHours = Math.min(HOURS_PER_DAY, (past.nowUs - past.lastUs) / HOUR_US);
  let missed = 0;
  for (let hoursAgo = 0; hoursAgo < silentHours; hoursAgo += 1) {
    const days = daysKnown(past, hoursAgo);
    if (days < MIN_DAYS) break;
    const part = Math.min(1, silentHours - hoursAgo);
    missed += part * median(sameHours(past, days, hoursAgo).map(({ requests }) => requests));
  }
  if (missed < MIN_MISSED) return undefined;
  return { ...unusual({ kind: 'silent', level: 'bad', value: 0, usual: missed }), sinceUs: past.lastUs };
}

function failing(now: HourCounts, usual: NetworkUsual): Unusual[] {
  const kinds = [
    ['failing', 'bad', 'failed', FAILING_SHARE],
    ['callbacks-failing', 'warning', 'callbackFailed', CALLBACKS_SHARE],
  ] as const;
  return kinds.flatMap(([kind, level, counted, minShare]) => {
    // Failed requests have no callback.
    const outOf = (counts: Pick<HourCounts, 'finished' | 'failed'>) =>
      Math.max(1, counted === 'failed' ? counts.finished : counts.finished - counts.failed);
    const value = now[counted] / outOf(now);
    const before = usual[counted] / outOf(usual);
    const isMuch = now[counted] >= MIN_FAILURES && value >= Math.max(minShare, FAILURES_RATIO * before);
    return isMuch ? [unusual({ kind, level, value, usual: before })] : [];
  });
}

function slowHour({ nowCalled, nowP95Us }: LatencyHistory, { p95Us }: NetworkUsual): Unusual | undefined {
  if (nowCalled < MIN_ROWS || nowP95Us === null || p95Us === null || !isSlow(nowP95Us, p95Us)) {
    return undefined;
  }
  return unusual({ kind: 'slow', level: 'warning', value: nowP95Us, usual: p95Us });
}

type ShortTime = Pick<SpanTotals, 'completed' | 'callbackFailed' | 'failed' | 'p95Us'>;

/**
 * Index of the time slot in which an anomaly began: the first of an unbroken run up to the last slot; undefined without
 * any. Slots without finished requests don't break the run.
 */
export function anomalyStart(
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

/** Bounds of the estimated shares: few rows don't justify more extreme ones. */
const MIN_USUAL_PART = 0.02;
const MAX_CHANGED_PART = 0.95;

/**
 * Moment of a change within rows in order of time: the first odd row from which odd rows are as frequent as after the
 * change (maximum of the cumulative log-likelihood ratio, CUSUM).
 * @param usualPart share of odd rows before the change, 0 to 1
 * @returns the row's moment; undefined without an odd row
 */
export function changeMoment(rows: readonly ChangeRow[], usualPart: number): number | undefined {
  const before = Math.max(MIN_USUAL_PART, usualPart);
  const half = rows.slice(Math.floor(rows.length / 2));
  const first = changeRow(rows, before, shareAfter(half, before));
  if (first === undefined) return undefined;
  // The later half may still be mostly usual, so the share is estimated again from the rows after the change.
  const found = changeRow(rows, before, shareAfter(rows.slice(first), before)) ?? first;
  return rows[found]?.us;
}

type ChangeRow = { us: number; isAffected: boolean };

/** Share of odd rows after a change, estimated from these rows. @param before share before the change */
function shareAfter(rows: readonly ChangeRow[], before: number): number {
  const oddPart = rows.filter(({ isAffected }) => isAffected).length / Math.max(1, rows.length);
  return Math.min(MAX_CHANGED_PART, Math.max(2 * before, oddPart));
}

/** Index of the first odd row from which the share of odd rows fits the one after a change better than the one before. */
function changeRow(rows: readonly ChangeRow[], before: number, after: number): number | undefined {
  const odd = Math.log(after / before);
  const even = Math.log((1 - after) / (1 - before));
  let sum = 0;
  let maxSum = 0;
  let found: number | undefined;
  for (let at = rows.length - 1; at >= 0; at -= 1) {
    const isAffected = rows[at]?.isAffected === true;
    sum += isAffected ? odd : even;
    if (!isAffected || sum < maxSum) continue;
    maxSum = sum;
    found = at;
  }
  return found;
}

function isUnusualThen(kind: Unusual['kind'], usual: number, time: ShortTime): boolean | undefined {
  const finished = time.completed + time.callbackFailed + time.failed;
  if (finished === 0) return undefined;
  if (kind === 'slow') return isSlow(time.p95Us, usual);
  const [failures, outOf, minShare] =
    kind === 'failing'
      ? [time.failed, finished, FAILING_SHARE]
      : [time.callbackFailed, finished - time.failed, CALLBACKS_SHARE];
  return failures / Math.max(1, outOf) >= Math.max(minShare, FAILURES_RATIO * usual);
}

/** Far more requests than at the busiest of the same hours: a notice, not a problem. */
function busyHour(past: NetworkPast, now: HourCounts, usual: NetworkUsual): Unusual | undefined {
  const days = daysKnown(past);
  if (days < MIN_DAYS || usual.requests === null) return undefined;
  const busiest = Math.max(...sameHours(past, days, 0).map(({ requests }) => requests));
  if (now.requests < MIN_BUSY || now.requests < BUSY_RATIO * busiest) return undefined;
  return unusual({ kind: 'busy', level: 'notice', value: now.requests, usual: usual.requests });
}
