import 'server-only';
import { tmpdir } from 'node:os';
import type { LogRow } from '@/lib/core/request-record';
import { type KeeperStatus, STALE_AFTER_MS, statusAt } from '@/lib/requests/keeper-status';
import { type Engine, type EngineEvent, oneRow, type Session } from './engine';
import { type Ingested, PreparedRows } from './ingest';
import type { StuckRows } from './queries/insights';
import { countRows } from './queries/sync';
import { sql } from './sql';

/** A log service whose rows are indexed. Another address under the same name is another keeper. */
type KeeperAddress = { name: string; baseUrl: string };

export type IndexedKeeper = KeeperAddress & { keeperId: number };

/** Location of the index: `read-only` while nothing can be written. */
type StorageKind = KeeperStatus['storage'];

export type StoreOptions = {
  keepers: readonly KeeperAddress[];
  /** Location of the index while it is writable. */
  storage: Exclude<StorageKind, 'read-only'>;
  /** Unix milliseconds by the clock of the services. */
  now: () => number;
  /** Notes for the operator on the state of the storage. */
  notes?: () => string[];
  /** Folder for temporary files; the system's folder by default. */
  temporaryFolder?: string | undefined;
  /** Set if other processes share the index. */
  shared?: Shared | undefined;
};

/**
 * Work within a shared write. `seenMs`: moment up to which rows count as seen, unix milliseconds. `isReset`:
 * everything was deleted. `status`: status of the sync as JSON, if it changes with these rows.
 */
export type SharedWork<T> = (
  session: Session,
  revision: number,
) => Promise<{
  result: T;
  isChange: boolean;
  seenMs?: number | undefined;
  isReset?: boolean;
  status?: string | undefined;
}>;

/** State that processes with one index share. The leader syncs and writes rows; its state applies to all. */
export type Shared = {
  readonly isLeader: boolean;
  /** `status`: of the sync, as JSON. `isWatched`: some process has viewers. */
  readonly state: { revision: number; epoch: number; seenMs: number; status: string; isWatched: boolean };
  write<T>(work: SharedWork<T>): Promise<T>;
  /** Makes all processes refresh what they show. */
  touch(): Promise<void>;
  /** Called when another process has changed something. */
  onChange(listener: () => void): void;
  /** State that this process shares: of the sync, if it is the leader, and whether it has viewers. */
  localState: () => { status: string; isWatched: boolean };
  /** Called when this process becomes the leader, or stops being it. */
  onLeader: ((isLeader: boolean) => void) | undefined;
  /** Ended sessions by id, until the last expiry of their tokens (unix seconds). */
  readonly endedSessions: ReadonlyMap<string, number>;
  endSession(id: string, untilS: number): Promise<void>;
  /** Joins the election of the leader. */
  start(): void;
  close(): Promise<void>;
};

type Listener = (revision: number) => void;

/** Age of a read from which a view of several keepers may no longer wait for this keeper. */
const SOON_STALE_MS = STALE_AFTER_MS / 2;

/** A completed read: every row that the keeper served before `upToMs` (unix milliseconds) is in the index. */
type Read = { keeper: string; upToMs: number };
type StoreWork<T> = (
  ...args: Parameters<SharedWork<T>>
) => Promise<Awaited<ReturnType<SharedWork<T>>> & { read?: Read }>;

/** A clock that is behind the last read by less is taken as standing still, like a sandbox's; by more, as set back. */
const MAX_STANDSTILL_MS = 1000;

/**
 * A part of a read of the newest rows: when the read was started, unix milliseconds, and whether it is the last part.
 */
export type ReadPart = { requestedAtMs: number; isLast: boolean };

/**
 * `alongside` runs in the same transaction after the rows. `read`: set if the rows belong to a read of the newest rows.
 */
type IngestWith = {
  alongside?: ((session: Session) => Promise<void>) | undefined;
  read?: ReadPart | undefined;
};

/**
 * The index of all rows of all keepers. Its revision grows by one with every visible change, so the same
 * query at the same revision has the same answer.
 */
