import type { DiagnosisSettings } from './diagnosis-settings';
import type { Evidence, LoggedRow } from './evidence';
import type { Verdict } from './verdict';

/** One rule asked about one request. Pure: the same arguments give the same verdict. `nowMs`: unix ms. */
export type Rule = (
  request: LoggedRow,
  evidence: Evidence,
  settings: DiagnosisSettings,
  nowMs: number,
) => Verdict;
