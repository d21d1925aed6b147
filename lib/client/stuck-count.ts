'use client';
import type { KeeperStatus } from '@/lib/requests/keeper-status';
import type { RevisionNews } from '@/lib/requests/revision-news';
import { useRevision } from '@/lib/requests/use-revision';

/** What the navigation says of stuck requests. `whole: 'no'`: so many at least. */
export type StuckCount =
  | { kind: 'stuck'; stuck: number; whole: 'yes' | 'no' }
  /** `unasked`: no request log service is configured, so there is nothing to be known. */
  | { kind: 'nothing-stuck' | 'not-known' | 'syncing' | 'unasked' };

/** What is known of an index: how far it reaches, and what is pending in it. */
export type KnownIndex = Pick<RevisionNews, 'index' | 'pending'>;

export function stuckCountOf({ index, pending }: KnownIndex): StuckCount {
  const { stuck, complete } = pending;
  if (index.length === 0) return { kind: 'unasked' };
  if (stuck > 0) return { kind: 'stuck', stuck, whole: complete ? 'yes' : 'no' };
  if (complete) return { kind: 'nothing-stuck' };
  const isSyncing = ({ syncedAtMs, pendingAtMs }: KeeperStatus) =>
    syncedAtMs === null || pendingAtMs === null;
  return {
    kind: index.some(isSyncing) && index.every(({ failure }) => failure === null) ? 'syncing' : 'not-known',
  };
}

/** From what the server rendered on, by the news of the index. */
export function useStuckCount(first: KnownIndex): StuckCount {
  return stuckCountOf(useRevision() ?? first);
}
