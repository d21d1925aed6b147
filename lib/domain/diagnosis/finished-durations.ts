import type { DiagnosisSettings } from './diagnosis-settings';
import type { FinishedRows, LoggedRow, Piece } from './evidence';
import { finishedAfterMs } from './logged-row';
import { spanText } from './span-text';

/**
 * The percentile by nearest rank: the smallest value that at least so many percent of all values don't exceed. Always
 * one of the values, never between two.
 * @param sorted rising
 * @param percent above 0, up to 100
 */
export function nearestRank<T>(sorted: readonly T[], percent: number): T | undefined {
  return sorted[Math.max(0, Math.ceil((percent * sorted.length) / 100) - 1)];
}

/** How long the finished ones among the rows took, in ms, rising. Those whose end is not told are left out. */
export function finishedDurations(rows: readonly LoggedRow[]): number[] {
  return rows.flatMap((row) => finishedAfterMs(row) ?? []).sort((one, other) => one - other);
}

/** Fewer finished rows than this say nothing about what is usual. */
export const ENOUGH_FINISHED = 20;

/** Up to which age a request of the network is within normal. */
export type NormalAge = {
  /** Ages below this are normal. */
  ms: number;
  /** Whether the network's own percentile or the setting decided. */
  from: 'percentile' | 'setting';
  /** The network's 95th percentile, when enough rows have finished. */
  p95Ms?: number;
  finished: number;
  /** Why the percentile could not be looked at. */
  missing?: string;
};

/** The larger of the setting and the network's 95th percentile; the setting alone while that is not known. */
export function normalAge(finished: Piece<FinishedRows>, settings: DiagnosisSettings): NormalAge {
  const settingMs = settings.slowAfterS * 1000;
  const setting = { ms: settingMs, from: 'setting' as const };
  if (finished.kind === 'missing') {
    return {
      ...setting,
      finished: 0,
      missing: `How long this network usually takes is not known: ${finished.why}`,
    };
  }
  const durations = finishedDurations(finished.value.rows);
  const p95Ms = nearestRank(durations, 95);
  if (durations.length < ENOUGH_FINISHED || p95Ms === undefined) {
    const missing = `only ${durations.length} finished rows; ${ENOUGH_FINISHED} are needed`;
    return { ...setting, finished: durations.length, missing: `This network’s own percentile: ${missing}` };
  }
  const known = { finished: durations.length, p95Ms };
  return p95Ms > settingMs ? { ms: p95Ms, from: 'percentile', ...known } : { ...setting, ...known };
}

/** How an age compares with the durations of finished requests. Requests that never finish are not among them. */
export type Survival = {
  /** How many durations it rests on. */
  finished: number;
  /** By nearest rank: so many percent were done after `ms`. */
  doneAfter: { percent: number; ms: number }[];
  /** How many took longer than the age, and which share of all, 0 to 1. */
  longer: number;
  longerShare: number;
  /** For drawing: the share that took longer than `ms`. `ms` rises, the share falls from 1 to 0. */
  curve: { ms: number; share: number }[];
  /** `99 % were done after 34 s`. */
  sentence: string;
};

/** A curve of more points looks the same. */
const CURVE_POINTS = 64;

/** @returns undefined when no row has a duration */
export function survival(rows: readonly LoggedRow[], ageMs: number): Survival | undefined {
  const sorted = finishedDurations(rows);
  const p99 = nearestRank(sorted, 99);
  if (p99 === undefined) return undefined;
  const longer = sorted.length - countUpTo(sorted, ageMs);
  return {
    finished: sorted.length,
    doneAfter: [50, 90, 95, 99].map((percent) => ({ percent, ms: nearestRank(sorted, percent) ?? p99 })),
    longer,
    longerShare: longer / sorted.length,
    curve: curveOf(sorted),
    sentence: `99 % were done after ${spanText(p99)}`,
  };
}

function curveOf(sorted: readonly number[]): { ms: number; share: number }[] {
  const points = [{ ms: 0, share: (sorted.length - countUpTo(sorted, 0)) / sorted.length }];
  const step = Math.max(1, Math.ceil(sorted.length / CURVE_POINTS));
  for (let rank = step; rank < sorted.length + step; rank += step) {
    const ms = sorted[Math.min(rank, sorted.length) - 1] ?? 0;
    if (ms > (points.at(-1)?.ms ?? 0)) {
      points.push({ ms, share: (sorted.length - countUpTo(sorted, ms)) / sorted.length });
    }
  }
  return points;
}

/** How many of the rising values are not above the limit. */
export function countUpTo(sorted: readonly number[], limit: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
