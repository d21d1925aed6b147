import 'server-only';
import { tmpdir } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import type { LogRow } from '@/lib/core/request-record';
import { type KeeperStatus, statusAt } from '@/lib/requests/keeper-status';
import type { ClusterState, ClusterWork } from './cluster-state';
import { type Engine, type EngineEvent, oneRow, type Session } from './engine';
import { type Ingested, PreparedRows } from './ingest';
import { type KeeperRead, KeeperReads, type ReadPart, unsyncedStatus } from './keeper-reads';
import { enterKeepers, type IndexedKeeper, insertKeepers, type KeeperAddress } from './keepers';
import { countRows, readLastRead, writeRead } from './queries/sync';

type StorageKind = KeeperStatus['storage'];

export type StoreOptions = {
  keepers: readonly KeeperAddress[];
  /** Location of a writable index. */
  storage: Exclude<StorageKind, 'read-only'>;
  /** Unix milliseconds by the clock of the services. */
  now: () => number;
  /** Notes for the operator on the state of the storage. */
  notes?: () => string[];
  /** Folder for temporary files, by default the system's. */
  temporaryFolder?: string | undefined;
  /** State shared with other processes, if they share the index. */
  shared?: ClusterState | undefined;
};

type Listener = (revision: number) => void;

/** A running sync, as the store needs it. */
export type AttachedSync = {
  /** Tells why a keeper is late. */
  lateBy: (keeper: string) => NonNullable<KeeperStatus['late']>;
  /** Reads at once, because the first viewer has arrived. */
  wake: () => void;
};

type StoreWork<T> = (
  ...args: Parameters<ClusterWork<T>>
) => Promise<Awaited<ReturnType<ClusterWork<T>>> & { read?: KeeperRead }>;

/** `alongside` runs after the rows in the same transaction. `read`: the rows belong to a read of the newest rows. */
type IngestWith = {
  alongside?: ((session: Session) => Promise<void>) | undefined;
  read?: ReadPart | undefined;
};

/** The revision grows with every visible change: the same query at the same revision has the same answer. */
export class IndexStore {
  readonly reads: KeeperReads;
  readonly #listeners = new Set<Listener>();
  #revision = 1;
  #lastIssued = 1;
  #epoch = 0;
  readonly #keepersWithRows = new Set<number>();
  #viewers = 0;
  #lastSharedState: unknown;
  #wasWatched = false;
  readonly #replacedListeners = new Set<() => void>();
  #sync: AttachedSync | undefined;

  private constructor(
    /** Engine that the queries in `lib/store/queries` use directly. */
    readonly engine: Engine,
    private readonly options: StoreOptions,
    readonly keepers: readonly IndexedKeeper[],
  ) {
    this.reads = new KeeperReads(options.now, () => options.shared?.state.seenMs);
    this.#forgetStatus();
  }

