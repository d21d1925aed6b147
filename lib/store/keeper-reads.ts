import 'server-only';
import { type KeeperStatus, STALE_AFTER_MS } from '@/lib/requests/keeper-status';

/** A completed read: every row that the keeper served before `upToMs` (unix milliseconds) is in the index. */
export type KeeperRead = { keeper: string; upToMs: number };
/** A part of a read of the newest rows. With its last part, the read is complete up to `upToMs`. */
export type ReadPart = { upToMs: number; isLast: boolean };

/** The last read as the index stores it. */
export type StoredRead = { upToMs: number; clockAheadMs: number };

/** Age of a keeper's last read from which a view of several keepers may no longer wait for that keeper. */
const SOON_STALE_MS = STALE_AFTER_MS / 2;

/** A clock behind the last read by less stands still, as a sandbox's may; by more, it was set back. */
const MAX_STANDSTILL_MS = 1000;

/** Views are pinned to moments of reads, so that their rows stay the same while new ones are written. */
export class KeeperReads {
  readonly #status = new Map<string, KeeperStatus>();
  /** Moment at which the rows of the current write count as seen; below it that of the last write. */
  #writeSeenMs: number | undefined;
  #lastSeenMs = Number.NEGATIVE_INFINITY;

  /** @param now by the clock of the services @param sharedSeenMs last write of all processes, if there are several */
  constructor(
    private readonly now: () => number,
    private readonly sharedSeenMs: () => number | undefined,
  ) {}

