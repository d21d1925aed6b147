import { beganMs, type HistoryCounts, isStartKnown, lengthMs, type PastIncident } from '@/lib/alerts/history';
import { FROM_LOG_RULE, isDegraded, isFromLog } from '@/lib/core/incident-record';
import { countOf, groupDigits } from '@/lib/core/numbers';
import { formatIsoMillis, formatSpan } from '@/lib/core/time';
import { ANOMALY_TITLES, ROWS_OF } from '@/lib/insights/anomaly';
import { lengthText as microsText } from '@/lib/insights/format';
import type { Anomaly } from '@/lib/insights/insights-response';
import { incidentPath } from '@/lib/pending/pending-response';
import type { RuleId } from '@/lib/pending/rules/rule-ids';
import { RULE_TITLES } from '@/lib/pending/rules/rule-texts';
import { defaultRequestsView, type RequestsView } from '@/lib/requests/view';
import { formatRequestsUrl } from '@/lib/requests/view-url';

export function ruleTitle(rule: string | null | undefined): string {
  if (rule === FROM_LOG_RULE) return 'Stuck together';
  return RULE_TITLES[rule as RuleId] ?? ANOMALY_TITLES[rule as Anomaly['kind']] ?? String(rule);
}

export const titleOf = ({ rules, chain }: PastIncident) => chain?.cause?.title ?? ruleTitle(rules[0]);

/** `2 incidents, 1 degraded network`, counted as on `/pending`. */
export function countsText({ incidents, degradedNetworks }: HistoryCounts): string {
  const texts = [
    incidents > 0 && countOf(incidents, 'incident'),
    degradedNetworks > 0 && countOf(degradedNetworks, 'degraded network'),
  ];
  return texts.filter(Boolean).join(', ');
}

/** A recorded size in the unit of its rule: `41 stuck`, `62% failed`. */
export function sizeText(incident: Pick<PastIncident, 'rules'>, size: number): string {
  if (!isDegraded(incident)) return `${groupDigits(size)} stuck`;
  switch (incident.rules[0]) {
    case 'slow':
      return `p95 ${microsText(size)}`;
    case 'failing':
    case 'callbacks-failing':
      // Thousandths; only all of them are 100%.
      return `${size === 1000 ? 100 : Math.min(99, Math.round(size / 10))}% failed`;
    default:
      return 'No requests';
  }
}

/** `14:03:15`; `before 14:03:15` where the start was not found. `moment` formats unix ms. */
export const startText = (incident: PastIncident, moment: (ms: number) => string) =>
  `${isStartKnown(incident) ? '' : 'before '}${moment(beganMs(incident))}`;

/** `5 min`; `over 5 min` where the start was not found. */
export const incidentLengthText = (incident: PastIncident, nowMs: number) =>
  `${isStartKnown(incident) ? '' : 'over '}${formatSpan(lengthMs(incident, nowMs))}`;

type Span = { fromMs: number; toMs: number | null };

/** Path of the table's rows in a range, which extends to now if `toMs` is null. */
export function spanRowsPath(
  { fromMs, toMs }: Span,
  networks: readonly string[],
  more: Partial<RequestsView> = {},
) {
  const endOfRange = toMs === null ? {} : { to: formatIsoMillis(toMs) };
  const time = { kind: 'between', from: formatIsoMillis(fromMs), ...endOfRange } as const;
  return formatRequestsUrl({ ...defaultRequestsView(), ...more, networks: [...networks], time });
}

/** Path of the incident's requests; of a degraded network, those that show the problem. */
export function incidentRequestsPath(incident: PastIncident) {
  const { rules, keeper, networkId, closedMs, clockAheadMs = 0 } = incident;
  const fromMs = beganMs(incident) + clockAheadMs;
  const toMs = closedMs === null ? null : closedMs + clockAheadMs;
  const shown = isDegraded(incident)
    ? ROWS_OF[rules[0] as Anomaly['kind']]
    : isFromLog(incident)
      ? ({ sort: 'duration.desc' } as const)
      : {};
  return spanRowsPath({ fromMs, toMs }, [networkId], {
    ...shown,
    keepers: [keeper],
  });
}

export const openPath = (incident: PastIncident) =>
  isDegraded(incident) ? '/pending' : incidentPath(incident.id);

export type NameOf = (networkId: string) => string;

/** `Base`, `Base and Blast`, `Base, Blast and 3 more`. */
export function networkNames(ids: readonly string[], nameOf: NameOf): string {
  const [first = '', second, ...others] = ids;
  if (second === undefined) return nameOf(first);
  return others.length === 0
    ? `${nameOf(first)} and ${nameOf(second)}`
    : `${nameOf(first)}, ${nameOf(second)} and ${others.length} more`;
}
