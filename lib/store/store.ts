import 'server-only';
import { tmpdir } from 'node:os';
import type { LogRow } from '@/lib/core/request-record';
import { type KeeperStatus, STALE_AFTER_MS, statusAt } from '@/lib/requests/keeper-status';
import { type Engine, type EngineEvent, oneRow, type Session } from './engine';
import { type Ingested, PreparedRows } from './ingest';
import type { StuckRows } from './queries/insights';
import { countRows } from './queries/sync';
import { sql } from './sql';

/** A log service whose rows are kept: its name and where it is. Another address under the same name is another index. */
export type KeeperAddress = { name: string; baseUrl: string };

export type IndexedKeeper = KeeperAddress & { keeperId: number };

/** Where the index lives: `read-only` where nothing can be written now. */
export type StorageKind = KeeperStatus['storage'];

export type StoreOptions = {
  keepers: readonly KeeperAddress[];
  /** Where the index lives while it can be written. */
  storage: Exclude<StorageKind, 'read-only'>;
  /** Unix milliseconds, by the clock of the services. */
  now: () => number;
  /** What an operator should know of where the index lives. */
  notes?: () => string[];
  /** For files that are gone when they have been read; the system's folder where none is named. */
  temporaryFolder?: string | undefined;
  /** Where the index is other processes' as well. */
  shared?: Shared | undefined;
};

/**
 * `seenMs`: rows count as seen up to then, unix milliseconds. `isReset`: everything was forgotten. `status`: of the
 * sync, as JSON, where it changes with these rows.
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

/** What several processes with one index share. One of them syncs and writes rows; the state of all is the last one's. */
export type Shared = {
  readonly isLeader: boolean;
  /** `status`: of the sync, as JSON; `isWatched`: somebody looks at any of them. */
  readonly state: { revision: number; epoch: number; seenMs: number; status: string; isWatched: boolean };
  write<T>(work: SharedWork<T>): Promise<T>;
  /** All of them show what is there anew. */
  touch(): Promise<void>;
  /** Another process has changed something. */
  onChange(listener: () => void): void;
  /** What the others are told by this one: of the sync, where it syncs, and whether somebody looks. */
  localState: () => { status: string; isWatched: boolean };
  /** Called when this process becomes the one that syncs, or is it no longer. */
  onLeader: ((isLeader: boolean) => void) | undefined;
  /** By session id, until when (unix seconds) its tokens could be good. */
  readonly endedSessions: ReadonlyMap<string, number>;
  endSession(id: string, untilS: number): Promise<void>;
  /** From now on this process may be the one that syncs. */
  start(): void;
  close(): Promise<void>;
};

type Listener = (revision: number) => void;

/** A keeper that was read longer ago may be left out of the moment of a view, soon or at another process already. */
const SOON_STALE_MS = STALE_AFTER_MS / 2;

/** A keeper was read up to that moment, unix milliseconds: every row that it served before is in the index. */
type Read = { keeper: string; upToMs: number };
type StoreWork<T> = (
  ...of: Parameters<SharedWork<T>>
) => Promise<Awaited<ReturnType<SharedWork<T>>> & { read?: Read }>;

/** A clock that is behind the last read by less stands still, as that of a sandbox may; by more it was set back. */
const MAX_STANDSTILL_MS = 1000;

/** A read of the newest rows: when it was asked for, unix milliseconds, and whether these rows are the last of it. */
export type ReadPart = { askedAtMs: number; isLast: boolean };

/** `alongside` is written in the same transaction, after the rows. `read`: they are of a read of the newest rows. */
type IngestWith = {
  alongside?: ((session: Session) => Promise<void>) | undefined;
  read?: ReadPart | undefined;
};

/**
 * The index of all rows of all keepers. Its revision grows by one with every write that changes what can be seen; the
 * same question at the same revision has the same answer.
 */
