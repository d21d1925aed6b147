import { percentile } from '@/lib/core/percentile';
import type { HourCounts, LatencyHistory } from '@/lib/core/span-figures';
import { HOUR_US } from '@/lib/core/time';
import { RETIRED_AFTER_MS } from '@/lib/requests/keeper-status';
import type { Anomaly, NetworkBaseline } from './insights-response';

/**
 * Requests and p95 of the last hour are compared with the same hour of the seven days before, so that a quiet night
 * is as usual as a busy noon. Shares of failures are compared with all hours of these days, because a single hour has
 * too few failures for a steady share. Failures that are usual at this hour are not reported either.
 */

export type NetworkPast = {
  /** The last 192 hours: each hour of the last day has seven days before it. Of a silent network, also those before it. */
  hours: readonly HourCounts[];
  latency: LatencyHistory;
  /** Creation of the first and the last request of all time, unix µs. */
  firstUs: number;
  lastUs: number;
  nowUs: number;
  /** Start of the complete part of the index; null if it has every row. */
  coveredFromUs: number | null;
};

const HOURS_PER_DAY = 24;
export const WEEK_DAYS = 7;

/** Days needed for a typical hour. */
const MIN_DAYS = 3;
/** Finished requests, or callbacks, for a comparison. */
export const MIN_ROWS = 20;
/** Callbacks for the p95 of an hour. With fewer, minutes of outage on one of the days would become the norm. */
const MIN_FOR_P95 = 100;

/** Usual requests that a silence lacks. */
export const MIN_MISSED = 20;
/** Failures of a problem. Fewer may be chance: one in 179 raises no alarm. */
export const MIN_FAILURES = 5;
/** Share of rows that show the problem. A p95 is slow if this share of the callbacks is slow. */
export const MIN_SHARES = { failing: 0.05, 'callbacks-failing': 0.1, slow: 0.05 };
/** Ratio of the current share to the baseline. */
export const FAILURES_RATIO = 3;
/** A p95 is slow at this multiple of the baseline, if it also exceeds `SLOW_US`. */
export const SLOW_RATIO = 2;
export const SLOW_US = 10_000_000;
const slowAboveUs = (baselineP95Us: number) => Math.max(SLOW_US, SLOW_RATIO * baselineP95Us);
/** Multiple of the busiest of the same hours. */
const BUSY_RATIO = 3;
const MIN_BUSY = 100;

/** Null means unknown, which is never slow. */
export function isSlow(p95Us: number | null, baselineP95Us: number | null): boolean {
  return p95Us !== null && baselineP95Us !== null && p95Us > SLOW_US && p95Us >= SLOW_RATIO * baselineP95Us;
}

/** Null if there are too few callbacks. */
export function weekP95Us({ weekCalled, weekP95Us: p95Us }: LatencyHistory): number | null {
  return weekCalled < MIN_ROWS ? null : p95Us;
}

export function networkBaseline(past: NetworkPast): NetworkBaseline {
  const atThisHour = sameHours(past);
  const days = atThisHour.length;
  const { latency } = past;
  const isP95OfHour = isHourKnown(past) && latency.hourCalled >= MIN_FOR_P95;
  const { finished, failed, callbackFailed } = weekOf(past);
  const basis = finished >= MIN_ROWS ? 'week' : 'none';
  return {
    hourFinished: sumOf(past.hours.filter(({ hour }) => hour === 0)).finished,
    basis,
    p95Basis: isP95OfHour ? 'hour' : basis,
    days,
    requests: days >= MIN_DAYS ? median(atThisHour.map(({ requests }) => requests)) : null,
    called: isP95OfHour ? latency.hourCalled : latency.weekCalled,
    p95Us: isP95OfHour ? latency.hourP95Us : weekP95Us(latency),
    finished,
    failed,
    callbackFailed,
  };
}