export class IndexStore {
  readonly #listeners = new Set<Listener>();
  readonly #status = new Map<string, KeeperStatus>();
  #revision = 1;
  #lastIssued = 1;
  #epoch = 0;
  /** Moment at which the rows of the current write count as seen, and of the last write; unix milliseconds. */
  #writeSeenMs: number | undefined;
  #lastSeenMs = Number.NEGATIVE_INFINITY;
  /** Keepers that have rows. */
  readonly #keepersWithRows = new Set<number>();
  #viewers = 0;
  #lastSharedState = '';
  #wasWatched = false;
  /**
   * Stuck pending rows, as the triage last determined them. All pages count with them, so that their figures
   * agree. Undefined before the first triage.
   */
  stuckRows: StuckRows | undefined;
  /** Returns what delays the sync of a keeper; set by the sync. */
  lateBy: ((keeper: string) => NonNullable<KeeperStatus['late']>) | undefined;
  /** Called when the first viewer arrives. */
  onWatched: (() => void) | undefined;
  /** Called when all rows were lost with a broken file. */
  onLost: (() => void) | undefined;

  private constructor(
    /** For the queries of `lib/store/queries`. */
    readonly engine: Engine,
    private readonly options: StoreOptions,
    readonly keepers: readonly IndexedKeeper[],
  ) {
    this.#forgetStatus();
  }

