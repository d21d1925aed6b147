import { recoveryRule, silenceRule } from './network-rules';
import { ageRule, backlogRule, batchRule, gasRule } from './request-rules';
import { notPending, type Rule, type RuleInput, type RuleOfOne, withEvidence } from './rule';
import { gapRule, overtakenRule, twinRule } from './sequence-rules';
import type { Verdict } from './verdict';

/** R6, R7 and R13 are in groups.ts, titles of R1 to R15 in `RULE_TITLES`, E1 to E6 in `PIECES`. */

export function judge(id: RuleOfOne, input: RuleInput): Verdict {
  const { reads = [], isAboutPending = false, find } = RULES[id];
  const whyNotPending = isAboutPending ? notPending(id, input.request) : undefined;
  if (whyNotPending !== undefined) return whyNotPending;
  return withEvidence(id, reads, input.evidence, find(input));
}

export const RULES: Record<RuleOfOne, Rule> = {
  R1: ageRule('R1'),
  R2: ageRule('R2'),
  R3: ageRule('R3'),
  R4: ageRule('R4'),
  R5: twinRule,
  R8: overtakenRule,
  R9: silenceRule,
  R10: backlogRule,
  R11: gasRule,
  R12: gapRule,
  R14: recoveryRule,
  R15: batchRule,
};
