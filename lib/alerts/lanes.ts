import type { IncidentRecord } from '@/lib/core/incident-record';
import { beganMs } from './history';

/** Incidents that overlap in time do not cover each other. @param nowMs end of open incidents, unix ms */
export function laneRows(
  incidents: readonly IncidentRecord[],
  nowMs: number,
): { rows: number; rowOf: (key: string) => number } {
  const ends: number[] = [];
  const placed = new Map<string, number>();
  for (const incident of incidents.toSorted((a, b) => beganMs(a) - beganMs(b))) {
    const free = ends.findIndex((endMs) => endMs <= beganMs(incident));
    const row = free === -1 ? ends.length : free;
    ends[row] = incident.closedMs ?? nowMs;
    placed.set(incident.key, row);
  }
  return { rows: Math.max(1, ends.length), rowOf: (key) => placed.get(key) ?? 0 };
}
