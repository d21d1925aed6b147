import { ageRuleOf } from './age-rules';
import type { DiagnosisSettings } from './diagnosis-settings';
import type { Evidence, LoggedRow } from './evidence';
import { normalAge } from './finished-durations';
import { ageOf, isPending } from './logged-row';

/** Rows of a window in order of creation, those pending within normal left out: they say nothing either way. */
export type WindowReading = { past: LoggedRow[]; others: LoggedRow[] };

/** Sorts the rows of one network into those pending past normal and those not pending. */
export function readWindow(
  rows: readonly LoggedRow[],
  networkId: string,
  evidence: Pick<Evidence, 'finished'>,
  settings: DiagnosisSettings,
  nowMs: number,
): WindowReading {
  const normal = normalAge(evidence.finished, settings);
  const past: LoggedRow[] = [];
  const others: LoggedRow[] = [];
  for (const row of rows) {
    if (row.networkId !== networkId) continue;
    if (!isPending(row)) others.push(row);
    else if (ageRuleOf(ageOf(row, nowMs), normal, settings) !== 'R1') past.push(row);
  }
  const byTime = (one: LoggedRow, other: LoggedRow) => one.createdAt.ms - other.createdAt.ms;
  return { past: past.sort(byTime), others: others.sort(byTime) };
}
