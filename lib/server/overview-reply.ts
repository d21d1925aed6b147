import 'server-only';
import { isStateWord } from '@/lib/core/request-record';
import { COUNTED_MS, type CountsAnswer, type StateCounts } from '@/lib/insights/overview';
import { statesSince } from '@/lib/store/queries/overview';
import { jsonReply } from './reply';
import { services } from './services';

/** The requests of the last hour by state, of every keeper, from the index. */
export async function overviewCounts(): Promise<CountsAnswer> {
  const { index } = services();
  const { revision } = index;
  const atMs = index.now();
  const found = await statesSince(index.engine, Math.floor((atMs - COUNTED_MS) * 1000));
  const keepers = index.status().map(({ keeper, syncedAtMs }) => {
    const [keeperId] = index.keeperIds([keeper]);
    const counts: StateCounts = { pending: 0, completed: 0, 'callback-failed': 0, failed: 0 };
    for (const { keeperId: id, state, rows } of found) {
      if (id === keeperId && isStateWord(state)) counts[state] = rows;
    }
    return { keeper, counts, ...(syncedAtMs === null ? {} : { syncedAtMs }) };
  });
  return { revision, atMs, keepers };
}

/** `GET /api/view/overview`. */
export async function replyWithOverview(): Promise<Response> {
  return jsonReply(await overviewCounts());
}