  get statuses(): KeeperStatus[] {
    return [...this.#status.values()];
  }

  status(keeper: string): KeeperStatus | undefined {
    return this.#status.get(keeper);
  }

  setStatus(status: KeeperStatus): void {
    this.#status.set(status.keeper, status);
  }

  statusesAfter(read: KeeperRead | undefined): KeeperStatus[] {
    return this.statuses.map((status) =>
      read?.keeper === status.keeper
        ? this.#readTo(status, read.upToMs, this.#writeSeenMs ?? read.upToMs)
        : status,
    );
  }

  /** @param ms moment of the last write, if rows remain */
  resetSeen(ms = Number.NEGATIVE_INFINITY): void {
    this.#lastSeenMs = ms;
  }

  get writeSeenMs(): number | undefined {
    return this.#writeSeenMs;
  }

  /** @returns the moment at which the rows count as seen */
  beginWrite(keeper: string, part: ReadPart | undefined): number {
    this.#writeSeenMs = this.#nextSeenMs(keeper, part);
    return this.#writeSeenMs;
  }

  endWrite(): void {
    this.#lastSeenMs = Math.max(this.#lastSeenMs, this.#writeSeenMs ?? this.#lastSeenMs);
    this.#writeSeenMs = undefined;
  }

  /**
   * Moment at which the rows of a write count as seen: later than any to which a view of the keeper was pinned, so that
   * a pinned list never grows. Not later than the moment up to which these rows complete the read.
   */
  #nextSeenMs(keeper: string, part: ReadPart | undefined): number {
    const readMs = this.readUpToMs(keeper);
    if (readMs === null && part !== undefined) return Math.floor(part.upToMs);
    if (readMs === null)
      return Math.max(Math.floor(this.now()), (this.sharedSeenMs() ?? this.#lastSeenMs) + 1);
    const reads = [...this.#status.values()].map(({ syncedAtMs }) => syncedAtMs ?? readMs);
    // A stale keeper does not determine the moment of a view of several keepers; the others do.
    const pinnedMs = this.now() - readMs > SOON_STALE_MS ? Math.max(...reads) : readMs;
    return Math.floor(Math.max(pinnedMs, this.#status.get(keeper)?.seenLateMs ?? pinnedMs)) + 1;
  }

  clockAheadMs(keeper: string): number {
    return this.#status.get(keeper)?.clockAheadMs ?? 0;
  }

  /** Moment up to which every row of the keeper is in the index; null before the first read. */
  readUpToMs(keeper: string): number | null {
    return this.#status.get(keeper)?.syncedAtMs ?? null;
  }

  /** Records a read whose rows have been written. @param seenMs moment at which they count as seen */
  recordRead(keeper: string, upToMs: number, seenMs = upToMs): void {
    const previous = this.#status.get(keeper);
    if (previous !== undefined) this.#status.set(keeper, this.#readTo(previous, upToMs, seenMs));
  }

  /**
   * Restores the last read of a previous process, so that the keeper is judged as of it until it is read again.
   * @param seenMs last write of that process
   */
  restore(keeper: string, { upToMs, clockAheadMs }: StoredRead, seenMs: number): void {
    this.recordRead(keeper, Math.min(upToMs, this.now()), seenMs);
    const status = this.#status.get(keeper);
    if (status !== undefined) this.#status.set(keeper, { ...status, clockAheadMs, isRestored: true });
  }

  #readTo(before: KeeperStatus, readMs: number, seenMs: number): KeeperStatus {
    const behindMs = (before.syncedAtMs ?? Number.NEGATIVE_INFINITY) - readMs;
    // A clock that stands still cannot order reads, so the moment of the rows does.
    const isStanding = behindMs >= 0 && behindMs < MAX_STANDSTILL_MS;
    const upToMs = isStanding ? Math.max(readMs, seenMs) : readMs;
    // Rows seen before the clock was set back are included as well.
    const lastMs = before.syncedAtMs === null ? Math.max(seenMs, this.#lastSeenMs) : seenMs;
    const seenLateMs = lastMs > upToMs ? lastMs : undefined;
    return { ...before, syncedAtMs: upToMs, seenLateMs, isRestored: undefined };
  }

  /**
   * The latest moment to show: each keeper that is not stale was read up to it, and later rows count as seen after it.
   * Before the first read it is the present, in steps of `stepMs`.
   */
  latestMs(keepers: readonly string[], stepMs: number): number {
    const reads = keepers.flatMap((keeper) => {
      const readMs = this.readUpToMs(keeper);
      const lateMs = this.#status.get(keeper)?.seenLateMs;
      return readMs === null ? [] : Math.floor(Math.max(readMs, lateMs ?? readMs));
    });
    if (reads.length === 0) return this.#presentMs(stepMs);
    const fresh = reads.filter((ms) => this.now() - ms <= STALE_AFTER_MS);
    return fresh.length === 0 ? Math.max(...reads) : Math.min(...fresh);
  }

  /**
   * End of a range, never in the future. After a clock was ahead, the last hour of a view ends when the keepers were
   * last read.
   */
  rangeEndMs(momentMs: number, keepers: readonly string[]): number {
    const nowMs = this.now();
    if (momentMs - nowMs < MAX_STANDSTILL_MS) return momentMs;
    return Math.floor(Math.min(nowMs, ...keepers.map((keeper) => this.readUpToMs(keeper) ?? nowMs)));
  }

  #presentMs(stepMs: number): number {
    // Another process may be writing, so the moment of the leader is used.
    const sharedMs = this.sharedSeenMs() ?? 0;
    if (sharedMs > 0) return sharedMs;
    const settledMs = this.#writeSeenMs === undefined ? Math.floor(this.now()) : this.#writeSeenMs - 1;
    return Math.max(this.#lastSeenMs, Math.floor(settledMs / stepMs) * stepMs);
  }
}

export function unsyncedStatus(keeper: string, storage: KeeperStatus['storage']): KeeperStatus {
  return {
    keeper,
    storage,
    state: 'syncing',
    notes: [],
    syncedAtMs: null,
    pendingAtMs: null,
    history: null,
    failure: null,
    audit: null,
    late: null,
    lost: null,
    vanished: null,
    clockAheadMs: 0,
    coveredFromMs: null,
    coversAll: false,
    rows: 0,
    unreadable: 0,
    gone: 0,
  };
}
