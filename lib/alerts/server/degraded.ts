import type { Sighted } from '@/lib/alerts/history';
import type { Anomaly } from '@/lib/insights/insights-response';
import type { Problem } from '@/lib/insights/problem';
import { severityOfLevel } from '@/lib/pending/severity';

/** Degraded networks as the history records them: the same problems that `/pending` lists. */

/** The number that represents a value in a record: for shares, failures per thousand; otherwise the value. */
export const recordedValue = ({ kind, value }: Pick<Anomaly, 'kind' | 'value'>): number =>
  Math.round(kind === 'failing' || kind === 'callbacks-failing' ? value * 1000 : value);

/** Size for comparison, where larger is worse. A silent network has nothing to compare. */
const sizeOf = (anomaly: Anomaly) => (anomaly.kind === 'silent' ? 0 : recordedValue(anomaly));

/** Id of a record, in the same form as that of an incident. */
const degradedId = (keeper: string, networkId: string, kind: Anomaly['kind']) =>
  `${encodeURIComponent(keeper)}/${networkId}/degraded/${kind}`;

/**
 * Degraded networks among the current problems. @param nowMs used as the start, unix ms, if the start was not looked up
 */
export function sightedNetworks(problems: readonly Problem[], nowMs: number): Sighted[] {
  return problems.flatMap(({ unusual, networks: [networkId], level, text, detail, sinceMs }): Sighted[] => {
    if (unusual === undefined || networkId === undefined) return [];
    const { keeper, kind } = unusual;
    return [
      {
        id: degradedId(keeper, networkId, kind),
        keeper,
        networkId,
        rule: kind,
        severity: severityOfLevel(level),
        size: sizeOf(unusual),
        sinceMs: sinceMs ?? nowMs,
        verdicts: [{ headline: `${text}. ${detail}` }],
      },
    ];
  });
}
