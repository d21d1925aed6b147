import { mostSevere } from '@/lib/pending/rules/verdict';
import type { Incident, Severity, Single } from './pending-response';

/**
 * Requests of incidents (including young ones) and single ones. `stuck` excludes acknowledged and parked ones
 * (single, older than a day), and `worst` is the highest severity in it. All pages and metrics use this definition.
 */
export type StuckCounts = { stuck: number; acknowledged: number; parked: number; worst: Severity };

/** Whether a case is acknowledged, by id of an incident or key of a single request. */
export type IsAcknowledged = (kind: 'incident' | 'request', id: string) => boolean;

type StuckCases = {
  incidents: readonly Pick<Incident, 'id' | 'size' | 'severity' | 'keeper' | 'networkId'>[];
  singles: readonly Pick<Single, 'key' | 'isParked' | 'severity' | 'keeper' | 'networkId'>[];
};

/** @param unexamined requests older than a day that are not examined */
export function stuckCounts(
  { incidents, singles }: StuckCases,
  isAcknowledged: IsAcknowledged,
  unexamined: number,
  isCounted: (place: { keeper: string; networkId: string }) => boolean = () => true,
): StuckCounts {
  const counts = { stuck: 0, acknowledged: 0, parked: unexamined };
  const severities = new Set<Severity>();
  for (const incident of incidents.filter(isCounted)) {
    const hasAcknowledgement = isAcknowledged('incident', incident.id);
    counts[hasAcknowledgement ? 'acknowledged' : 'stuck'] += incident.size;
    if (!hasAcknowledgement && incident.size > 0) severities.add(incident.severity);
  }
  for (const single of singles.filter(isCounted)) {
    const hasAcknowledgement = isAcknowledged('request', single.key);
    counts[single.isParked ? 'parked' : hasAcknowledgement ? 'acknowledged' : 'stuck'] += 1;
    if (!single.isParked && !hasAcknowledgement) severities.add(single.severity);
  }
  return { ...counts, worst: mostSevere([...severities]) };
}

/** `ms`: creation, unix ms. */
type PendingRow = { key: string; ms: number };

/** Unix ms, inclusive. */
type Span = { fromMs: number; toMs: number };

/**
 * Spans of creation times, so that SQL can count stuck requests. A millisecond that also has other requests is in no
 * span; its stuck requests are in `keys`.
 * @param rows all pending ones of the network, oldest first
 */
export function stuckSpans(
  rows: readonly PendingRow[],
  isStuck: (key: string) => boolean,
): { spans: Span[]; keys: string[] } {
  const spans: Span[] = [];
  const keys: string[] = [];
  let last: Span | undefined;
  for (let index = 0; index < rows.length; ) {
    const ms = rows[index]?.ms ?? 0;
    const same: string[] = [];
    for (; rows[index]?.ms === ms; index += 1) same.push(rows[index]?.key ?? '');
    const stuck = same.filter(isStuck);
    if (stuck.length < same.length) {
      last = undefined;
      keys.push(...stuck);
    } else if (last === undefined) {
      last = { fromMs: ms, toMs: ms };
      spans.push(last);
    } else last.toMs = ms;
  }
  return { spans, keys };
}
