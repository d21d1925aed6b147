import 'server-only';
import type { PendingCounts } from '@/lib/requests/revision-news';
import type { IndexStore } from '@/lib/store/store';

/** How many requests are pending and stuck, for the navigation of every page. */
export async function pendingCounts(index: IndexStore): Promise<PendingCounts> {
  const [row] = await index.engine.all<{ pending: number }>(
    "select count(*) as pending from requests where state = 'pending' and gone_us is null",
  );
  const complete = index.status().every(({ state, coversAll }) => state === 'live' && coversAll);
  return { pending: row?.pending ?? 0, stuck: 0, incidents: 0, complete };
}
