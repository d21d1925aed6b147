import type { PendingSettings } from '@/lib/core/pending-settings';
import { isFinished } from '@/lib/core/request-record';
import { formatSpan } from '@/lib/core/time';
import type { Diagnosis } from '@/lib/pending/pending-response';
import {
  type FinishedRows,
  finishedAfterMs,
  isCompleted,
  type LoggedRow,
  type Piece,
  rowsOf,
} from './evidence';

/** Percentile by nearest rank. @param sorted ascending @param percent above 0, up to 100 */
export function nearestRank<T>(sorted: readonly T[], percent: number): T | undefined {
  return sorted[Math.max(0, Math.ceil((percent * sorted.length) / 100) - 1)];
}

/** Durations of finished rows, ms, ascending. Rows without an end time are left out. */
export function finishedDurations(rows: readonly LoggedRow[]): number[] {
  return rows.flatMap((row) => finishedAfterMs(row) ?? []).sort((a, b) => a - b);
}

export const ENOUGH_FINISHED = 20;

/** The greatest age that is normal on a network. */
type NormalAge = {
  ms: number;
  /** 95th percentile of the network, if enough rows have finished. */
  p95Ms?: number;
  finished: number;
  missing?: string;
};

/**
 * The larger of the setting and the network's 95th percentile, or the setting alone while the percentile is unknown.
 * Failed requests took the whole retry budget, and recovered ones took hours. Neither makes a long wait normal, so both
 * are left out.
 */
function normalAge(finished: Piece<FinishedRows>, { slowAfterS, retryBudgetS }: PendingSettings): NormalAge {
  const durations = finishedDurations(rowsOf(finished).filter(isCompleted));
  const threshold = { ms: slowAfterS * 1000, finished: durations.length };
  const p95Ms = durations.length < ENOUGH_FINISHED ? undefined : nearestRank(durations, 95);
  if (p95Ms !== undefined) {
    return { ...threshold, ms: Math.min(Math.max(threshold.ms, p95Ms), retryBudgetS * 1000), p95Ms };
  }
  const tooFew = `only ${durations.length} completed rows; ${ENOUGH_FINISHED} are needed`;
  return {
    ...threshold,
    missing: `Latency p95 of this network: ${finished.kind === 'missing' ? finished.why : tooFew}`,
  };
}

/** Compares an age with the durations of finished requests; undefined if there are none. */
export function survival(rows: readonly LoggedRow[], ageMs: number): Diagnosis['survival'] {
  const sorted = finishedDurations(rows);
  const p99Ms = nearestRank(sorted, 99);
  if (p99Ms === undefined) return undefined;
  return { finished: sorted.length, longer: sorted.filter((ms) => ms > ageMs).length, p99Ms };
}

/** Largest gas limit that the contract accepts (its error is `MaxGasLimitExceeded`). */
export const MAX_GAS_LIMIT = 655_350_000n;
/** R11: a gas limit is unusual if it is this many times the usual one, or this many times smaller. */
const TIMES_USUAL = 10n;

/** Parses a gas limit (u256). Longer texts are rejected, because BigInt would be slow. */
export function gasOf(digits: string | undefined): bigint | undefined {
  return digits !== undefined && /^\d{1,78}$/.test(digits) ? BigInt(digits) : undefined;
}

/** Gas limits of finished requests of a network. `median` is undefined if there are too few. */
type GasBaseline = {
  median: bigint | undefined;
  rows: number;
  /** Gas limits of completed requests, ascending. */
  completed: readonly bigint[];
};

function gasBaseline(finished: Piece<FinishedRows>): GasBaseline {
  const limitsOf = (matches: (row: LoggedRow) => boolean) =>
    rowsOf(finished)
      .filter(matches)
      .flatMap((row) => gasOf(row.gasLimit) ?? [])
      .sort(byNumber);
  const limits = limitsOf(isFinished);
  const median = limits.length < ENOUGH_FINISHED ? undefined : nearestRank(limits, 50);
  return { median, rows: limits.length, completed: limitsOf(isCompleted) };
}

/** Number of completed requests with an equally unusual limit that shows the limit to be harmless. */
const UNUSUAL_COMPLETED = 3;

/**
 * Finding of R11 about a limit. No limit is unusual if the median is 0. A limit with which several requests completed
 * is not unusual either.
 */
export function gasFinding(
  { gasLimit }: Pick<LoggedRow, 'gasLimit'>,
  { median = 0n, completed }: GasBaseline,
): 'too-large' | 'high' | 'low' | undefined {
  const limit = gasOf(gasLimit);
  if (limit === undefined) return undefined;
  if (limit > MAX_GAS_LIMIT) return 'too-large';
  if (median === 0n) return undefined;
  const nth = { high: completed.at(-UNUSUAL_COMPLETED), low: completed[UNUSUAL_COMPLETED - 1] };
  if (limit >= median * TIMES_USUAL) return (nth.high ?? 0n) >= limit ? undefined : 'high';
  if (limit * TIMES_USUAL > median) return undefined;
  return nth.low !== undefined && nth.low <= limit ? undefined : 'low';
}

export type Baseline = { settings: PendingSettings; normal: NormalAge; gas: GasBaseline };

export function baselineOf(finished: Piece<FinishedRows>, settings: PendingSettings): Baseline {
  return { settings, normal: normalAge(finished, settings), gas: gasBaseline(finished) };
}

export type AgeRule = 'R1' | 'R2' | 'R3' | 'R4';

/** The one rule of R1 to R4 that holds for an age. The upper bound of R1 is exclusive, the others are inclusive. */
export function ageRuleOf(
  ageMs: number,
  normal: Pick<NormalAge, 'ms'>,
  { retryBudgetS, stuckAfterS }: PendingSettings,
): AgeRule {
  if (ageMs < normal.ms) return 'R1';
  if (ageMs <= retryBudgetS * 1000) return 'R2';
  return ageMs <= stuckAfterS * 1000 ? 'R3' : 'R4';
}

export function isStuckAge(rule: AgeRule): boolean {
  return rule === 'R3' || rule === 'R4';
}

/** Headline of a rule about age. @param leftMs rest of the retry budget */
export function ageHeadline(rule: AgeRule, leftMs: number): string {
  const texts: Record<AgeRule, string> = {
    R1: 'Nothing unusual at this age',
    R2: `${formatSpan(leftMs)} of the retry budget left`,
    R3: 'The retry budget is over; the last attempt may be running',
    R4: 'Older than the retry budget and the last attempt of one keeper process',
  };
  return texts[rule];
}

export function byNumber<T extends number | bigint>(a: T, b: T): number {
  return a < b ? -1 : Number(a > b);
}
