import type { FailureKind } from '@/lib/core/outcome';
import { DAY_MS } from '@/lib/core/time';

/**
 * Coverage and age of a keeper's part of the index. Times are unix ms by the clock of the store (that of our server; in the
 * sandbox, the sandbox's), except `coveredFromMs`, which is a creation time of rows. `syncing`: its history is being
 * read. `stale`: it was not read for 30 s, three times the read interval. `failing`: the last call failed.
 */
export type KeeperStatus = {
  keeper: string;
  state: 'syncing' | 'live' | 'stale' | 'failing';
  /**
   * Watermark: the time at which the newest rows in the index were requested; null before the first read. The index has
   * every row that was served before, as far back as it is covered. Every claim about completeness or age is based on
   * the watermark.
   */
  syncedAtMs: number | null;
  /** While stale: whether the keeper's slow answers or the dashboard itself cause the delay. */
  late: 'keeper' | 'dashboard' | null;
  /**
   * Set if the keeper has lost most of its rows. Rows from between `fromMs` (the last read before) and `sinceMs` (the
   * discovery) may be lost. The keeper then counted `theirs` rows, of `ours` that it had served.
   */
  lost: { fromMs: number; sinceMs: number; theirs: number; ours: number } | null;
  /**
   * Rows that vanished from the index itself: `rows` were missing when that was noticed at `sinceMs`, and `left` are
   * still missing while the history is read again.
   */
  vanished: { sinceMs: number; rows: number; left: number } | null;
  /** Time at which the rows of the last read become visible, if that is later than `syncedAtMs`. */
  seenLateMs?: number | undefined;
  /** Time at which the service was last queried for all pending requests; null before the first time. */
  pendingAtMs: number | null;
  /** The index holds every row created from this time on; null if there is no such time yet. */
  coveredFromMs: number | null;
  coversAll: boolean;
  /** Rows in the index, including rows that the service no longer has. */
  rows: number;
  /**
   * Progress of reading the history, null when done. `expected` is null until the service has returned the number of
   * rows.
   */
  history: { done: number; expected: number | null } | null;
  /** `nextTryMs`: time of the next attempt. */
  failure: { kind: FailureKind; detail: string; nextTryMs?: number } | null;
  /**
   * Milliseconds by which the clock that dates the keeper's rows is ahead of ours; 0 if the difference is too small to
   * matter. Ages of the keeper's rows are corrected by it.
   */
  clockAheadMs: number;
  audit: { atMs: number; ours: number; theirs: number; agrees: boolean } | null;
  unreadable: number;
  gone: number;
  /** Remarks for the operator, such as "the service counts 300, delivers 299". */
  notes: string[];
  /** Storage of the index. `memory` is lost when the process ends. `read-only` accepts no writes at the moment. */
  storage: 'file' | 'postgres' | 'memory' | 'read-only';
};

/** Whether the index has every pending request of the keeper. If not, their number is unknown. */
export const isPendingRead = ({ coversAll, pendingAtMs }: Pick<KeeperStatus, 'coversAll' | 'pendingAtMs'>) =>
  coversAll || pendingAtMs !== null;

/** A message of the revision stream, sent at its start and then at most once a second. */
export type RevisionNews = {
  /** A number that changes when rows change, so that pages fetch them again. It is not a count. */
  revision: number;
  /** Time at which the message was sent, unix ms by the clock of the store. */
  nowMs: number;
  index: KeeperStatus[];
  /** Null while unknown. */
  pending: PendingCounts | null;
};

/**
 * Counts in the navigation, as of `atMs` by the clock of the services. `stuck` counts requests in incidents and single
 * ones, without acknowledged and parked requests. `worst` is their highest severity, as in `StuckCounts`. `complete` is
 * true for exact counts and false for minimums.
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

/** Age from which a stuck request outside of incidents is parked: it no longer counts as stuck. */
export const PARKED_AFTER_MS = DAY_MS;

/** Age from which rows are shown as outdated, ms: two consecutive reads are missing. */
export const STALE_AFTER_MS = 30_000;

/** The status at the time `takenMs` when it was recorded. It is not valid for later times. */
export function statusAt(status: KeeperStatus, takenMs: number): KeeperStatus {
  const { syncedAtMs, state, late } = status;
  if (state === 'failing' || syncedAtMs === null || takenMs - syncedAtMs <= STALE_AFTER_MS) {
    return { ...status, late: null };
  }
  return { ...status, state: 'stale', late: late ?? 'dashboard' };
}