export class IndexStore {
  readonly #listeners = new Set<Listener>();
  readonly #status = new Map<string, KeeperStatus>();
  #revision = 1;
  #lastIssued = 1;
  #epoch = 0;
  /** When the rows of the write under way count as seen, and those of the last one; unix milliseconds. */
  #writeSeenMs: number | undefined;
  #lastSeenMs = Number.NEGATIVE_INFINITY;
  /** Keepers with rows in the index. */
  readonly #keepersWithRows = new Set<number>();
  #viewers = 0;
  #lastHeard = '';
  #wasWatched = false;
  /**
   * Which pending rows are stuck, as pending requests were last worked out: figures count by it, so that all pages say the
   * same. Undefined before the first time.
   */
  stuckRows: StuckRows | undefined;
  /** Tells what holds the sync of a keeper up; set by the sync. */
  lateBy: ((keeper: string) => NonNullable<KeeperStatus['late']>) | undefined;
  /** Called when the first viewer comes. */
  onWatched: (() => void) | undefined;
  /** Called when every row is gone, and what was known of how far they reach, with a file that was broken. */
  onLost: (() => void) | undefined;

  private constructor(
    /** For the queries of `lib/store/queries`. */
    readonly engine: Engine,
    private readonly options: StoreOptions,
    readonly keepers: readonly IndexedKeeper[],
  ) {
    this.#forgetStatus();
  }

