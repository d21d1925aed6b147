import type { FailureKind } from '@/lib/core/outcome';
import { DAY_MS } from '@/lib/core/time';

/**
 * Coverage and age of a keeper's index, in unix ms of its clock. `syncing`: history is being read. `stale`: not read
 * for 30 s, three times the interval of reads. `failing`: the last call failed.
 */
export type KeeperStatus = {
  keeper: string;
  state: 'syncing' | 'live' | 'stale' | 'failing';
  /**
   * Watermark: when the newest rows in the index were requested. Every row served before is in the index, as far back
   * as is covered. Null before the first read. Every claim of completeness or age is based on it.
   */
  syncedAtMs: number | null;
  /** Cause of the delay while stale: the keeper's answers, or the dashboard itself. */
  late: 'keeper' | 'dashboard' | null;
  /**
   * The keeper has lost most of its rows; rows of the time from `fromMs` (its last read before) to `sinceMs` (the
   * discovery) may be lost. It then counted `theirs` rows, of `ours` that it had served.
   */
  lost: { fromMs: number; sinceMs: number; theirs: number; ours: number } | null;
  /**
   * Rows that vanished from the index itself: how many were missing when that was noticed, at `sinceMs`, and how many are
   * still missing while its history is read again.
   */
  vanished: { sinceMs: number; rows: number; left: number } | null;
  /** When the rows of the last read become visible, where later than `syncedAtMs`. */
  seenLateMs?: number | undefined;
  /** When the service was last queried for all pending requests; null before the first time. */
  pendingAtMs: number | null;
  /** The index holds every row created from this time on; null while that is not known of any time. */
  coveredFromMs: number | null;
  coversAll: boolean;
  /** Rows in the index, including rows that the service no longer has. */
  rows: number;
  /**
   * Progress of reading the history, null when done; `expected` is null until the service has returned the number of rows.
   */
  history: { done: number; expected: number | null } | null;
  /** `nextTryMs`: time of the next attempt. */
  failure: { kind: FailureKind; detail: string; nextTryMs?: number } | null;
  /**
   * How far the clock that dates the keeper's rows is ahead of ours, in ms, where that is far enough to matter; else 0.
   * Ages of its rows are reckoned by it.
   */
  clockAheadMs: number;
  audit: { atMs: number; ours: number; theirs: number; agrees: boolean } | null;
  unreadable: number;
  gone: number;
  /** Remarks for the operator: "the service counts 300, delivers 299". */
  notes: string[];
  /** Storage of the index. `memory`: lost at the end of the process. `read-only`: nothing can be written now. */
  storage: 'file' | 'postgres' | 'memory' | 'read-only';
};

/** Whether the index has every pending request of the keeper; until then their number is unknown. */
export const isPendingRead = ({ coversAll, pendingAtMs }: Pick<KeeperStatus, 'coversAll' | 'pendingAtMs'>) =>
  coversAll || pendingAtMs !== null;

/** A message of the revision stream, sent at its start and then at most once a second. */
export type RevisionNews = {
  /** A different number than that of the rows means: fetch them again. It has no other meaning, and is no count. */
  revision: number;
  /** Unix ms of the keepers' clock when the message was sent. */
  nowMs: number;
  index: KeeperStatus[];
  /** Null while unknown. */
  pending: PendingCounts | null;
};

/**
 * Counts of the navigation, as of `atMs` by the clock of the services. `stuck`: in incidents or single, without acknowledged
 * and parked ones. `worst`: severity of these, as in `StuckCounts`. `complete`: exact counts, not minimums.
 */
export type PendingCounts = {
  atMs: number;
  pending: number;
  stuck: number;
  worst: 'none' | 'notice' | 'warning' | 'critical';
  acknowledged: number;
  parked: number;
  complete: boolean;
};

/** A stuck request that belongs to no incident and is older than this is parked: it is in no count of what is stuck. */
export const PARKED_AFTER_MS = DAY_MS;

/** Age from which rows are shown as outdated, ms: two reads in a row are missing. */
export const STALE_AFTER_MS = 30_000;

/** The status as of the time at which it was recorded. It is not valid for later times. */
export function statusAt(status: KeeperStatus, takenMs: number): KeeperStatus {
  const { syncedAtMs, state, late } = status;
  if (state === 'failing' || syncedAtMs === null || takenMs - syncedAtMs <= STALE_AFTER_MS) {
    return { ...status, late: null };
  }
  return { ...status, state: 'stale', late: late ?? 'dashboard' };
}
