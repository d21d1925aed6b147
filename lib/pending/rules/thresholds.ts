import type { PendingSettings } from '@/lib/core/pending-settings';
import { formatSpan } from '@/lib/core/time';
import type { Diagnosis } from '@/lib/pending/answers';
import {
  type FinishedRows,
  finishedAfterMs,
  isCompleted,
  isFinished,
  type LoggedRow,
  type Piece,
  rowsOf,
} from './evidence';

/** By nearest rank, always one of the values. @param sorted rising @param percent above 0, up to 100 */
export function nearestRank<T>(sorted: readonly T[], percent: number): T | undefined {
  return sorted[Math.max(0, Math.ceil((percent * sorted.length) / 100) - 1)];
}

/** How long the finished ones among the rows took, in ms, rising. Those whose end is not told are left out. */
export function finishedDurations(rows: readonly LoggedRow[]): number[] {
  return rows.flatMap((row) => finishedAfterMs(row) ?? []).sort((one, other) => one - other);
}

export const ENOUGH_FINISHED = 20;

/** Up to which age a request of the network is within normal. */
type NormalAge = {
  ms: number;
  /** The network's own percentile, when enough rows have finished. */
  p95Ms?: number;
  finished: number;
  missing?: string;
};

/**
 * The larger of the setting and the network's 95th percentile; the setting alone while that is not known. A failed request
 * took the whole retry budget, and what a restart completed took hours: neither makes a long wait normal.
 */
function normalAge(finished: Piece<FinishedRows>, { slowAfterS, retryBudgetS }: PendingSettings): NormalAge {
  const durations = finishedDurations(rowsOf(finished).filter(isCompleted));
  const found = { ms: slowAfterS * 1000, finished: durations.length };
  const p95Ms = durations.length < ENOUGH_FINISHED ? undefined : nearestRank(durations, 95);
  if (p95Ms !== undefined) {
    return { ...found, ms: Math.min(Math.max(found.ms, p95Ms), retryBudgetS * 1000), p95Ms };
  }
  const few = `only ${durations.length} completed rows; ${ENOUGH_FINISHED} are needed`;
  return {
    ...found,
    missing: `Latency p95 of this network: ${finished.kind === 'missing' ? finished.why : few}`,
  };
}

/** How an age compares with the durations of finished requests; undefined when no row has a duration. */
export function survival(rows: readonly LoggedRow[], ageMs: number): Diagnosis['survival'] {
  const sorted = finishedDurations(rows);
  const p99Ms = nearestRank(sorted, 99);
  if (p99Ms === undefined) return undefined;
  return { finished: sorted.length, longer: sorted.filter((ms) => ms > ageMs).length, p99Ms };
}

/** The contract refuses a larger gas limit (its error `MaxGasLimitExceeded`). */
export const MAX_GAS_LIMIT = 655_350_000n;
/** R11: so many times what is usual, or as small a part of it. */
const TIMES_USUAL = 10n;

/** Limits are u256 at most. Longer digits are no gas, and would only keep BigInt busy. */
export function gasOf(digits: string | undefined): bigint | undefined {
  return digits !== undefined && /^\d{1,78}$/.test(digits) ? BigInt(digits) : undefined;
}

/** The gas limits of finished requests of a network; `median` undefined where there are too few. */
type UsualGas = {
  median: bigint | undefined;
  rows: number;
  /** Of those that completed, rising. */
  completed: readonly bigint[];
};

function usualGas(finished: Piece<FinishedRows>): UsualGas {
  const limitsOf = (is: (row: LoggedRow) => boolean) =>
    rowsOf(finished)
      .filter(is)
      .flatMap((row) => gasOf(row.gasLimit) ?? [])
      .sort(byNumber);
  const limits = limitsOf(isFinished);
  const median = limits.length < ENOUGH_FINISHED ? undefined : nearestRank(limits, 50);
  return { median, rows: limits.length, completed: limitsOf(isCompleted) };
}

/** So many requests that completed with a limit as unusual show that the limit keeps none from completing. */
const UNUSUAL_COMPLETED = 3;

/** What R11 says of a limit. Ten times nothing is nothing: such a median makes no limit unusual, nor what completes anyway. */
export function gasFinding(
  { gasLimit }: Pick<LoggedRow, 'gasLimit'>,
  { median = 0n, completed }: UsualGas,
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

export type Usual = { settings: PendingSettings; normal: NormalAge; gas: UsualGas };

export function usualOf(finished: Piece<FinishedRows>, settings: PendingSettings): Usual {
  return { settings, normal: normalAge(finished, settings), gas: usualGas(finished) };
}

export type AgeRule = 'R1' | 'R2' | 'R3' | 'R4';

/** Which of R1 to R4 holds for a pending request: the first, so never two. Bounds: R1 below, the others up to. */
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

/** What an age says. @param leftMs of the retry budget */
export function ageHeadline(rule: AgeRule, leftMs: number): string {
  const texts: Record<AgeRule, string> = {
    R1: 'Nothing unusual at this age',
    R2: `${formatSpan(leftMs)} of the retry budget left`,
    R3: 'The retry budget is over; the last attempt may be running',
    R4: 'Older than the retry budget and the last attempt of one keeper process',
  };
  return texts[rule];
}

export function byNumber<T extends number | bigint>(one: T, other: T): number {
  return one < other ? -1 : Number(one > other);
}