/** The week before the last day, or before a silence, so that a problem is not its own baseline. For a new network, all hours. */
function weekOf(past: NetworkPast): HourCounts {
  const { hours } = past;
  const fromHour = Math.max(HOURS_PER_DAY, silentHours(past));
  const toHour = fromHour + WEEK_DAYS * HOURS_PER_DAY;
  const hoursBefore = sumOf(hours.filter(({ hour }) => hour >= fromHour && hour < toHour));
  return hoursBefore.finished >= MIN_ROWS ? hoursBefore : sumOf(hours.filter(({ hour }) => hour > 0));
}

function isHourKnown(past: NetworkPast): boolean {
  const atThisHour = sameHours(past);
  return atThisHour.length >= MIN_DAYS && sumOf(atThisHour).finished >= MIN_ROWS;
}

export function anomaliesOf(past: NetworkPast, baseline: NetworkBaseline = networkBaseline(past)): Anomaly[] {
  if (baseline.basis === 'none') return [];
  const lastHour = sumOf(past.hours.filter(({ hour }) => hour === 0));
  const anomalies = [
    silence(past),
    ...failing(lastHour, baseline, isHourKnown(past) ? sumOf(sameHours(past)) : baseline),
    slowHour(past.latency, baseline),
    busyHour(past, lastHour, baseline),
  ];
  return anomalies
    .filter((anomaly) => anomaly !== undefined)
    .sort((a, b) => LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level));
}

export const LEVELS: readonly Anomaly['level'][] = ['bad', 'warning', 'notice'];

/** Whether rows suffice for a comparison: with fewer in its last hour, no share of failures is a problem. */
export const isComparedNow = ({ basis, hourFinished }: NetworkBaseline) =>
  basis !== 'none' && hourFinished >= MIN_FAILURES;

const newAnomaly = (members: Omit<Anomaly, 'sinceUs' | 'sender'>): Anomaly => {
  return { ...members, sinceUs: null, sender: null };
};

/** The worst anomaly first. */
export function byAnomaly(a: { unusual: readonly Anomaly[] }, b: { unusual: readonly Anomaly[] }): number {
  const rank = ({ unusual: [worst] }: typeof a) =>
    worst === undefined ? LEVELS.length : LEVELS.indexOf(worst.level);
  return rank(a) - rank(b);
}

/** Whole hours since the last request. */
const silentHours = ({ lastUs, nowUs }: NetworkPast) => Math.max(0, Math.floor((nowUs - lastUs) / HOUR_US));

/**
 * Counts of this hour on the seven days before, or before a silence, as far as there are data. Hours without rows count.
 * @param hoursAgo 0 for the last hour
 */
function sameHours(past: NetworkPast, hoursAgo = 0): HourCounts[] {
  const { hours, firstUs, coveredFromUs, nowUs } = past;
  const sinceUs = Math.max(firstUs, coveredFromUs ?? Number.NEGATIVE_INFINITY);
  const firstDay = Math.max(1, Math.floor((silentHours(past) - hoursAgo) / HOURS_PER_DAY) + 1);
  return Array.from({ length: WEEK_DAYS }, (_, day) => hoursAgo + (firstDay + day) * HOURS_PER_DAY)
    .filter((hour) => nowUs - (hour + 1) * HOUR_US >= sinceUs)
    .map((hour) => hours.find((counts) => counts.hour === hour) ?? noCounts(hour));
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

/** Lower median; 0 without values. A burst or an outage on a single day does not move it. */
function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return percentile(sorted, 50) ?? 0;
}

