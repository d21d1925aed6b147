import 'server-only';
import { type Interval, idsIn } from '@/lib/store/queries/sync';
import { requestId } from '@/lib/store/record-row';
import type { Rank } from './call-line';
import type { SyncParts } from './sync-parts';
import { Walk } from './walk';

/**
 * Reads every row of a span again, both ends included: what is new or changed goes in, and rows of ours that two listings
 * do not have are marked as gone.
 * @param span of whole milliseconds, or as fine as the service's moments are
 * @returns whether the listing comes to an end
 */
export async function readAgain({ line, rows }: SyncParts, rank: Rank, span: Interval): Promise<boolean> {
  const { keeperId } = rows.keeper;
  const delivered = new Set<string>();
  for (let times = 1; times <= 2; times += 1) {
    const walk = new Walk({ fromUs: span.fromUs, toUs: span.toUs }, { trustsTotal: true });
    while (!walk.isOver && !walk.isStuck) {
      const { fresh } = walk.take(await line.ask(rank, walk.listing));
      for (const row of fresh) if (row.kind === 'record') delivered.add(requestId(keeperId, row));
      await rows.put(fresh, 'new');
    }
    if (!walk.isOver) return false;
    const missing = (await idsIn(rows.store.engine, keeperId, span)).filter((id) => !delivered.has(id));
    if (missing.length === 0) return true;
    if (times === 2) await rows.markGone({ ids: missing });
  }
  return true;
}
