/**
 * The rules about pending requests. Ids are on the wire, in the incident store, in links and on screen, so they never
 * change; code uses the names. `docs/troubleshooting.md` explains each rule.
 */
export const RULE = {
  withinNormal: 'R1',
  slow: 'R2',
  retryBudgetEnding: 'R3',
  pastRetryBudget: 'R4',
  reorgedTwin: 'R5',
  wholeNetwork: 'R6',
  oneSender: 'R7',
  overtaken: 'R8',
  networkQuiet: 'R9',
  beyondCatchUp: 'R10',
  unusualGas: 'R11',
  missingSequences: 'R12',
  replicaDown: 'R13',
  lateRecovery: 'R14',
  batch: 'R15',
} as const;

/** Id of the rule with a name. */
export type RuleNamed<Name extends keyof typeof RULE> = (typeof RULE)[Name];
export type RuleId = RuleNamed<keyof typeof RULE>;

const RULE_IDS: readonly RuleId[] = Object.values(RULE);

export function byRule(a: { rule: RuleId }, b: { rule: RuleId }): number {
  return RULE_IDS.indexOf(a.rule) - RULE_IDS.indexOf(b.rule);
}