  /** @throws Error of the engine */
  static async open(engine: Engine, options: StoreOptions): Promise<IndexStore> {
    const store = new IndexStore(engine, options, await enterKeepers(engine, options.keepers));
    const { shared } = options;
    // Counts of existing rows are known before the first call to a service.
    for (const { name, keeperId } of store.keepers) {
      const { oldestUs: _oldest, ...counts } = await countRows(engine, keeperId);
      store.report(name, counts);
      if (counts.rows > 0) store.#keepersWithRows.add(keeperId);
    }
    engine.onEvent((event) => void store.#onEngineEvent(event));
    if (shared !== undefined) {
      await store.#restoreReads(shared.state.seenMs);
      shared.onChange(() => store.#onSharedChange(shared));
      store.#onSharedChange(shared);
      shared.share(() => ({ status: store.#statusText(), isWatched: store.#viewers > 0 }));
      return store;
    }
    const { rev, seen } = await oneRow<{ rev: number | null; seen: number | null }>(
      engine.background,
      'select max(rev) as rev, max(visible_us) as seen from requests',
    );
    const seenMs = Math.ceil((seen ?? Number.NEGATIVE_INFINITY) / 1000);
    store.reads.resetSeen(seenMs);
    await store.#restoreReads(seenMs);
    // The revision must differ from any that a page may know from a previous process.
    store.#revision = Math.max((rev ?? 0) + 1, Date.now());
    store.#lastIssued = store.#revision;
    return store;
  }

  async #restoreReads(seenMs: number): Promise<void> {
    for (const { name, keeperId } of this.keepers) {
      const read = await readLastRead(this.engine, keeperId);
      if (read !== undefined) this.reads.restore(name, read, seenMs);
    }
  }

  get revision(): number {
    return this.options.shared?.state.revision ?? this.#revision;
  }

  /** Grows when everything is deleted, so that earlier answers are not reused. */
  get epoch(): number {
    return this.options.shared?.state.epoch ?? this.#epoch;
  }

  /** The leader syncs and records incidents. */
  get isLeader(): boolean {
    return this.options.shared?.isLeader ?? true;
  }

  /** Verified with the database. @throws IndexNotWritableError if this process is not the leader */
  async confirmLeader(): Promise<void> {
    await this.options.shared?.write(async () => ({ result: undefined, isChange: false }));
  }

  get shared(): ClusterState | undefined {
    return this.options.shared;
  }

  get temporaryFolder(): string {
    return this.options.temporaryFolder ?? tmpdir();
  }

  get storage(): StorageKind {
    return this.engine.isWritable ? this.options.storage : 'read-only';
  }

  now(): number {
    return this.options.now();
  }

  /** All ids if no name is given. Unknown names are ignored. */
  keeperIds(names: readonly string[] = []): number[] {
    const chosen = this.keepers.filter(({ name }) => names.length === 0 || names.includes(name));
    return chosen.map(({ keeperId }) => keeperId);
  }

  keeperName(keeperId: number): string {
    return this.keepers.find((keeper) => keeper.keeperId === keeperId)?.name ?? '';
  }

  async ingest(
    keeperId: number,
    rows: readonly LogRow[] | PreparedRows,
    as: 'new' | 'history',
    { alongside, read: part }: IngestWith = {},
  ): Promise<Ingested> {
    const prepared = rows instanceof PreparedRows ? rows : await new PreparedRows(keeperId).add(rows);
    const keeper = this.keeperName(keeperId);
    return this.write(async (session, revision) => {
      const seenMs = this.reads.beginWrite(keeper, part);
      const nowUs = Math.floor(this.options.now()) * 1000;
      const times = { nowUs, visibleUs: seenMs * 1000 };
      const result = await prepared.put(session, this.engine.dialect, { as, revision, ...times });
      await alongside?.(session);
      if (part?.isLast) {
        const clockAheadMs = this.reads.clockAheadMs(keeper);
        await writeRead(session, keeperId, { upToMs: part.upToMs, clockAheadMs });
      }
      if (result.added > 0) this.#keepersWithRows.add(keeperId);
      // A first read without rows is a change too: it shows that there are none.
      const isFirst = part?.isLast === true && this.reads.readUpToMs(keeper) === null;
      const isChange = isFirst || result.added + result.changed > 0;
      return part?.isLast
        ? { result, isChange, read: { keeper, upToMs: part.upToMs } }
        : { result, isChange };
    });
  }

  /** Counts are unknown if none of these keepers has been read or has rows. */
  isCounting(keepers: readonly string[]): boolean {
    return this.keepers.every(
      ({ keeperId, name }) =>
        !keepers.includes(name) ||
        (!this.#keepersWithRows.has(keeperId) && this.reads.readUpToMs(name) === null),
    );
  }

  /** After the commit, listeners get the new revision. */
  async write<T>(work: StoreWork<T>): Promise<T> {
    const { shared } = this.options;
    let revision = 0;
    try {
      if (shared !== undefined) {
        const revisionBefore = shared.state.revision;
        let read: KeeperRead | undefined;
        const result = await shared.write(async (session, next) => {
          const done = await work(session, next);
          read = done.read;
          // The status is part of the write, so that other processes see rows and moment together.
          const status = read && this.#statusText(read);
          return { ...done, seenMs: this.reads.writeSeenMs, status };
        });
        if (read !== undefined) this.reads.recordRead(read.keeper, read.upToMs, this.reads.writeSeenMs);
        if (shared.state.revision !== revisionBefore) this.#notify();
        return result;
      }
      const { result, isChange, read } = await this.engine.write((session) => {
        this.#lastIssued += 1;
        revision = this.#lastIssued;
        return work(session, revision);
      });
      // The read is recorded before listeners run, because views of these rows use its moment.
      if (read !== undefined) this.reads.recordRead(read.keeper, read.upToMs, this.reads.writeSeenMs);
      if (isChange) this.#publish(revision);
      return result;
    } finally {
      this.reads.endWrite();
    }
  }

  /** @param read result of the current write, applied in advance */
  #statusText(read?: KeeperRead): string {
    const all = this.reads
      .statusesAfter(read)
      .map((status) => [status.keeper, { ...status, late: this.#sync?.lateBy(status.keeper) ?? null }]);
    return JSON.stringify(Object.fromEntries(all));
  }

  #publish(revision: number): void {
    this.#revision = Math.max(this.#revision, revision);
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener(this.revision);
  }

  /** Publishes a change that is not in the rows, here and in other processes. */
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

  /** @param listener called when an empty index has replaced a broken or deleted one: all history must be read again */
  onReplaced(listener: () => void): void {
    this.#replacedListeners.add(listener);
  }

  /** @returns a function that detaches the sync */
  attachSync(sync: AttachedSync): () => void {
    this.#sync = sync;
    return () => {
      if (this.#sync === sync) this.#sync = undefined;
    };
  }

  /** While there is a viewer, rows are synced more often. @returns a function that removes the viewer */
  addViewer(): () => void {
    this.#viewers += 1;
    if (this.#viewers === 1) this.#sync?.wake();
    let isOver = false;
    return () => {
      if (!isOver) this.#viewers -= 1;
      isOver = true;
    };
  }

  get isWatched(): boolean {
    return this.#viewers > 0 || this.options.shared?.state.isWatched === true;
  }

  status(): KeeperStatus[] {
    const { storage, options } = this;
    const notes = options.notes?.() ?? [];
    return this.reads.statuses.map((status) => {
      const late = this.#sync?.lateBy(status.keeper) ?? status.late;
      return statusAt({ ...status, storage, late, notes: [...notes, ...status.notes] }, options.now());
    });
  }

  report(keeper: string, change: Partial<Omit<KeeperStatus, 'keeper' | 'storage'>>): void {
    const previous = this.reads.status(keeper);
    if (previous === undefined) return;
    const changed = { ...previous, ...change };
    this.reads.setStatus(changed);
    // Pages must learn at once when a keeper fails or works again.
    if (changed.state !== previous.state) this.#notify();
  }

  async empty(): Promise<void> {
    await this.write(async (session) => {
      for (const table of ['requests', 'unreadable', 'coverage', 'discrepancies', 'keeper_facts']) {
        await session.run(`delete from ${table}`);
      }
      this.#forgetStatus();
      this.reads.resetSeen();
      return { result: undefined, isChange: true, isReset: true };
    });
    this.#epoch += 1;
  }

  /** Pages show the storage, so its events are published like changes of rows. */
  async #onEngineEvent(event: EngineEvent): Promise<void> {
    if (event === 'replaced') this.#forgetStatus();
    // A new database has no keepers. If inserting them fails, they are inserted once writing works.
    if (event !== 'read-only') {
      await this.engine.write((session) => insertKeepers(session, this.keepers)).catch(() => undefined);
    }
    this.#lastIssued += 1;
    if (event === 'replaced') this.#epoch += 1;
    this.#publish(this.#lastIssued);
    if (event === 'replaced') for (const listener of this.#replacedListeners) listener();
  }

  #onSharedChange({ isLeader, state }: ClusterState): void {
    if (!isLeader) {
      const leaderStatus = JSON.parse(state.status) as Record<string, KeeperStatus>;
      // A leader with an older version reports fewer members.
      for (const { name } of this.keepers) {
        const reported = leaderStatus[name];
        if (reported !== undefined)
          this.reads.setStatus({ ...unsyncedStatus(name, this.storage), ...reported, keeper: name });
      }
    }
    const states = this.reads.statuses.map(({ state: syncState }) => syncState);
    const sharedState = { revision: state.revision, states };
    if (!isDeepStrictEqual(sharedState, this.#lastSharedState)) this.#notify();
    this.#lastSharedState = sharedState;
    if (isLeader && state.isWatched && !this.#wasWatched) this.#sync?.wake();
    this.#wasWatched = state.isWatched;
  }

  #forgetStatus(): void {
    for (const { name } of this.keepers) this.reads.setStatus(unsyncedStatus(name, this.storage));
    this.#keepersWithRows.clear();
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    this.#replacedListeners.clear();
    await this.options.shared?.close();
    await this.engine.close();
  }
}
