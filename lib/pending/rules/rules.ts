import { lateRecoveryRule, networkQuietRule } from './network-rules';
import { ageRule, batchRule, beyondCatchUpRule, unusualGasRule } from './request-rules';
import { notPending, type Rule, type RuleInput, type RuleOfOne, withEvidence } from './rule';
import { RULE } from './rule-ids';
import { missingSequencesRule, overtakenRule, reorgedTwinRule } from './sequence-rules';
import type { Verdict } from './verdict';

/** Rules about many requests are in groups.ts, ids in `RULE`, titles in `RULE_TITLES`. */

export function judge(id: RuleOfOne, input: RuleInput): Verdict {
  const { reads = [], isAboutPending = false, find } = RULES[id];
  const whyNotPending = isAboutPending ? notPending(id, input.request) : undefined;
  if (whyNotPending !== undefined) return whyNotPending;
  return withEvidence(id, reads, input.evidence, find(input));
}

export const RULES: Record<RuleOfOne, Rule> = {
  [RULE.withinNormal]: ageRule(RULE.withinNormal),
  [RULE.slow]: ageRule(RULE.slow),
  [RULE.retryBudgetEnding]: ageRule(RULE.retryBudgetEnding),
  [RULE.pastRetryBudget]: ageRule(RULE.pastRetryBudget),
  [RULE.reorgedTwin]: reorgedTwinRule,
  [RULE.overtaken]: overtakenRule,
  [RULE.networkQuiet]: networkQuietRule,
  [RULE.beyondCatchUp]: beyondCatchUpRule,
  [RULE.unusualGas]: unusualGasRule,
  [RULE.missingSequences]: missingSequencesRule,
  [RULE.lateRecovery]: lateRecoveryRule,
  [RULE.batch]: batchRule,
};
