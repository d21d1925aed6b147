import 'server-only';
import type { LogRow } from '@/lib/core/request-record';
import { type KeeperStatus, statusAt } from '@/lib/requests/keeper-status';
import { type Engine, type EngineEvent, oneRow, type Session } from './engine';
import { type Ingested, PreparedRows } from './ingest';
import type { StuckBefore } from './queries/insights';
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
  /** Where the index is other processes' as well. */
  shared?: Shared | undefined;
};

/** `seenMs`: rows count as seen up to then, unix milliseconds. `isAnotherWorld`: everything was forgotten. */
export type SharedWork<T> = (
  session: Session,
  revision: number,
) => Promise<{ result: T; isChange: boolean; seenMs?: number | undefined; isAnotherWorld?: boolean }>;

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
  tells: () => { status: string; isWatched: boolean };
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
  #writingMs: number | undefined;
  #writtenMs = Number.NEGATIVE_INFINITY;
  #viewers = 0;
  #lastHeard = '';
  #wasWatched = false;
  /**
   * Which pending rows are stuck, as pending requests were last worked out: figures count by it, so that all pages say the
   * same. Undefined before the first time.
   */
  stuckRows: StuckBefore | undefined;
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
    }
    engine.onEvent((event) => void store.#hear(event));
    if (shared !== undefined) {
      shared.onChange(() => store.#hearOthers(shared));
      store.#hearOthers(shared);
      shared.tells = () => ({
        status: JSON.stringify(Object.fromEntries(store.#status)),
        isWatched: store.#viewers > 0,
      });
      return store;
    }
    const { rev, seen } = await oneRow<{ rev: number | null; seen: number | null }>(
      engine,
      'select max(rev) as rev, max(visible_us) as seen from requests',
    );
    store.#writtenMs = Math.ceil((seen ?? Number.NEGATIVE_INFINITY) / 1000);
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

  /** Puts rows of a keeper into the index. @param alongside is written in the same transaction, after the rows */
  async ingest(
    keeperId: number,
    rows: readonly LogRow[] | PreparedRows,
    as: 'new' | 'history',
    alongside?: (session: Session) => Promise<void>,
  ): Promise<Ingested> {
    const prepared = rows instanceof PreparedRows ? rows : await new PreparedRows(keeperId).add(rows);
    return this.write(async (session, revision) => {
      // A moment of its own for each write, so that a list pinned to one never grows.
      const { now, shared } = this.options;
      this.#writingMs = Math.max(Math.floor(now()), (shared?.state.seenMs ?? this.#writtenMs) + 1);
      const nowUs = this.#writingMs * 1000;
      const result = await prepared.put(session, this.engine.dialect, { as, nowUs, revision });
      await alongside?.(session);
      return { result, isChange: result.added + result.changed > 0 };
    });
  }

  /**
   * The moment that a list of now is pinned to, unix milliseconds: no row to come will have been seen by then. It stands
   * still for `stepMs` where nothing is written, so that the same question has the same answer.
   */
  pinMs(stepMs: number): number {
    const { shared } = this.options;
    // Another process may be writing: what counts is what the one that syncs has said.
    if (shared !== undefined && shared.state.seenMs > 0) return shared.state.seenMs;
    const settledMs = this.#writingMs === undefined ? Math.floor(this.options.now()) : this.#writingMs - 1;
    return Math.max(this.#writtenMs, Math.floor(settledMs / stepMs) * stepMs);
  }

  /** A transaction that may change what can be seen. Its revision is told of when its rows are written. */
  async write<T>(work: SharedWork<T>): Promise<T> {
    const { shared } = this.options;
    let revision = 0;
    try {
      if (shared !== undefined) {
        const before = shared.state.revision;
        const result = await shared.write(async (session, next) => ({
          ...(await work(session, next)),
          seenMs: this.#writingMs,
        }));
        if (shared.state.revision !== before) this.#tell();
        return result;
      }
      const { result, isChange } = await this.engine.write((session) => {
        this.#lastIssued += 1;
        revision = this.#lastIssued;
        return work(session, revision);
      });
      if (isChange) this.#publish(revision);
      return result;
    } finally {
      this.#writtenMs = this.#writingMs ?? this.#writtenMs;
      this.#writingMs = undefined;
    }
  }

  #publish(revision: number): void {
    this.#revision = Math.max(this.#revision, revision);
    this.#tell();
  }

  #tell(): void {
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
  look(): () => void {
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
    return [...this.#status.values()].map((status) =>
      statusAt({ ...status, storage, notes: [...kept, ...status.notes] }, options.now()),
    );
  }

  report(keeper: string, change: Partial<Omit<KeeperStatus, 'keeper' | 'storage'>>): void {
    const before = this.#status.get(keeper);
    if (before === undefined) return;
    const now = { ...before, ...change };
    this.#status.set(keeper, now);
    // Pages hear at once that a keeper fails, or works again.
    if (now.state !== before.state) this.#tell();
  }

  /** Forgets every row of every keeper, and what is known of how far they reach. */
  async empty(): Promise<void> {
    await this.write(async (session) => {
      for (const table of ['requests', 'unreadable', 'coverage', 'discrepancies', 'keeper_facts']) {
        await session.run(`delete from ${table}`);
      }
      this.#forgetStatus();
      this.#writtenMs = Number.NEGATIVE_INFINITY;
      return { result: undefined, isChange: true, isAnotherWorld: true };
    });
    this.#epoch += 1;
  }

  /** Pages are told, as of a change of rows: it is what they show of the index. */
  async #hear(event: EngineEvent): Promise<void> {
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
  #hearOthers({ isLeader, state }: Shared): void {
    if (!isLeader) {
      const told = JSON.parse(state.status) as Record<string, KeeperStatus>;
      for (const [keeper, known] of this.#status) this.#status.set(keeper, told[keeper] ?? known);
    }
    const states = [...this.#status.values()].map((one) => one.state);
    const heard = JSON.stringify([state.revision, states]);
    if (heard !== this.#lastHeard) this.#tell();
    this.#lastHeard = heard;
    if (isLeader && state.isWatched && !this.#wasWatched) this.onWatched?.();
    this.#wasWatched = state.isWatched;
  }

  #forgetStatus(): void {
    for (const { name } of this.keepers) this.#status.set(name, unsynced(name, this.storage));
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
    ...{ coveredFromMs: null, coversAll: false, rows: 0, unreadable: 0, gone: 0 },
  };
}

/** Another process may enter keepers at the same time: what is there then is looked at again. */
async function enterKeepers(engine: Engine, keepers: readonly KeeperAddress[]): Promise<IndexedKeeper[]> {
  for (let tries = 1; ; tries += 1) {
    const known = await engine.all<IndexedKeeper>(
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
