import 'server-only';
import { missing } from '@/lib/domain/diagnosis/evidence';
import { formatUtcSeconds, unixMillis } from '@/lib/domain/units';
import { type KeeperStatus, STALE_AFTER_MS } from '@/lib/requests/keeper-status';

type Reach = Pick<KeeperStatus, 'coversAll' | 'coveredFromMs'>;

/** Whether the index has every row of the keeper that was created then or later. @param fromMs unix milliseconds */
export function reaches({ coversAll, coveredFromMs }: Reach, fromMs: number): boolean {
  return coversAll || (coveredFromMs !== null && coveredFromMs <= fromMs);
}

/** Why a piece of evidence that lies further back is not there. */
export function notReached({ coveredFromMs }: Reach): { kind: 'missing'; why: string } {
  if (coveredFromMs === null) return missing('not synced yet');
  return missing(`not synced before ${formatUtcSeconds(unixMillis(coveredFromMs))}`);
}

/** Pending rows are asked for less often than new ones, the more of them there are. */
const PENDING_STALE_MS = 300_000;

/** Whether the keeper's rows were read lately enough to be taken for the present. */
export function isFresh({ syncedAtMs, pendingAtMs }: KeeperStatus, nowMs: number): boolean {
  return (
    syncedAtMs !== null &&
    pendingAtMs !== null &&
    nowMs - syncedAtMs <= STALE_AFTER_MS &&
    nowMs - pendingAtMs <= PENDING_STALE_MS
  );
}
