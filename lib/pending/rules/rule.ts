import type { PendingSettings, RuleId } from '@/lib/pending/answers';
import { ageOf, type Evidence, isPending, type LoggedRow } from './evidence';
import { type NormalAge, normalAge } from './thresholds';
import { cannotTell, doesNotHold, type Verdict } from './verdict';

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

/** Pending, and not within normal any more. */
export function isPastNormal(
  row: LoggedRow,
  { normal, settings, nowMs }: Pick<Case, 'normal' | 'settings' | 'nowMs'>,
): boolean {
  return isPending(row) && ageRuleOf(ageOf(row, nowMs), normal, settings) !== 'R1';
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

/** Rounded down, so that a share below a threshold never reads as the threshold. */
export function percentFloor(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.floor((part * 100) / whole);
}
