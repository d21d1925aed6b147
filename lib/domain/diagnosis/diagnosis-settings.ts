/** What decides when a pending request counts as slow or stuck, for one network. */
export type DiagnosisThresholds = {
  /** Seconds until a request is slow. */
  slowAfterS: number;
  /** Seconds for which the keeper retries. */
  retryBudgetS: number;
  /** Seconds after which this process has most likely given up. */
  stuckAfterS: number;
  /** Blocks that a restarted keeper looks back. */
  backlogBlocks: number;
};

/** `usual`: what keepers of this kind do unless told otherwise; `configured`: the operator set at least one of them. */
export type DiagnosisSettings = DiagnosisThresholds & { origin: 'usual' | 'configured' };

/** Source: the keeper's usual settings. It retries for about 300 s and rescans about 1000 blocks when it starts. */
export const USUAL_SETTINGS: DiagnosisSettings = {
  slowAfterS: 60,
  retryBudgetS: 300,
  stuckAfterS: 420,
  backlogBlocks: 1000,
  origin: 'usual',
};

/** The usual settings, with what an operator says instead. A member that is undefined says nothing. */
export function settingsWith(given: Partial<DiagnosisThresholds>): DiagnosisSettings {
  const said = Object.entries(given).filter(([, value]) => value !== undefined);
  return said.length === 0
    ? USUAL_SETTINGS
    : { ...USUAL_SETTINGS, ...Object.fromEntries(said), origin: 'configured' };
}

/** What is wrong with thresholds, for whoever set them: one sentence, or undefined when they make sense. */
export function thresholdsProblem(thresholds: DiagnosisThresholds): string | undefined {
  const { slowAfterS, retryBudgetS, stuckAfterS, backlogBlocks } = thresholds;
  const all = { slowAfterS, retryBudgetS, stuckAfterS, backlogBlocks };
  const odd = Object.entries(all).find(([, value]) => !Number.isFinite(value) || value < 0);
  if (odd !== undefined) return `${odd[0]} should be a number of 0 or more`;
  if (slowAfterS > retryBudgetS) return 'slowAfterS should not be larger than retryBudgetS';
  return retryBudgetS > stuckAfterS ? 'retryBudgetS should not be larger than stuckAfterS' : undefined;
}
