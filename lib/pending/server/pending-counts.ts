import 'server-only';
import type { PendingCounts, RevisionNews } from '@/lib/requests/revision-news';
import { services } from '@/lib/server/services';
import type { IndexStore } from '@/lib/store/store';
import { type TriageNow, triageOf } from './pending-triage';

/**
 * How many requests are pending and stuck, for the navigation of every page. Worked out once for everybody who asks; `complete`
 * as the page of pending requests says it.
 */
export async function pendingCounts(index: IndexStore): Promise<PendingCounts> {
  return countsOf(await triageOf(index).now());
}

/** What the navigation of a page begins with: it waits for nothing that was known a moment ago. */
export async function knownIndex(): Promise<Pick<RevisionNews, 'index' | 'pending'>> {
  const { index } = services();
  return { index: index.status(), pending: countsOf(await triageOf(index).recent()) };
}

function countsOf({ triage, state }: TriageNow): PendingCounts {
  const { incidents, singles, pending, missing, unreadable } = triage;
  return {
    pending,
    stuck: incidents.reduce((sum, { size }) => sum + size, singles.length),
    incidents: incidents.length,
    complete: state === 'complete' && missing === 0 && unreadable === 0,
  };
}