/** Silence: in the same hours of the days before it, `MIN_MISSED` requests came. */
function silence(past: NetworkPast): Anomaly | undefined {
  const lengthUs = past.nowUs - past.lastUs;
  if (lengthUs > RETIRED_AFTER_MS * 1000) return undefined;
  const daysBefore: HourCounts[][] = [];
  let missed = 0;
  for (let hoursAgo = 0; hoursAgo < lengthUs / HOUR_US; hoursAgo += 1) {
    const hour = hoursAgo % HOURS_PER_DAY;
    daysBefore[hour] ??= sameHours(past, hour);
    const before = daysBefore[hour];
    if (before.length < MIN_DAYS) break;
    const part = Math.min(1, lengthUs / HOUR_US - hoursAgo);
    missed += part * median(before.map(({ requests }) => requests));
  }
  if (missed < MIN_MISSED) return undefined;
  return { ...newAnomaly({ kind: 'silent', level: 'bad', value: 0, usual: missed }), sinceUs: past.lastUs };
}

type Outcomes = Pick<HourCounts, 'finished' | 'failed' | 'callbackFailed'>;

/** Failed requests have no callback. */
function failingShare(
  kind: 'failing' | 'callbacks-failing',
  { finished, failed, callbackFailed }: Outcomes,
): number {
  return kind === 'failing'
    ? failed / Math.max(1, finished)
    : callbackFailed / Math.max(1, finished - failed);
}

/** @param baselineShare share on other days */
const problemShare = (kind: keyof typeof MIN_SHARES, baselineShare: number) =>
  Math.max(MIN_SHARES[kind], FAILURES_RATIO * baselineShare);

function failing(now: Outcomes, baseline: Outcomes, atThisHour: Outcomes): Anomaly[] {
  const kinds = [
    ['failing', 'bad', now.failed, now.finished],
    ['callbacks-failing', 'warning', now.callbackFailed, now.finished - now.failed],
  ] as const;
  return kinds.flatMap(([kind, level, failures, of]) => {
    const value = failingShare(kind, now);
    const usualShare = failingShare(kind, baseline);
    const limit = problemShare(kind, Math.max(usualShare, failingShare(kind, atThisHour)));
    const isMuch = failures >= MIN_FAILURES && value >= limit;
    return isMuch
      ? [newAnomaly({ kind, level, value, usual: usualShare, rows: { part: failures, of } })]
      : [];
  });
}

function slowHour({ nowCalled, nowP95Us }: LatencyHistory, { p95Us }: NetworkBaseline): Anomaly | undefined {
  if (nowCalled < MIN_ROWS || nowP95Us === null || p95Us === null || !isSlow(nowP95Us, p95Us)) {
    return undefined;
  }
  return newAnomaly({ kind: 'slow', level: 'warning', value: nowP95Us, usual: p95Us });
}

/** Threshold of the cumulative sum (CUSUM), which the last hour of a failing network always reaches. */
const ALARM_SUM = 2;
/** A problem without an alarm for this long is over: an hour, plus a minute because it is computed once a minute. */
const MAX_PAUSE_US = HOUR_US + 60_000_000;

/** `place`: position among the rows that could show the problem, oldest first, from 1. */
type ProblemRow = { us: number; place: number };

type StartLimits = {
  /** Problem rows among all that counts as a problem, 0 to 1. */
  share: number;
  /** Time to callback of a problem row of `slow`. */
  slowUs: number;
};

/** @param week totals of the seven days before the search; with too few rows, the baseline of the problem applies */
export function startLimits(
  { kind, baseline }: { kind: keyof typeof MIN_SHARES; baseline: number },
  week: Omit<Outcomes, 'finished'> & { completed: number; p95Us: number | null },
): StartLimits {
  const finished = week.completed + week.callbackFailed + week.failed;
  const isKnown = finished >= MIN_ROWS;
  if (kind === 'slow') {
    return { share: MIN_SHARES.slow, slowUs: slowAboveUs((isKnown ? week.p95Us : null) ?? baseline) };
  }
  const share = isKnown ? failingShare(kind, { ...week, finished }) : baseline;
  return { share: problemShare(kind, share), slowUs: 0 };
}

/** `rows`: problem rows since the sum was last 0. */
type Run = { sum: number; rows: ProblemRow[] };

const emptyRun = (): Run => ({ sum: 0, rows: [] });