  /** Finds or registers the keepers. @throws Error of the engine */
  static async open(engine: Engine, options: StoreOptions): Promise<IndexStore> {
    const store = new IndexStore(engine, options, await enterKeepers(engine, options.keepers));
    const { shared } = options;
    // Existing counts are known before the first call to a service.
    for (const { name, keeperId } of store.keepers) {
      const { oldestUs: _oldest, ...counts } = await countRows(engine, keeperId);
      store.report(name, counts);
      if (counts.rows > 0) store.#keepersWithRows.add(keeperId);
    }
    engine.onEvent((event) => void store.#onEngineEvent(event));
    if (shared !== undefined) {
      shared.onChange(() => store.#onSharedChange(shared));
      store.#onSharedChange(shared);
      shared.localState = () => ({
        status: store.#statusText(),
        isWatched: store.#viewers > 0,
      });
      return store;
    }
    const { rev, seen } = await oneRow<{ rev: number | null; seen: number | null }>(
      engine.background,
      'select max(rev) as rev, max(visible_us) as seen from requests',
    );
    store.#lastSeenMs = Math.ceil((seen ?? Number.NEGATIVE_INFINITY) / 1000);
    // Must differ from any revision that a page may know from a previous process.
    store.#revision = Math.max((rev ?? 0) + 1, Date.now());
    store.#lastIssued = store.#revision;
    return store;
  }

  get revision(): number {
    return this.options.shared?.state.revision ?? this.#revision;
  }

  /** Grows when everything is deleted, so that earlier answers are not reused. */
  get epoch(): number {
    return this.options.shared?.state.epoch ?? this.#epoch;
  }

  /** Whether this process is the leader, which syncs and records incidents. */
  get isLeader(): boolean {
    return this.options.shared?.isLeader ?? true;
  }

  /** Verifies with the database that this process is still the leader. @throws IndexNotWritableError if it is not */
  async confirmLeader(): Promise<void> {
    await this.options.shared?.write(async () => ({ result: undefined, isChange: false }));
  }

  get shared(): Shared | undefined {
    return this.options.shared;
  }

  get temporaryFolder(): string {
    return this.options.temporaryFolder ?? tmpdir();
  }

  get storage(): StorageKind {
    return this.engine.isWritable ? this.options.storage : 'read-only';
  }

  /** Unix milliseconds by the clock of the services. */
  now(): number {
    return this.options.now();
  }

  /** Ids of the keepers with these names; all ids if none is given. Unknown names are left out. */
  keeperIds(names: readonly string[] = []): number[] {
    const chosen = this.keepers.filter(({ name }) => names.length === 0 || names.includes(name));
    return chosen.map(({ keeperId }) => keeperId);
  }

  keeperName(keeperId: number): string {
    return this.keepers.find((keeper) => keeper.keeperId === keeperId)?.name ?? '';
  }

  /** Writes rows of a keeper. */
  async ingest(
    keeperId: number,
    rows: readonly LogRow[] | PreparedRows,
    as: 'new' | 'history',
    { alongside, read: part }: IngestWith = {},
  ): Promise<Ingested> {
    const prepared = rows instanceof PreparedRows ? rows : await new PreparedRows(keeperId).add(rows);
    const keeper = this.keeperName(keeperId);
    return this.write(async (session, revision) => {
      this.#writeSeenMs = this.#nextSeenMs(keeper, part);
      const nowUs = Math.floor(this.options.now()) * 1000;
      const times = { nowUs, visibleUs: this.#writeSeenMs * 1000 };
      const result = await prepared.put(session, this.engine.dialect, { as, revision, ...times });
      await alongside?.(session);
      if (result.added > 0) this.#keepersWithRows.add(keeperId);
      // A first read without rows is a change too: it is now known that there are none.
      const isFirst = part?.isLast === true && this.readUpToMs(keeper) === null;
      const isChange = isFirst || result.added + result.changed > 0;
      return part?.isLast
        ? { result, isChange, read: { keeper, upToMs: part.requestedAtMs } }
        : { result, isChange };
    });
  }

  /**
   * Moment at which the rows of the next write count as seen, unix milliseconds. It is later than any moment
   * that a view of the keeper was pinned to, so that a pinned list never grows, and not later than the moment
   * up to which these rows complete the read.
   */
  #nextSeenMs(keeper: string, part: ReadPart | undefined): number {
    const { now, shared } = this.options;
    const readMs = this.readUpToMs(keeper);
    if (readMs === null && part !== undefined) return Math.floor(part.requestedAtMs);
    if (readMs === null) return Math.max(Math.floor(now()), (shared?.state.seenMs ?? this.#lastSeenMs) + 1);
    const reads = [...this.#status.values()].map(({ syncedAtMs }) => syncedAtMs ?? readMs);
    // A stale keeper does not define the moment of a view of several keepers; the others do.
    const pinnedMs = now() - readMs > SOON_STALE_MS ? Math.max(...reads) : readMs;
    return Math.floor(Math.max(pinnedMs, this.#status.get(keeper)?.seenLateMs ?? pinnedMs)) + 1;
  }

  /** How far the clock of a keeper's rows is ahead of ours, in ms (`KeeperStatus`). */
  clockAheadMs(keeper: string): number {
    return this.#status.get(keeper)?.clockAheadMs ?? 0;
  }

  /** Unix milliseconds; null before the first read. */
  readUpToMs(keeper: string): number | null {
    return this.#status.get(keeper)?.syncedAtMs ?? null;
  }

  /**
   * Records a completed read whose rows are written.
   * @param seenMs moment at which they count as seen; unix milliseconds
   */
  recordRead(keeper: string, requestedAtMs: number, seenMs = requestedAtMs): void {
    const before = this.#status.get(keeper);
    if (before !== undefined) this.#status.set(keeper, this.#readTo(before, requestedAtMs, seenMs));
  }

  #readTo(before: KeeperStatus, requestedAtMs: number, seenMs: number): KeeperStatus {
    const behindMs = (before.syncedAtMs ?? Number.NEGATIVE_INFINITY) - requestedAtMs;
    // A clock that stands still cannot order reads, so the moment of the rows does.
    const isStanding = behindMs >= 0 && behindMs < MAX_STANDSTILL_MS;
    const upToMs = isStanding ? Math.max(requestedAtMs, seenMs) : requestedAtMs;
    // Rows seen before the clock was set back are included as well.
    const lastMs = before.syncedAtMs === null ? Math.max(seenMs, this.#lastSeenMs) : seenMs;
    return { ...before, syncedAtMs: upToMs, seenLateMs: lastMs > upToMs ? lastMs : undefined };
  }

  /**
   * The moment of a view of these keepers, unix milliseconds: each keeper that is not stale was read up to
   * it, and later rows count as seen after it. Before the first read it is the present, in steps of `stepMs`.
   */
  momentMs(keepers: readonly string[], stepMs: number): number {
    const reads = keepers.flatMap((keeper) => {
      const readMs = this.readUpToMs(keeper);
      const lateMs = this.#status.get(keeper)?.seenLateMs;
      return readMs === null ? [] : Math.floor(Math.max(readMs, lateMs ?? readMs));
    });
    if (reads.length === 0) return this.#presentMs(stepMs);
    const fresh = reads.filter((ms) => this.options.now() - ms <= STALE_AFTER_MS);
    return fresh.length === 0 ? Math.max(...reads) : Math.min(...fresh);
  }

  /**
   * End of the relative ranges of a view, unix ms: its own moment, but never in the future. After a clock was ahead,
   * some rows count as seen later than now. The view includes them, and its last hour ends when the keepers were last
   * read.
   */
  rangeEndMs(momentMs: number, keepers: readonly string[]): number {
    const nowMs = this.options.now();
    if (momentMs - nowMs < MAX_STANDSTILL_MS) return momentMs;
    return Math.floor(Math.min(nowMs, ...keepers.map((keeper) => this.readUpToMs(keeper) ?? nowMs)));
  }

  #presentMs(stepMs: number): number {
    const { shared } = this.options;
    // Another process may be writing, so the moment of the leader counts.
    if (shared !== undefined && shared.state.seenMs > 0) return shared.state.seenMs;
    const settledMs =
      this.#writeSeenMs === undefined ? Math.floor(this.options.now()) : this.#writeSeenMs - 1;
    return Math.max(this.#lastSeenMs, Math.floor(settledMs / stepMs) * stepMs);
  }

  /** Whether counts of these keepers are unknown, because none of them has been read or has rows. */
  isCounting(keepers: readonly string[]): boolean {
    return this.keepers.every(
      ({ keeperId, name }) =>
        !keepers.includes(name) || (!this.#keepersWithRows.has(keeperId) && this.readUpToMs(name) === null),
    );
  }

  /** Runs a transaction that may change what is visible. Listeners learn the revision after the commit. */
  async write<T>(work: StoreWork<T>): Promise<T> {
    const { shared } = this.options;
    let revision = 0;
    try {
      if (shared !== undefined) {
        const before = shared.state.revision;
        let read: Read | undefined;
        const result = await shared.write(async (session, next) => {
          const done = await work(session, next);
          read = done.read;
          // The status travels with the write, so that other processes see rows and moment together.
          const status = read && this.#statusText(read);
          return { ...done, seenMs: this.#writeSeenMs, status };
        });
        if (read !== undefined) this.recordRead(read.keeper, read.upToMs, this.#writeSeenMs);
        if (shared.state.revision !== before) this.#notify();
        return result;
      }
      const { result, isChange, read } = await this.engine.write((session) => {
        this.#lastIssued += 1;
        revision = this.#lastIssued;
        return work(session, revision);
      });
      // Before listeners run, because views of these rows use the moment of this read.
      if (read !== undefined) this.recordRead(read.keeper, read.upToMs, this.#writeSeenMs);
      if (isChange) this.#publish(revision);
      return result;
    } finally {
      this.#lastSeenMs = Math.max(this.#lastSeenMs, this.#writeSeenMs ?? this.#lastSeenMs);
      this.#writeSeenMs = undefined;
    }
  }

  /** The status of all keepers as JSON. @param read result of the current write, applied in advance */
  #statusText(read?: Read): string {
    const all = [...this.#status].map(([name, status]): [string, KeeperStatus] => {
      const isRead = read?.keeper === name;
      const updated = isRead ? this.#readTo(status, read.upToMs, this.#writeSeenMs ?? read.upToMs) : status;
      return [name, { ...updated, late: this.lateBy?.(name) ?? null }];
    });
    return JSON.stringify(Object.fromEntries(all));
  }

  #publish(revision: number): void {
    this.#revision = Math.max(this.#revision, revision);
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener(this.revision);
  }

  /** Publishes a change outside the rows, here and in other processes. */
  async touch(): Promise<void> {
    const { shared } = this.options;
    if (shared === undefined) await this.write(async () => ({ result: undefined, isChange: true }));
    else await shared.touch();
  }

  /** @returns a function that ends the subscription */
  onRevision(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Registers a viewer. While there is one, rows are synced more often. @returns a function that removes the viewer */
  addViewer(): () => void {
    this.#viewers += 1;
    if (this.#viewers === 1) this.onWatched?.();
    let isOver = false;
    return () => {
      if (!isOver) this.#viewers -= 1;
      isOver = true;
    };
  }

  get isWatched(): boolean {
    return this.#viewers > 0 || this.options.shared?.state.isWatched === true;
  }

  /** Status of each keeper, in their order. */
  status(): KeeperStatus[] {
    const { storage, options } = this;
    const notes = options.notes?.() ?? [];
    return [...this.#status.values()].map((status) => {
      const late = this.lateBy?.(status.keeper) ?? status.late;
      return statusAt({ ...status, storage, late, notes: [...notes, ...status.notes] }, options.now());
    });
  }

  report(keeper: string, change: Partial<Omit<KeeperStatus, 'keeper' | 'storage'>>): void {
    const before = this.#status.get(keeper);
    if (before === undefined) return;
    const now = { ...before, ...change };
    this.#status.set(keeper, now);
    // Pages must learn at once when a keeper fails or works again.
    if (now.state !== before.state) this.#notify();
  }

  /** Deletes all rows and the known coverage. */
  async empty(): Promise<void> {
    await this.write(async (session) => {
      for (const table of ['requests', 'unreadable', 'coverage', 'discrepancies', 'keeper_facts']) {
        await session.run(`delete from ${table}`);
      }
      this.#forgetStatus();
      this.#lastSeenMs = Number.NEGATIVE_INFINITY;
      return { result: undefined, isChange: true, isReset: true };
    });
    this.#epoch += 1;
  }

  /** Publishes an event of the storage like a change of rows, because pages show it. */
  async #onEngineEvent(event: EngineEvent): Promise<void> {
    if (event === 'replaced') this.#forgetStatus();
    // A new database has no keepers. If this fails, they are inserted once writing works.
    if (event !== 'read-only') {
      await this.engine.write((session) => insertKeepers(session, this.keepers)).catch(() => undefined);
    }
    this.#lastIssued += 1;
    if (event === 'replaced') this.#epoch += 1;
    this.#publish(this.#lastIssued);
    if (event === 'replaced') this.onLost?.();
  }

  /** Publishes changes of other processes: new rows, failures and recoveries of keepers, and viewers elsewhere. */
  #onSharedChange({ isLeader, state }: Shared): void {
    if (!isLeader) {
      const leaderStatus = JSON.parse(state.status) as Record<string, KeeperStatus>;
      // A leader with an older version reports fewer members.
      for (const keeper of this.#status.keys()) {
        const reported = leaderStatus[keeper];
        if (reported !== undefined)
          this.#status.set(keeper, { ...unsynced(keeper, this.storage), ...reported });
      }
    }
    const states = [...this.#status.values()].map((status) => status.state);
    const sharedState = JSON.stringify([state.revision, states]);
    if (sharedState !== this.#lastSharedState) this.#notify();
    this.#lastSharedState = sharedState;
    if (isLeader && state.isWatched && !this.#wasWatched) this.onWatched?.();
    this.#wasWatched = state.isWatched;
  }

  #forgetStatus(): void {
    for (const { name } of this.keepers) this.#status.set(name, unsynced(name, this.storage));
    this.#keepersWithRows.clear();
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    await this.options.shared?.close();
    await this.engine.close();
  }
}

function unsynced(keeper: string, storage: StorageKind): KeeperStatus {
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

/** Registers the keepers. Another process may do the same, so the result is read again. */
async function enterKeepers(engine: Engine, keepers: readonly KeeperAddress[]): Promise<IndexedKeeper[]> {
  for (let tries = 1; ; tries += 1) {
    const existing = await engine.background.all<IndexedKeeper>(
      'select keeper_id as "keeperId", name, base_url as "baseUrl" from keepers',
    );
    let last = Math.max(0, ...existing.map(({ keeperId }) => keeperId));
    const unknown: IndexedKeeper[] = [];
    const entered = keepers.map(({ name, baseUrl }) => {
      const match = existing.find((keeper) => keeper.name === name && keeper.baseUrl === baseUrl);
      if (match !== undefined) return match;
      last += 1;
      const keeper = { name, baseUrl, keeperId: last };
      unknown.push(keeper);
      return keeper;
    });
    // If nothing can be written yet, the keepers are inserted once writing works.
    if (unknown.length === 0 || !engine.isWritable || tries > keepers.length + 1) return entered;
    await engine.write((session) => insertKeepers(session, unknown));
  }
}

async function insertKeepers(session: Session, keepers: readonly IndexedKeeper[]): Promise<void> {
  for (const { keeperId, name, baseUrl } of keepers) {
    await session.run(
      sql`insert into keepers values (${keeperId}, ${name}, ${baseUrl}) on conflict (keeper_id) do nothing`,
    );
  }
}
