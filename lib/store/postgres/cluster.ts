import 'server-only';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { SerialQueue } from '@/lib/core/serial-queue';
import type { ClusterState, ClusterWork, LocalState } from '@/lib/store/cluster-state';
import { IndexNotWritableError, oneRow, transact } from '@/lib/store/engine';
import { sql } from '@/lib/store/sql';
import { limits, quickQueryOver } from './connections';
import type { PostgresEngine } from './engine';
import { isOfConnection, isUnwritable, postgresSession } from './session';

const POLL_MS = 1000;
/** Age from which the leader counts as hung or cut off. Another instance then takes over. */
const HEARTBEAT_TIMEOUT_S = 9;
/** Time for which an instance counts as watched after the last sign of a viewer. */
const WATCHED_WINDOW_S = 5;
/** Step in which the moment advances to which current lists are pinned. */
const SEEN_STEP_MS = 2000;

type State = ClusterState['state'] & { term: number };
type PolledState = Omit<State, 'isWatched'> & {
  pid: number | null;
  silentS: number;
  watchedS: number;
  isReadOnly: boolean;
};

/** Longest time that the leader waits for its own heartbeat before it reads the shared state. */
const HEARTBEAT_WAIT_MS = 5000;
/** Timeout of statements that write rows. */
const WRITE_TIMEOUT_MS = 30_000;
const CLOSE_GRACE_MS = 3000;

const STATE_QUERY = `select s.term, s.revision, s.epoch, s.seen_ms as "seenMs", l.status, l.pid,
    cast(extract(epoch from clock_timestamp() - l.beat) as double precision) as "silentS",
    cast(extract(epoch from clock_timestamp() - l.watched) as double precision) as "watchedS",
    current_setting('transaction_read_only')::boolean as "isReadOnly"
  from shared_state s, leader l`;

/**
 * The leader is the instance whose connection holds the advisory lock; only it syncs. If its heartbeat stops, another
 * instance ends that connection, which releases the lock. Each write checks the leader's term first, so a leader that
 * hung and resumes writes nothing.
 */
export class Cluster implements ClusterState {
  readonly #listeners = new Set<() => void>();
  readonly #endedSessions = new Map<string, number>();
  readonly #unsharedSessions = new Map<string, number>();
  /** Holds the lock or tries to get it. */
  #candidate: pg.Client | undefined;
  #isLeader = false;
  #state: State = { term: 0, revision: 1, epoch: 0, seenMs: 0, status: '{}', isWatched: false };
  readonly #writes = new SerialQueue();
  #timer: NodeJS.Timeout | undefined;
  #polling: Promise<void> = Promise.resolve();
  #heartbeating: Promise<void> | undefined;
  #sharedStatus = '';
  #isDiskFull = false;
  #isClosed = false;
  #localState: () => LocalState = () => ({ status: '{}', isWatched: false });
  #onLeader: ((isLeader: boolean) => void) | undefined;

  private constructor(
    private readonly engine: PostgresEngine,
    private readonly options: { key: string; now: () => number },
  ) {}

  /** @param key the schema of the index's tables */
  static async open(engine: PostgresEngine, key: string, now: () => number): Promise<Cluster> {
    const cluster = new Cluster(engine, { key, now });
    await cluster.#poll();
    return cluster;
  }

  share(localState: () => LocalState): void {
    this.#localState = localState;
  }

  start(onLeader?: (isLeader: boolean) => void): void {
    this.#onLeader = onLeader;
    this.#scheduleTick();
  }

