import type { KeeperStatus } from '@/lib/requests/keeper-status';

/** Audits run every 75 s. */
const MAX_AGE_MS = 600_000;

type AuditLabel = { text: string; tone: 'good' | 'bad' | 'wait' | undefined };

/** `nowMs` is by the clock of the index; undefined while unknown. */
export function auditLabel(audit: KeeperStatus['audit'], nowMs: number | undefined): AuditLabel {
  if (audit === null) return { text: 'Not compared yet', tone: undefined };
  const { agrees, atMs } = audit;
  if (nowMs !== undefined && nowMs - atMs > MAX_AGE_MS) {
    return { text: agrees ? 'Counts matched, stale' : 'Counts differed, stale', tone: 'wait' };
  }
  const tone = agrees ? 'good' : 'bad';
  return { text: agrees ? 'Counts match' : 'Counts differ', tone: nowMs === undefined ? undefined : tone };
}
