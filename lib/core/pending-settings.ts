/**
 * Thresholds of one network: when a pending request is slow, when the keeper stops retrying, and when a request is
 * stuck.
 */
export type PendingSettings = {
  slowAfterS: number;
  /** Time for which the keeper retries. */
  retryBudgetS: number;
  /** Time after which the keeper has most likely given up. */
  stuckAfterS: number;
  /** Number of past blocks that the keeper rescans when it starts. */
  backlogBlocks: number;
  /** `usual`: the defaults for this kind of keeper. `configured`: the operator set at least one threshold. */
  origin: 'usual' | 'configured';
};

export type PendingThresholds = Omit<PendingSettings, 'origin'>;

/** Defaults, taken from the keeper's own: it retries for about 300 s and rescans about 1000 blocks. */
export const DEFAULT_PENDING_SETTINGS: PendingSettings = {
  slowAfterS: 60,
  retryBudgetS: 300,
  stuckAfterS: 420,
  backlogBlocks: 1000,
  origin: 'usual',
};

/** The defaults, overridden by the operator's values. Undefined members override nothing. */
export function pendingSettingsFrom(overrides: Partial<PendingThresholds>): PendingSettings {
  const setEntries = Object.entries(overrides).filter(([, value]) => value !== undefined);
  if (setEntries.length === 0) return DEFAULT_PENDING_SETTINGS;
  return { ...DEFAULT_PENDING_SETTINGS, ...Object.fromEntries(setEntries), origin: 'configured' };
}

/** The problem with the order of thresholds, in one sentence for the operator; undefined if they are consistent. */
export function thresholdsProblem({ slowAfterS, retryBudgetS, stuckAfterS }: PendingThresholds) {
  if (slowAfterS > retryBudgetS) return 'slowAfterS should not be larger than retryBudgetS';
  return retryBudgetS > stuckAfterS ? 'retryBudgetS should not be larger than stuckAfterS' : undefined;
}
