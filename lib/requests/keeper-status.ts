import type { FailureKind } from '@/lib/core/outcome';
import { DAY_MS } from '@/lib/core/time';

/**
 * Unix ms by the clock of the store (our server's, or the sandbox's), except `coveredFromMs`, which is a creation
 * time of rows. `syncing`: the history is being read. `stale`: not read for 30 s, three times the read interval.
 * `failing`: the last call failed.
 */
export type KeeperStatus = {
  keeper: string;
  state: 'syncing' | 'live' | 'stale' | 'failing';
  /** Watermark: the index has every row served before, as far back as it is covered. Null before the first read. */
  syncedAtMs: number | null;
  /** `syncedAtMs` is of a previous process: the keeper was not read since the start. */
  isRestored?: boolean | undefined;
  /** Cause of stale data: slow answers of the keeper, or the dashboard itself. */
  late: 'keeper' | 'dashboard' | null;
  /**
   * Set if the keeper lost most of its rows: those between `fromMs` (last read before) and `sinceMs` (discovery) may
   * be lost. It then counted `theirs` rows, of `ours` that it had served.
   */
  lost: { fromMs: number; sinceMs: number; theirs: number; ours: number } | null;
  /** Rows lost by the index: `rows` were missing at `sinceMs`; `left` still are while the history is read again. */
  vanished: { sinceMs: number; rows: number; left: number } | null;
  /** Time when the rows of the last read become visible, if later than `syncedAtMs`. */
  seenLateMs?: number | undefined;
  /** Time of the last query for all pending requests; null before the first. */
  pendingAtMs: number | null;
  /** The index has every row created since; null while there is no such time. */
  coveredFromMs: number | null;
  coversAll: boolean;
  /** Includes rows that the service no longer has. */
  rows: number;
  /** Null when the history is read. `expected` is null until the service has returned the number of rows. */
  history: { done: number; expected: number | null } | null;
  failure: { kind: FailureKind; detail: string; nextTryMs?: number } | null;
  /** Keeper's clock minus ours, ms; 0 if too small to matter. Ages of its rows are corrected by it. */
  clockAheadMs: number;
  audit: { atMs: number; ours: number; theirs: number; agrees: boolean } | null;
  unreadable: number;
  gone: number;
  /** Notes for the operator, such as "the service counts 300, delivers 299". */
  notes: string[];
  /** `memory` is lost when the process ends; `read-only` accepts no writes at the moment. */
  storage: 'file' | 'postgres' | 'memory' | 'read-only';
};

/** If false, the number of pending requests is unknown. */
export const isPendingRead = ({ coversAll, pendingAtMs }: Pick<KeeperStatus, 'coversAll' | 'pendingAtMs'>) =>
  coversAll || pendingAtMs !== null;

/** Sent at the start of the stream and then at most once a second. */
export type RevisionUpdate = {
  /** Changes when rows change, so that pages fetch them again. It is not a count. */
  revision: number;
  /** When the message was sent, by the clock of the store. */
  nowMs: number;
  index: KeeperStatus[];
  /** Null while unknown. */
  pending: PendingCounts | null;
};

/** Counts in the navigation, by the definition of `StuckCounts`. `complete` is false for minimums. */
export type PendingCounts = {
  atMs: number;
  pending: number;
  stuck: number;
  worst: 'none' | 'notice' | 'warning' | 'critical';
  acknowledged: number;
  parked: number;
  complete: boolean;
};

/** A network silent for longer counts as retired, unless its silence was noticed before. */
export const RETIRED_AFTER_MS = 30 * DAY_MS;

/** A stuck request of this age outside of incidents no longer counts as stuck. */
export const PARKED_AFTER_MS = DAY_MS;

/** Time from the first read of a keeper to that of its pending requests. */
export const MAX_UNREAD_MS = 60_000;

/** Age of a read from which data are stale: two consecutive reads are missing. */
export const STALE_AFTER_MS = 30_000;

/** The status as recorded at `takenMs`; not valid for later times. */
export function statusAt(status: KeeperStatus, takenMs: number): KeeperStatus {
  const { syncedAtMs, state, late, isRestored } = status;
  // The first read after a start is awaited, however old the last one is.
  const isAwaited = state === 'failing' || syncedAtMs === null || isRestored === true;
  if (isAwaited || takenMs - syncedAtMs <= STALE_AFTER_MS) {
    return { ...status, late: null };
  }
  return { ...status, state: 'stale', late: late ?? 'dashboard' };
}
