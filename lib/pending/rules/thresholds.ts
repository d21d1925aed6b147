import type { Diagnosis, PendingSettings, RuleId } from '@/lib/pending/answers';
import { type Evidence, type FinishedRows, finishedAfterMs, type LoggedRow, type Piece } from './evidence';
import { cannotTell, doesNotHold, spanText, type Verdict } from './verdict';

export type { PendingSettings } from '@/lib/pending/answers';

/** What an operator may set. */
export type PendingThresholds = Omit<PendingSettings, 'origin'>;

/** Source: the keeper's usual settings. It retries for about 300 s and rescans about 1000 blocks when it starts. */
export const USUAL_SETTINGS: PendingSettings = {
  slowAfterS: 60,
  retryBudgetS: 300,
  stuckAfterS: 420,
  backlogBlocks: 1000,
  origin: 'usual',
};

/** The usual settings, with what an operator says instead. A member that is undefined says nothing. */
export function settingsWith(given: Partial<PendingThresholds>): PendingSettings {
  const said = Object.entries(given).filter(([, value]) => value !== undefined);
  if (said.length === 0) return USUAL_SETTINGS;
  return { ...USUAL_SETTINGS, ...Object.fromEntries(said), origin: 'configured' };
}

/** What is wrong with thresholds, for whoever set them: one sentence, or undefined when they make sense. */
export function thresholdsProblem(thresholds: PendingThresholds): string | undefined {
  const { slowAfterS, retryBudgetS, stuckAfterS, backlogBlocks } = thresholds;
  const all = { slowAfterS, retryBudgetS, stuckAfterS, backlogBlocks };
  const odd = Object.entries(all).find(([, value]) => !Number.isFinite(value) || value < 0);
  if (odd !== undefined) return `${odd[0]} should be a number of 0 or more`;
  if (slowAfterS > retryBudgetS) return 'slowAfterS should not be larger than retryBudgetS';
  return retryBudgetS > stuckAfterS ? 'retryBudgetS should not be larger than stuckAfterS' : undefined;
}

/** What the keeper is probably doing about a pending request of some age, by its settings alone; a sentence. */
export function keeperActivity(
  ageMs: number,
  { slowAfterS, retryBudgetS, stuckAfterS }: PendingSettings,
): { kind: 'first-tries' | 'retrying' | 'last-look' | 'given-up'; text: string } {
  const leftMs = retryBudgetS * 1000 - ageMs;
  if (ageMs < slowAfterS * 1000) return { kind: 'first-tries', text: 'Most likely sending its first tries.' };
  if (leftMs >= 0) {
    const text = `Should still be retrying, with fees raised step by step, for about ${spanText(leftMs)} more.`;
    return { kind: 'retrying', text };
  }
  if (ageMs <= stuckAfterS * 1000) {
    return {
      kind: 'last-look',
      text: 'Retries are ending: a last try or final look-up may still be under way.',
    };
  }
  return { kind: 'given-up', text: 'This process has most likely given up on it.' };
}

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
  /** The network's own percentile, when enough rows have finished. */
  p95Ms?: number;
  finished: number;
  /** Why the percentile could not be looked at. */
  missing?: string;
};

/** The larger of the setting and the network's 95th percentile; the setting alone while that is not known. */
export function normalAge(finished: Piece<FinishedRows>, { slowAfterS }: PendingSettings): NormalAge {
  const ms = slowAfterS * 1000;
  if (finished.kind === 'missing') {
    return { ms, finished: 0, missing: `Typical latency of this network: ${finished.why}` };
  }
  const durations = finishedDurations(finished.value.rows);
  const p95Ms = nearestRank(durations, 95);
  if (durations.length < ENOUGH_FINISHED || p95Ms === undefined) {
    const missing = `Latency p95 of this network: only ${durations.length} finished rows; ${ENOUGH_FINISHED} are needed`;
    return { ms, finished: durations.length, missing };
  }
  return { ms: Math.max(ms, p95Ms), finished: durations.length, p95Ms };
}

/** How an age compares with the durations of finished requests; undefined when no row has a duration. */
export function survival(rows: readonly LoggedRow[], ageMs: number): Diagnosis['survival'] {
  const sorted = finishedDurations(rows);
  const p99Ms = nearestRank(sorted, 99);
  if (p99Ms === undefined) return undefined;
  return { finished: sorted.length, longer: sorted.length - countUpTo(sorted, ageMs), p99Ms };
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

/** A request with all that is known of it at a moment (unix ms). */
export type Case = {
  request: LoggedRow;
  evidence: Evidence;
  settings: PendingSettings;
  nowMs: number;
  normal: NormalAge;
};

export function caseOf(
  request: LoggedRow,
  evidence: Evidence,
  settings: PendingSettings,
  nowMs: number,
): Case {
  return { request, evidence, settings, nowMs, normal: normalAge(evidence.finished, settings) };
}

/** One rule asked about one request. Pure: the same case gives the same verdict. */
export type Rule = (given: Case) => Verdict;

export type AgeRule = 'R1' | 'R2' | 'R3' | 'R4';

/** Which of R1 to R4 holds for a pending request: the first, so never two. Bounds: R1 below, the others up to. */
export function ageRuleOf(ageMs: number, normal: NormalAge, settings: PendingSettings): AgeRule {
  if (ageMs < normal.ms) return 'R1';
  if (ageMs <= settings.retryBudgetS * 1000) return 'R2';
  return ageMs <= settings.stuckAfterS * 1000 ? 'R3' : 'R4';
}

/** R3 or R4: older than R2 reaches. */
export function isStuckAge(rule: AgeRule): boolean {
  return rule === 'R3' || rule === 'R4';
}

/** A rule about pending requests: it does not hold for what is finished, and is not told for states that nobody knows. */
export function aboutPending(id: RuleId, rule: Rule): Rule {
  return (given) => {
    switch (given.request.state.kind) {
      case 'pending':
        return rule(given);
      case 'completed':
      case 'failed':
        return doesNotHold(id, 'Not pending: its outcome is logged');
      default:
        return cannotTell(id, 'Its state is not one that is known here');
    }
  };
}

/** Rising. */
export function byNumber<T extends number | bigint>(one: T, other: T): number {
  return one < other ? -1 : Number(one > other);
}
