/** Thresholds of one network. */
export type PendingSettings = {
  slowAfterS: number;
  /** Time for which the keeper retries. An older request counts as stuck. */
  retryBudgetS: number;
  /** End of the last attempt: the keeper has most likely given up. Later than “stuck”, in spite of the settings’ name. */
  stuckAfterS: number;
  /** Past blocks that the keeper rescans when it starts. */
  backlogBlocks: number;
  /** `configured`: the operator set at least one threshold. */
  origin: 'usual' | 'configured';
};

export type PendingThresholds = Omit<PendingSettings, 'origin'>;

/** Defaults of the keeper: it retries for about 300 s and rescans about 1000 blocks. */
export const DEFAULT_PENDING_SETTINGS: PendingSettings = {
  slowAfterS: 60,
  retryBudgetS: 300,
  stuckAfterS: 420,
  backlogBlocks: 1000,
  origin: 'usual',
};

/** Undefined members override nothing. */
export function pendingSettingsFrom(overrides: Partial<PendingThresholds>): PendingSettings {
  const setEntries = Object.entries(overrides).filter(([, value]) => value !== undefined);
  if (setEntries.length === 0) return DEFAULT_PENDING_SETTINGS;
  return { ...DEFAULT_PENDING_SETTINGS, ...Object.fromEntries(setEntries), origin: 'configured' };
}

/** One sentence for the operator; undefined if the thresholds are consistent. */
export function thresholdsProblem({ slowAfterS, retryBudgetS, stuckAfterS }: PendingThresholds) {
  if (slowAfterS > retryBudgetS) return 'slowAfterS should not be larger than retryBudgetS';
  return retryBudgetS > stuckAfterS ? 'retryBudgetS should not be larger than stuckAfterS' : undefined;
}

/** Stuck requests without a shared cause that form an incident. */
export const MIN_TOGETHER = 3;
