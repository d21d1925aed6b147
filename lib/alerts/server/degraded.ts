import type { Sighted } from '@/lib/alerts/history';
import type { Anomaly } from '@/lib/insights/insights-response';
import type { Problem } from '@/lib/insights/problem';
import { severityOfLevel } from '@/lib/pending/severity';

/** The history records the problems that `/pending` lists. */

/** For shares, failures per thousand. */
export const recordedValue = ({ kind, value }: Pick<Anomaly, 'kind' | 'value'>): number =>
  Math.round(kind === 'failing' || kind === 'callbacks-failing' ? value * 1000 : value);

/** Larger is worse. A silent network has nothing to compare. */
const sizeOf = (anomaly: Anomaly) => (anomaly.kind === 'silent' ? 0 : recordedValue(anomaly));

/** In the form of an incident's id. */
const degradedId = (keeper: string, networkId: string, kind: Anomaly['kind']) =>
  `${encodeURIComponent(keeper)}/${networkId}/degraded/${kind}`;

/** @param nowMs start, unix ms, of a problem whose start was not looked up */
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