  /** Finds or enters the keepers. @throws Error of the engine */
  static async open(engine: Engine, options: StoreOptions): Promise<IndexStore> {
    const store = new IndexStore(engine, options, await enterKeepers(engine, options.keepers));
    const { shared } = options;
    // What there is is known before the first call to a service.
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
      engine.patient,
      'select max(rev) as rev, max(visible_us) as seen from requests',
    );
    store.#lastSeenMs = Math.ceil((seen ?? Number.NEGATIVE_INFINITY) / 1000);
    // Not a number that a page may still know from the process before.
    store.#revision = Math.max((rev ?? 0) + 1, Date.now());
    store.#lastIssued = store.#revision;
    return store;
  }

  get revision(): number {
    return this.options.shared?.state.revision ?? this.#revision;
  }

  /** Grows when everything is forgotten: what was read before is of another world. */
  get epoch(): number {
    return this.options.shared?.state.epoch ?? this.#epoch;
  }

  /** Whether this process is the one that syncs, and writes down what becomes of incidents. */
  get isLeader(): boolean {
    return this.options.shared?.isLeader ?? true;
  }

  /** Asks the database whether this process is the one that syncs still. @throws IndexNotWritableError where it is not */
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

  /** Unix milliseconds, by the clock of the services. */
  now(): number {
    return this.options.now();
  }

  /** Ids of the keepers with these names; of all where none is named. Unknown names are left out. */
  keeperIds(names: readonly string[] = []): number[] {
    const chosen = this.keepers.filter(({ name }) => names.length === 0 || names.includes(name));
    return chosen.map(({ keeperId }) => keeperId);
  }

  keeperName(keeperId: number): string {
    return this.keepers.find((keeper) => keeper.keeperId === keeperId)?.name ?? '';
  }

  /** Puts rows of a keeper into the index. */
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
      // Without a row, the first read is news all the same: there are none.
      const isFirst = part?.isLast === true && this.readUpToMs(keeper) === null;
      const isChange = isFirst || result.added + result.changed > 0;
      return part?.isLast
        ? { result, isChange, read: { keeper, upToMs: part.askedAtMs } }
        : { result, isChange };
    });
  }

  /**
   * The moment at which rows of the next write are seen, unix milliseconds: later than any that a view of the keeper was
   * pinned to, so that a pinned list never grows, and no later than the moment up to which the keeper is read with them.
   */
  #nextSeenMs(keeper: string, part: ReadPart | undefined): number {
    const { now, shared } = this.options;
    const readMs = this.readUpToMs(keeper);
    if (readMs === null && part !== undefined) return Math.floor(part.askedAtMs);
    if (readMs === null) return Math.max(Math.floor(now()), (shared?.state.seenMs ?? this.#lastSeenMs) + 1);
    const reads = [...this.#status.values()].map(({ syncedAtMs }) => syncedAtMs ?? readMs);
    // The moment of a view of several is that of the others, once this one is stale.
    const pinnedMs = now() - readMs > SOON_STALE_MS ? Math.max(...reads) : readMs;
    return Math.floor(Math.max(pinnedMs, this.#status.get(keeper)?.seenLateMs ?? pinnedMs)) + 1;
  }

  /** Unix milliseconds; null before the first time. */
  readUpToMs(keeper: string): number | null {
    return this.#status.get(keeper)?.syncedAtMs ?? null;
  }

  /** The keeper was read up to a moment, and its rows are written. @param seenMs when these are seen; unix milliseconds */
  noteRead(keeper: string, askedAtMs: number, seenMs = askedAtMs): void {
    const before = this.#status.get(keeper);
    if (before !== undefined) this.#status.set(keeper, this.#readTo(before, askedAtMs, seenMs));
  }

  #readTo(before: KeeperStatus, askedAtMs: number, seenMs: number): KeeperStatus {
    const behindMs = (before.syncedAtMs ?? Number.NEGATIVE_INFINITY) - askedAtMs;
    // A clock that stands still can't tell one read from the next: these follow each other all the same.
    const isStanding = behindMs >= 0 && behindMs < MAX_STANDSTILL_MS;
    const upToMs = isStanding ? Math.max(askedAtMs, seenMs) : askedAtMs;
    // Rows that were seen by a clock that has been set back since are there all the same.
    const lastMs = before.syncedAtMs === null ? Math.max(seenMs, this.#lastSeenMs) : seenMs;
    return { ...before, syncedAtMs: upToMs, seenLateMs: lastMs > upToMs ? lastMs : undefined };
  }

  /**
   * The moment of a view of these keepers, unix milliseconds: up to then each of them was read, but for those that are
   * stale. No row to come will have been seen by then. Before the first read it is now, in steps of `stepMs`.
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
   * The moment from which ranges of a view count back, unix ms: its own moment, but no time to come. A clock that was ahead
   * leaves rows that were seen later than now: the view has them, and its last hour ends when the keepers were last read.
   */
  rangeEndMs(momentMs: number, keepers: readonly string[]): number {
    const nowMs = this.options.now();
    if (momentMs - nowMs < MAX_STANDSTILL_MS) return momentMs;
    return Math.floor(Math.min(nowMs, ...keepers.map((keeper) => this.readUpToMs(keeper) ?? nowMs)));
  }

  #presentMs(stepMs: number): number {
    const { shared } = this.options;
    // Another process may be writing: what counts is what the one that syncs has said.
    if (shared !== undefined && shared.state.seenMs > 0) return shared.state.seenMs;
    const settledMs =
      this.#writeSeenMs === undefined ? Math.floor(this.options.now()) : this.#writeSeenMs - 1;
    return Math.max(this.#lastSeenMs, Math.floor(settledMs / stepMs) * stepMs);
  }

  /** Whether none of these keepers has been read, and no row of them is held: a count of theirs is not known. */
  isCounting(keepers: readonly string[]): boolean {
    return this.keepers.every(
      ({ keeperId, name }) =>
        !keepers.includes(name) || (!this.#keepersWithRows.has(keeperId) && this.readUpToMs(name) === null),
    );
  }

  /** A transaction that may change what can be seen. Its revision is told of when its rows are written. */
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
          // Others hear of the rows and of the moment that they bring the keeper to at once.
          const status = read && this.#statusText(read);
          return { ...done, seenMs: this.#writeSeenMs, status };
        });
        if (read !== undefined) this.noteRead(read.keeper, read.upToMs, this.#writeSeenMs);
        if (shared.state.revision !== before) this.#notify();
        return result;
      }
      const { result, isChange, read } = await this.engine.write((session) => {
        this.#lastIssued += 1;
        revision = this.#lastIssued;
        return work(session, revision);
      });
      // Before pages hear of the rows: the moment of their views is the one that these rows are seen at.
      if (read !== undefined) this.noteRead(read.keeper, read.upToMs, this.#writeSeenMs);
      if (isChange) this.#publish(revision);
      return result;
    } finally {
      this.#lastSeenMs = Math.max(this.#lastSeenMs, this.#writeSeenMs ?? this.#lastSeenMs);
      this.#writeSeenMs = undefined;
    }
  }

  /** The status of all keepers as JSON. @param read what is true of it when the write under way has ended */
  #statusText(read?: Read): string {
    const all = [...this.#status].map(([name, status]): [string, KeeperStatus] => {
      const isRead = read?.keeper === name;
      const known = isRead ? this.#readTo(status, read.upToMs, this.#writeSeenMs ?? read.upToMs) : status;
      return [name, { ...known, late: this.lateBy?.(name) ?? null }];
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

  /** Something that pages show beside rows has changed: they ask anew, here and at other processes. */
  async touch(): Promise<void> {
    const { shared } = this.options;
    if (shared === undefined) await this.write(async () => ({ result: undefined, isChange: true }));
    else await shared.touch();
  }

  /** @returns ends the subscription */
  onRevision(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Somebody looks at the rows: they are asked for more often. @returns ends it */
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

  /** How far the index reaches, one for each keeper, in their order. */
  status(): KeeperStatus[] {
    const { storage, options } = this;
    const kept = options.notes?.() ?? [];
    return [...this.#status.values()].map((status) => {
      const late = this.lateBy?.(status.keeper) ?? status.late;
      return statusAt({ ...status, storage, late, notes: [...kept, ...status.notes] }, options.now());
    });
  }

  report(keeper: string, change: Partial<Omit<KeeperStatus, 'keeper' | 'storage'>>): void {
    const before = this.#status.get(keeper);
    if (before === undefined) return;
    const now = { ...before, ...change };
    this.#status.set(keeper, now);
    // Pages hear at once that a keeper fails, or works again.
    if (now.state !== before.state) this.#notify();
  }

  /** Forgets every row of every keeper, and what is known of how far they reach. */
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

  /** Pages are told, as of a change of rows: it is what they show of the index. */
  async #onEngineEvent(event: EngineEvent): Promise<void> {
    if (event === 'replaced') this.#forgetStatus();
    // A database that was begun meanwhile has no keepers; where this fails, it is done when writing works.
    if (event !== 'read-only') {
      await this.engine.write((session) => insertKeepers(session, this.keepers)).catch(() => undefined);
    }
    this.#lastIssued += 1;
    if (event === 'replaced') this.#epoch += 1;
    this.#publish(this.#lastIssued);
    if (event === 'replaced') this.onLost?.();
  }

  /** Pages hear of new rows, and at once that a keeper fails or works again; the sync, that somebody looks elsewhere. */
  #onSharedChange({ isLeader, state }: Shared): void {
    if (!isLeader) {
      const told = JSON.parse(state.status) as Record<string, KeeperStatus>;
      // One that syncs with an older version says less.
      for (const [keeper, known] of this.#status) {
        const said = told[keeper];
        if (said !== undefined) this.#status.set(keeper, { ...unsynced(keeper, this.storage), ...said });
        else this.#status.set(keeper, known);
      }
    }
    const states = [...this.#status.values()].map((one) => one.state);
    const heard = JSON.stringify([state.revision, states]);
    if (heard !== this.#lastHeard) this.#notify();
    this.#lastHeard = heard;
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
    ...{ keeper, storage, state: 'syncing', notes: [] },
    ...{ syncedAtMs: null, pendingAtMs: null, history: null, failure: null, audit: null },
    ...{ late: null, lost: null },
    ...{ coveredFromMs: null, coversAll: false, rows: 0, unreadable: 0, gone: 0 },
  };
}

/** Another process may enter keepers at the same time: what is there then is looked at again. */
async function enterKeepers(engine: Engine, keepers: readonly KeeperAddress[]): Promise<IndexedKeeper[]> {
  for (let tries = 1; ; tries += 1) {
    const known = await engine.patient.all<IndexedKeeper>(
      'select keeper_id as "keeperId", name, base_url as "baseUrl" from keepers',
    );
    let last = Math.max(0, ...known.map(({ keeperId }) => keeperId));
    const unknown: IndexedKeeper[] = [];
    const entered = keepers.map(({ name, baseUrl }) => {
      const found = known.find((one) => one.name === name && one.baseUrl === baseUrl);
      if (found !== undefined) return found;
      last += 1;
      const keeper = { name, baseUrl, keeperId: last };
      unknown.push(keeper);
      return keeper;
    });
    // What can't be written yet is written as soon as writing works.
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