  #scheduleTick(): void {
    this.#timer = setTimeout(async () => {
      this.#polling = this.#tick().catch(() => undefined);
      await this.#polling;
      if (!this.#isClosed) this.#scheduleTick();
    }, POLL_MS).unref();
  }

  get isLeader(): boolean {
    return this.#isLeader;
  }

  get state(): State {
    return this.#state;
  }

  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  get endedSessions(): ReadonlyMap<string, number> {
    return this.#endedSessions;
  }

  /** @throws Error if the session cannot be shared at the moment; it will be shared later */
  async endSession(id: string, untilS: number): Promise<void> {
    this.#endedSessions.set(id, untilS);
    this.#unsharedSessions.set(id, untilS);
    await this.#shareEnded();
  }

  async #shareEnded(): Promise<void> {
    for (const [id, untilS] of this.#unsharedSessions) {
      await this.engine.connections.quickQuery(
        sql`insert into ended_sessions values (${id}, ${untilS}) on conflict (id) do nothing`,
      );
      this.#unsharedSessions.delete(id);
    }
  }

  async #readEnded(): Promise<void> {
    // A failure here is retried at the next poll.
    await this.#shareEnded().catch(() => undefined);
    const nowS = Math.floor(Date.now() / 1000);
    for (const [id, untilS] of this.#endedSessions) if (untilS <= nowS) this.#endedSessions.delete(id);
    const ended = await this.engine.connections.quickQuery<{ id: string; untilS: number }>(
      sql`select id, until_s as "untilS" from ended_sessions where until_s > ${nowS}`,
    );
    for (const { id, untilS } of ended) this.#endedSessions.set(id, untilS);
  }

  /** @throws IndexNotWritableError also if this instance is no longer the leader */
  write<T>(work: ClusterWork<T>): Promise<T> {
    return this.#writes.run(() => this.#write(work));
  }

  async #write<T>(work: ClusterWork<T>): Promise<T> {
    const client = this.#candidate;
    const { term } = this.#state;
    if (client === undefined || !this.#isLeader) throw new IndexNotWritableError();
    let nextState = this.#state;
    let written = this.#sharedStatus;
    try {
      const result = await transact(postgresSession(client), async (session) => {
        const [stored] = await session.all<Position>(
          sql`select revision, epoch, seen_ms as "seenMs" from shared_state where term = ${term} for update`,
        );
        if (stored === undefined) throw new IndexNotWritableError();
        const state = latest(this.#state, stored);
        const done = await work(session, state.revision + 1);
        nextState = {
          ...this.#state,
          revision: state.revision + (done.isChange ? 1 : 0),
          epoch: state.epoch + (done.isReset === true ? 1 : 0),
          seenMs: Math.max(state.seenMs, done.seenMs ?? 0),
        };
        const { revision, epoch, seenMs } = nextState;
        await session.run(
          sql`update shared_state set revision = ${revision}, epoch = ${epoch}, seen_ms = ${seenMs}`,
        );
        if (done.status !== undefined)
          await session.run(sql`update leader set status = ${done.status} where term = ${term}`);
        written = done.status ?? written;
        return done.result;
      });
      this.#state = nextState;
      this.#sharedStatus = written;
      return result;
    } catch (error) {
      if (isUnwritable(error)) {
        this.engine.connections.setStatus('read-only');
        throw new IndexNotWritableError({ cause: error });
      }
      // A failed statement is for the sync to handle. A failed connection has released the lock.
      if (!(error instanceof IndexNotWritableError) && (await isAlive(client))) throw error;
      await this.#stepDown();
      throw new IndexNotWritableError({ cause: error });
    }
  }

  async touch(): Promise<void> {
    await this.engine.write(({ run }) => run('update shared_state set revision = revision + 1'));
    await this.#poll();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#polling;
    await Promise.race([this.#writes.idle, pause(CLOSE_GRACE_MS, undefined, { ref: false })]);
    await this.#stepDown();
  }

  async #tick(): Promise<void> {
    const { isWatched } = this.#localState();
    const { connections } = this.engine;
    this.#isDiskFull = false;
    try {
      if (this.#isLeader) await this.#heartbeat();
      else if (isWatched) await connections.quickQuery('update leader set watched = clock_timestamp()');
    } catch (error) {
      if (!isUnwritable(error)) {
        // The connection that holds the lock may be broken as well. The next leader ends it.
        if (isOfConnection(error)) await this.#stepDown();
        throw error;
      }
      // Reading works on a full disk, and the leader remains the leader.
      this.#isDiskFull = true;
    }
    const { pid, silentS } = await this.#poll();
    if (!this.#isLeader && !this.#isClosed && this.engine.isWritable) await this.#tryToLead(pid, silentS);
  }

  /** A write that hangs does not delay the next poll. */
  async #heartbeat(): Promise<void> {
    this.#heartbeating ??= this.#writeHeartbeat().finally(() => {
      this.#heartbeating = undefined;
    });
    await Promise.race([this.#heartbeating, pause(HEARTBEAT_WAIT_MS, undefined, { ref: false })]);
  }

  /** The status goes through the queue of writes, so that a status taken before a write cannot replace a newer one. */
  async #writeHeartbeat(): Promise<void> {
    const [renewed] = await this.engine.connections.quickQuery(
      sql`update leader set beat = clock_timestamp() where term = ${this.#state.term} returning term`,
    );
    if (renewed === undefined) return this.#stepDown();
    const seenMs = Math.floor(this.options.now() / SEEN_STEP_MS) * SEEN_STEP_MS;
    if (seenMs <= this.#state.seenMs && this.#localState().status === this.#sharedStatus) return;
    await this.write(async () => ({
      result: undefined,
      isChange: false,
      seenMs,
      status: this.#localState().status,
    }));
  }

  async #poll(): Promise<PolledState> {
    const [polled] = await this.engine.connections.quickQuery<PolledState>(STATE_QUERY);
    if (polled === undefined) throw new Error('The tables of the index are gone.');
    // Ended sessions are read first, so that revision and status become visible together at the end.
    await this.#readEnded();
    const { watchedS, pid: _pid, silentS: _silent, isReadOnly, ...state } = polled;
    this.engine.connections.setStatus(this.#isDiskFull || isReadOnly ? 'read-only' : 'writable');
    const previous = this.#state;
    // Another instance took over while this one hung.
    if (this.#isLeader && state.term > previous.term) await this.#stepDown();
    // The leader has its writes in memory before they are read back.
    const { revision } = latest(previous, state);
    this.#state = {
      ...state,
      ...latest(previous, state),
      isWatched: watchedS < WATCHED_WINDOW_S,
      term: this.#isLeader ? previous.term : state.term,
    };
    const isNew = previous.revision !== revision || previous.status !== state.status;
    if (isNew || this.#state.isWatched !== previous.isWatched)
      for (const listener of this.#listeners) listener();
    return polled;
  }

  /** Ends the connection of a leader whose heartbeat has stopped. */
  async #tryToLead(pid: number | null, silentS: number): Promise<void> {
    const client = this.#candidate ?? (await this.#connect());
    const { key } = this.options;
    try {
      let isTaken = await tryLock(client, key);
      if (!isTaken && pid !== null && silentS >= HEARTBEAT_TIMEOUT_S) {
        await quickQueryOver(
          client,
          sql`select pg_terminate_backend(pid) as ended from pg_stat_activity
            where pid = ${pid} and application_name = current_setting('application_name')`,
        );
        isTaken = await tryLock(client, key);
      }
      if (isTaken) await this.#becomeLeader(client);
    } catch (error) {
      await this.#stepDown();
      throw error;
    }
  }

  async #connect(): Promise<pg.Client> {
    const client = await this.engine.connections.connect();
    this.#candidate = client;
    await client.query(limits(WRITE_TIMEOUT_MS));
    client.once('end', () => {
      if (this.#candidate === client) void this.#stepDown();
    });
    return client;
  }

  async #becomeLeader(client: pg.Client): Promise<void> {
    const term = await transact(postgresSession(client), async (session) => {
      const { revision, epoch, seenMs } = this.#state;
      // A lower revision is that of a restored backup, whose rows are not those that pages have.
      const next = sql`update shared_state set term = term + 1,
        revision = case when revision < ${revision} then ${revision + 1} else revision end,
        epoch = greatest(epoch, ${epoch}), seen_ms = greatest(seen_ms, ${seenMs}) returning term`;
      const { term } = await oneRow<{ term: number }>(session, next);
      await session.run(
        sql`update leader set term = ${term}, pid = pg_backend_pid(), beat = clock_timestamp()`,
      );
      await session.run(sql`delete from ended_sessions where until_s < ${Math.floor(Date.now() / 1000)}`);
      return term;
    });
    this.#state = { ...this.#state, term };
    this.#sharedStatus = '';
    this.#isLeader = true;
    await this.#poll();
    this.#onLeader?.(true);
  }

  /** Releases the lock by closing its connection. */
  async #stepDown(): Promise<void> {
    const client = this.#candidate;
    const wasLeader = this.#isLeader;
    this.#candidate = undefined;
    this.#isLeader = false;
    if (wasLeader && !this.#isClosed) this.#onLeader?.(false);
    // Ending a broken connection may never finish.
    await Promise.race([client?.end().catch(() => undefined), pause(POLL_MS, undefined, { ref: false })]);
  }
}

type Position = Pick<State, 'revision' | 'epoch' | 'seenMs'>;

/** The later position. No number goes back, even after a restored backup, so that no revision stands for two states. */
function latest(current: Position, stored: Position): Position {
  return {
    revision: Math.max(current.revision, stored.revision),
    epoch: Math.max(current.epoch, stored.epoch),
    seenMs: Math.max(current.seenMs, stored.seenMs),
  };
}

async function tryLock(client: pg.ClientBase, key: string): Promise<boolean> {
  const taking = sql`select pg_try_advisory_lock(hashtextextended(${key}, 2)) as takes`;
  const [row] = await quickQueryOver<{ takes: boolean }>(client, taking);
  return row?.takes === true;
}

/** @returns a function that allows syncing again; undefined if an instance is syncing */
export async function preventSync(
  engine: PostgresEngine,
  key: string,
): Promise<(() => Promise<void>) | undefined> {
  const client = await engine.connections.connect();
  if (await tryLock(client, key)) return () => client.end();
  await client.end();
  return undefined;
}

const isAlive = (client: pg.Client): Promise<boolean> =>
  quickQueryOver(client, 'select 1 as alive').then(
    () => true,
    () => false,
  );
