/** Ids of the dashboard's rules about pending requests, as its API and its pages have them (docs/troubleshooting.md). */
export const RULE = {
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

export type RuleId = (typeof RULE)[keyof typeof RULE];
