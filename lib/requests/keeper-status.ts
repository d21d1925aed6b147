import type { FailureKind } from '@/lib/core/outcome';

/**
 * How far the index of a keeper reaches and how old it is, in unix ms of its clock. `syncing`: history is being read.
 * `stale`: not read for 30 s, three times as long as between two reads. `failing`: the last call failed.
 */
export type KeeperStatus = {
  keeper: string;
  state: 'syncing' | 'live' | 'stale' | 'failing';
  /**
   * Read up to: when its newest rows, as they are in the index, were asked for. Every row that it served before is here, as
   * far back as is covered. Null before the first time. All that claims completeness or an age goes by this.
   */
  syncedAtMs: number | null;
  /** What holds the sync up while it is stale: the answers of the keeper, or the dashboard itself. */
  late: 'keeper' | 'dashboard' | null;
  /**
   * The keeper has lost most of what it served, and what came between `fromMs`, when it was last read before, and `sinceMs`,
   * when that was noticed, may be nowhere. It counted `theirs` rows then, of `ours` that it had served.
   */
  lost: { fromMs: number; sinceMs: number; theirs: number; ours: number } | null;
  /** When the rows of the last read are seen, where that is later than `syncedAtMs`. */
  seenLateMs?: number | undefined;
  /** When the service was last asked which requests are pending, of all time; null before the first time. */
  pendingAtMs: number | null;
  /** The index holds every row created since then, without a gap; null while that is not known of any moment. */
  coveredFromMs: number | null;
  coversAll: boolean;
  /** Rows in the index, those that the service no longer has among them. */
  rows: number;
  /** While rows of the past are missing; `expected` is null until the service has said how many there are. */
  history: { done: number; expected: number | null } | null;
  /** `nextTryMs`: when the service is asked again. */
  failure: { kind: FailureKind; detail: string; nextTryMs?: number } | null;
  audit: { atMs: number; ours: number; theirs: number; agrees: boolean } | null;
  unreadable: number;
  gone: number;
  /** What an operator should know: "the service counts 300, delivers 299". */
  notes: string[];
  /** Where the index lives. `memory`: it is lost at the end of the process. `read-only`: nothing can be written now. */
  storage: 'file' | 'postgres' | 'memory' | 'read-only';
};

/** What the stream of revisions tells a page, once when it begins and at most once a second afterwards. */
export type RevisionNews = {
  /** Another number than the one that rows came with: ask again. It says nothing else, and is no count. */
  revision: number;
  /** Unix milliseconds of the keepers' clock, at the moment of this news. */
  nowMs: number;
  index: KeeperStatus[];
  /** Null while nothing is known of them. */
  pending: PendingCounts | null;
};

/** What stands in the navigation. `stuck`: in incidents or by themselves. `complete`: counts are whole, and not "at least". */
export type PendingCounts = {
  pending: number;
  stuck: number;
  acknowledged: number;
  incidents: number;
  complete: boolean;
};

/** After so long without a read, what is shown is said to be old, in milliseconds: two reads in a row did not come. */
export const STALE_AFTER_MS = 30_000;

/** The state as of the moment at which the status was taken: an old status says nothing about a later one. */
export function statusAt(status: KeeperStatus, takenMs: number): KeeperStatus {
  const { syncedAtMs, state, late } = status;
  if (state === 'failing' || syncedAtMs === null || takenMs - syncedAtMs <= STALE_AFTER_MS) {
    return { ...status, late: null };
  }
  return { ...status, state: 'stale', late: late ?? 'dashboard' };
}
