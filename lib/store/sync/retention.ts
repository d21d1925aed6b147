import 'server-only';
import { deleteUpTo } from '@/lib/store/queries/sync';
import type { CallLine } from './call-line';
import type { KeeperRows } from './keeper-rows';

/** Rows deleted in one transaction at most: what the service sends waits meanwhile. */
const BATCH = 10_000;

/**
 * Deletes what is older than a moment, unix microseconds, some at a time: rows by their creation, unreadable ones by when
 * they were last seen. What is covered then begins there, and the room is given back.
 * @throws SyncEnded between two batches
 */
export async function forgetBefore(
  rows: KeeperRows,
  beforeUs: number,
  line: Pick<CallLine, 'rest'>,
): Promise<void> {
  const { store, keeper } = rows;
  // First, so that no span counts as read when its rows are gone.
  await rows.coverFrom(beforeUs);
  for (let deleted = BATCH; deleted === BATCH; ) {
    await line.rest(0);
    deleted = await store.write(async (session) => {
      const result = await deleteUpTo(session, keeper.keeperId, beforeUs, BATCH);
      return { result, isChange: result > 0 };
    });
    if (deleted < BATCH) await store.engine.compact();
  }
}
