import type { KeeperStatus } from './keeper-status';

/** What the stream of revisions tells a page, once when it begins and at most once a second afterwards. */
export type RevisionNews = {
  /** Another number than the one that rows came with: ask again. It says nothing else, and is no count. */
  revision: number;
  /** Unix milliseconds of the keepers' clock, at the moment of this news. */
  nowMs: number;
  index: KeeperStatus[];
  pending: PendingCounts;
};

/**
 * What stands in the navigation. `stuck`: requests of incidents or by themselves. `complete`: every keeper is read to its
 * beginning and synced, so the counts are whole and not "at least".
 */
export type PendingCounts = { pending: number; stuck: number; incidents: number; complete: boolean };

/** Where our pages listen. */
export const REVISIONS_PATH = '/api/view/revisions';

/** Reads what came; undefined for anything that is not ours. */
export function readRevisionNews(text: string): RevisionNews | undefined {
  try {
    const news: unknown = JSON.parse(text);
    if (typeof news !== 'object' || news === null) return undefined;
    const { revision, nowMs, index, pending } = news as Partial<RevisionNews>;
    const isNews = typeof revision === 'number' && typeof nowMs === 'number' && Array.isArray(index);
    return isNews && typeof pending === 'object' ? { revision, nowMs, index, pending } : undefined;
  } catch {
    return undefined;
  }
}
