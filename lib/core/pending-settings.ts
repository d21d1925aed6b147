/** When a pending request counts as slow, when the keeper has given up, and when it is stuck on one network. */
export type PendingSettings = {
  slowAfterS: number;
  /** The keeper retries for this long. */
  retryBudgetS: number;
  /** After this the keeper's process has most likely given up. */
  stuckAfterS: number;
  /** How far back the keeper looks for requests when it starts. */
  backlogBlocks: number;
  /** `usual`: what keepers of this kind do unless told otherwise; `configured`: the operator set at least one of them. */
  origin: 'usual' | 'configured';
};

export type PendingThresholds = Omit<PendingSettings, 'origin'>;

/** Source: the keeper's usual settings. It retries for about 300 s and rescans about 1000 blocks when it starts. */
export const DEFAULT_PENDING_SETTINGS: PendingSettings = {
  slowAfterS: 60,
  retryBudgetS: 300,
  stuckAfterS: 420,
  backlogBlocks: 1000,
  origin: 'usual',
};

/** The usual settings, with what an operator says instead. A member that is undefined says nothing. */
export function pendingSettingsFrom(given: Partial<PendingThresholds>): PendingSettings {
  const said = Object.entries(given).filter(([, value]) => value !== undefined);
  if (said.length === 0) return DEFAULT_PENDING_SETTINGS;
  return { ...DEFAULT_PENDING_SETTINGS, ...Object.fromEntries(said), origin: 'configured' };
}

/** What is wrong with the order of thresholds, for whoever set them: one sentence, or undefined when they make sense. */
export function thresholdsProblem({ slowAfterS, retryBudgetS, stuckAfterS }: PendingThresholds) {
  if (slowAfterS > retryBudgetS) return 'slowAfterS should not be larger than retryBudgetS';
  return retryBudgetS > stuckAfterS ? 'retryBudgetS should not be larger than stuckAfterS' : undefined;
}
