import type { PendingSettings } from '@/lib/core/pending-settings';
import { percentile } from '@/lib/core/percentile';
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
import { RULE, type RuleNamed } from './rule-ids';

/** Durations in ms, ascending. Rows without an end time are left out. */
export function finishedDurations(rows: readonly LoggedRow[]): number[] {
  return rows.flatMap((row) => finishedAfterMs(row) ?? []).sort((a, b) => a - b);
}

export const ENOUGH_FINISHED = 20;

type NormalAge = {
  ms: number;
  /** The network's, if enough rows have finished. */
  p95Ms?: number;
  finished: number;
  missing?: string;
};

/**
 * The setting, or the network's 95th percentile if larger, up to the retry budget. Failed requests took the whole
 * retry budget and recovered ones hours: neither makes a long wait normal, so both are left out.
 */
function normalAge(finished: Piece<FinishedRows>, { slowAfterS, retryBudgetS }: PendingSettings): NormalAge {
  const durations = finishedDurations(rowsOf(finished).filter(isCompleted));
  const threshold = { ms: slowAfterS * 1000, finished: durations.length };
  const p95Ms = durations.length < ENOUGH_FINISHED ? undefined : percentile(durations, 95);
  if (p95Ms !== undefined) {
    return { ...threshold, ms: Math.min(Math.max(threshold.ms, p95Ms), retryBudgetS * 1000), p95Ms };
  }
  const tooFew = `only ${durations.length} completed rows; ${ENOUGH_FINISHED} are needed`;
  return {
    ...threshold,
    missing: `Latency p95 of this network: ${finished.kind === 'missing' ? finished.why : tooFew}`,
  };
}

/** Undefined without finished requests. */
export function survival(rows: readonly LoggedRow[], ageMs: number): Diagnosis['survival'] {
  const sorted = finishedDurations(rows);
  const p99Ms = percentile(sorted, 99);
  if (p99Ms === undefined) return undefined;
  return { finished: sorted.length, longer: sorted.filter((ms) => ms > ageMs).length, p99Ms };
}

/** The contract's limit; beyond it, it reverts with `MaxGasLimitExceeded`. */
export const MAX_GAS_LIMIT = 655_350_000n;
/** Unusual gas: so many times the median limit, or so many times smaller. */
const TIMES_MEDIAN = 10n;

/** A u256. Longer texts are rejected, because BigInt would be slow. */
export function gasOf(digits: string | undefined): bigint | undefined {
  return digits !== undefined && /^\d{1,78}$/.test(digits) ? BigInt(digits) : undefined;
}

/** `median` is undefined if there are too few rows. */
type GasBaseline = {
  median: bigint | undefined;
  rows: number;
  /** Ascending. */
  completed: readonly bigint[];
};

function gasBaseline(finished: Piece<FinishedRows>): GasBaseline {
  const limitsOf = (matches: (row: LoggedRow) => boolean) =>
    rowsOf(finished)
      .filter(matches)
      .flatMap((row) => gasOf(row.gasLimit) ?? [])
      .sort(byNumber);
  const limits = limitsOf(isFinished);
  const median = limits.length < ENOUGH_FINISHED ? undefined : percentile(limits, 50);
  return { median, rows: limits.length, completed: limitsOf(isCompleted) };
}

/** Completed requests with an equally unusual limit that show it to be harmless. */
const UNUSUAL_COMPLETED = 3;

/** No limit is unusual if the median is 0, or if several requests completed with it. */
export function gasFinding(
  { gasLimit }: Pick<LoggedRow, 'gasLimit'>,
  { median = 0n, completed }: GasBaseline,
): 'too-large' | 'high' | 'low' | undefined {
  const limit = gasOf(gasLimit);
  if (limit === undefined) return undefined;
  if (limit > MAX_GAS_LIMIT) return 'too-large';
  if (median === 0n) return undefined;
  const nth = { high: completed.at(-UNUSUAL_COMPLETED), low: completed[UNUSUAL_COMPLETED - 1] };
  if (limit >= median * TIMES_MEDIAN) return (nth.high ?? 0n) >= limit ? undefined : 'high';
  if (limit * TIMES_MEDIAN > median) return undefined;
  return nth.low !== undefined && nth.low <= limit ? undefined : 'low';
}

export type Baseline = { settings: PendingSettings; normal: NormalAge; gas: GasBaseline };

export function finishedBaseline(finished: Piece<FinishedRows>, settings: PendingSettings): Baseline {
  return { settings, normal: normalAge(finished, settings), gas: gasBaseline(finished) };
}

export type AgeRule = RuleNamed<'withinNormal' | 'slow' | 'retryBudgetEnding' | 'pastRetryBudget'>;

/** The upper bound of the normal age is exclusive, the others are inclusive. */
export function ageRuleOf(
  ageMs: number,
  normal: Pick<NormalAge, 'ms'>,
  { retryBudgetS, stuckAfterS }: PendingSettings,
): AgeRule {
  if (ageMs < normal.ms) return RULE.withinNormal;
  if (ageMs <= retryBudgetS * 1000) return RULE.slow;
  return ageMs <= stuckAfterS * 1000 ? RULE.retryBudgetEnding : RULE.pastRetryBudget;
}

export function isStuckAge(rule: AgeRule): boolean {
  return rule === RULE.retryBudgetEnding || rule === RULE.pastRetryBudget;
}

/** @param leftMs rest of the retry budget */
export function ageHeadline(rule: AgeRule, leftMs: number): string {
  const texts: Record<AgeRule, string> = {
    [RULE.withinNormal]: 'Nothing unusual at this age',
    [RULE.slow]: `${formatSpan(leftMs)} of the retry budget left`,
    [RULE.retryBudgetEnding]: 'The retry budget is over; the last attempt may be running',
    [RULE.pastRetryBudget]: 'Older than the retry budget and the last attempt of one keeper process',
  };
  return texts[rule];
}

export function byNumber<T extends number | bigint>(a: T, b: T): number {
  return a < b ? -1 : Number(a > b);
}