function addProblemRow(run: Run, row: ProblemRow, step: number): void {
  const others = row.place - (run.rows.at(-1)?.place ?? row.place - 1) - 1;
  const sum = Math.max(0, run.sum - step * others);
  if (sum === 0) run.rows.length = 0;
  run.rows.push(row);
  run.sum = Math.min(ALARM_SUM, sum + 1 - step);
}

/**
 * Start of the current problem: its first problem row. Each problem row adds to a sum, and each other row subtracts
 * half of the problem's share, but never below 0 (CUSUM), so the sum stays low while everything is as usual. The
 * start lies between the last 0 and the first alarm. It depends only on rows up to that alarm, so that later rows
 * never move it while the problem lasts.
 * @param rows oldest first
 * @param share share of problem rows that counts as a problem
 */
export function problemStart(rows: readonly ProblemRow[], share: number, nowUs: number): number | undefined {
  const step = share / 2;
  let alarmUs = Number.NEGATIVE_INFINITY;
  let startUs: number | undefined;
  let run = emptyRun();
  // Rows after the last alarm belong to the next problem if this one is over.
  let afterAlarm = emptyRun();
  for (const row of rows) {
    addProblemRow(run, row, step);
    addProblemRow(afterAlarm, row, step);
    if (startUs !== undefined && row.us - alarmUs > MAX_PAUSE_US) {
      startUs = undefined;
      run = afterAlarm;
      afterAlarm = emptyRun();
    }
    if (run.sum < ALARM_SUM) continue;
    alarmUs = row.us;
    afterAlarm = emptyRun();
    startUs ??= changeRow(run.rows, share / FAILURES_RATIO).us;
  }
  return nowUs - alarmUs > MAX_PAUSE_US ? undefined : startUs;
}

const MAX_CHANGED_SHARE = 0.95;

/**
 * The row from which on problem rows are as frequent as after the change.
 * @param before share before it, above 0
 */
function changeRow(run: readonly ProblemRow[], before: number): ProblemRow {
  const middle = ((run[0]?.place ?? 0) + (run.at(-1)?.place ?? 0)) / 2;
  // The later half may still be mostly usual, so the share is estimated again from the rows after the change.
  const change = likeliestChange(run, before, shareSince(run, middle, before));
  return likeliestChange(run, before, shareSince(run, change.place, before));
}

/** Limited to what few rows can show. @param before share before a change */
function shareSince(run: readonly ProblemRow[], place: number, before: number): number {
  const problems = run.filter((row) => row.place >= place).length;
  const share = problems / ((run.at(-1)?.place ?? 0) - place + 1);
  return Math.min(MAX_CHANGED_SHARE, Math.max(2 * before, share));
}

/** The row of the change by maximum likelihood. */
function likeliestChange(run: readonly ProblemRow[], before: number, after: number): ProblemRow {
  const problemWeight = Math.log(after / before);
  const normalWeight = Math.log((1 - after) / (1 - before));
  let end = run.at(-1) as ProblemRow;
  let next = end.place + 1;
  let sum = 0;
  let maxSum = 0;
  for (const row of run.toReversed()) {
    sum += problemWeight + normalWeight * (next - row.place - 1);
    next = row.place;
    if (sum < maxSum) continue;
    maxSum = sum;
    end = row;
  }
  return end;
}

/** A notice, not a problem. */
function busyHour(past: NetworkPast, now: HourCounts, baseline: NetworkBaseline): Anomaly | undefined {
  const atThisHour = sameHours(past);
  if (atThisHour.length < MIN_DAYS || baseline.requests === null) return undefined;
  const busiest = Math.max(...atThisHour.map(({ requests }) => requests));
  if (now.requests < MIN_BUSY || now.requests < BUSY_RATIO * busiest) return undefined;
  return newAnomaly({ kind: 'busy', level: 'notice', value: now.requests, usual: baseline.requests });
}
