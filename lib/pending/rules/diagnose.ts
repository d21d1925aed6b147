import type { Diagnosis, PendingSettings } from '@/lib/pending/answers';
import { ageOf, type Evidence, type LoggedRow } from './evidence';
import { batchRule, networkRule, replicaRule, senderRule, silenceRule } from './groups';
import {
  backlogRule,
  gapRule,
  gasRule,
  givenUpRule,
  overtakenRule,
  recoveryRule,
  retryEndRule,
  slowRule,
  twinRule,
  withinNormalRule,
} from './one-request';
import { caseOf, type Rule } from './rule';
import { survival } from './thresholds';
import type { RuleId, Verdict } from './verdict';

/** The rules by their numbers, in order. */
export const ALL_RULES: Record<RuleId, Rule> = {
  R1: withinNormalRule,
  R2: slowRule,
  R3: retryEndRule,
  R4: givenUpRule,
  R5: twinRule,
  R6: networkRule,
  R7: senderRule,
  R8: overtakenRule,
  R9: silenceRule,
  R10: backlogRule,
  R11: gasRule,
  R12: gapRule,
  R13: replicaRule,
  R14: recoveryRule,
  R15: batchRule,
};

/** What can be said about one request, by all rules. */
export function diagnose(
  request: LoggedRow,
  evidence: Evidence,
  settings: PendingSettings,
  nowMs: number,
): Diagnosis {
  const given = caseOf(request, evidence, settings, nowMs);
  const verdicts = Object.values(ALL_RULES).map((rule) => rule(given));
  const ageMs = ageOf(request, nowMs);
  const { finished } = evidence;
  return {
    verdicts,
    topRule: topVerdict(verdicts)?.rule,
    ageMs,
    survival: finished.kind === 'known' ? survival(finished.value.rows, ageMs) : undefined,
  };
}

/** The verdicts that hold, the one that explains most first. */
export function heldVerdicts({ verdicts, topRule }: Pick<Diagnosis, 'verdicts' | 'topRule'>): Verdict[] {
  const held = verdicts.filter(({ holds }) => holds === 'yes');
  return held.toSorted((one, other) => Number(other.rule === topRule) - Number(one.rule === topRule));
}

/** Rules that explain many requests by one cause; the one that speaks of the most goes first, then this order. */
const OF_GROUPS: readonly RuleId[] = ['R15', 'R7', 'R6', 'R13'];

/** While a request is within normal, only a cause that has others stuck already says more than that. */
const BEFORE_NORMAL: readonly RuleId[] = ['R7', 'R6'];

/**
 * Causes of one request, the more particular first, then its age, then what stands beside it. Missing sequences that
 * adjoin it say more than an age past the retry budget, which only says that something is wrong.
 */
const OF_ONE = ['R5', 'R14', 'R11', 'R8', 'R9', 'R10', 'R2', 'R12 beside it', 'R4', 'R3', 'R12'];

function placeOf({ rule, covers }: Verdict): number {
  return OF_ONE.indexOf(rule === 'R12' && covers > 0 ? 'R12 beside it' : rule);
}

/** Of the verdicts that hold, the one that explains most. A twin that is completed settles it. */
export function topVerdict(verdicts: readonly Verdict[]): Verdict | undefined {
  const held = verdicts.filter(({ holds }) => holds === 'yes');
  const decisive = held.find((verdict) => verdict.decisive === true);
  if (decisive !== undefined) return decisive;
  const normal = held.find(({ rule }) => rule === 'R1');
  const groups = normal === undefined ? OF_GROUPS : BEFORE_NORMAL;
  const [group] = held
    .filter(({ rule }) => groups.includes(rule))
    .sort((one, other) => other.covers - one.covers || groups.indexOf(one.rule) - groups.indexOf(other.rule));
  if (group !== undefined || normal !== undefined) return group ?? normal;
  return held.sort((one, other) => placeOf(one) - placeOf(other))[0];
}
