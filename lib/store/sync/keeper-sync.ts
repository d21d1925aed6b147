import 'server-only';
import type { Failure } from '@/lib/core/outcome';
import type { Timers } from '@/lib/core/timers';
import type { IndexedKeeper, IndexStore } from '@/lib/store/store';
import type { RequestLogClient } from '@/lib/upstream/request-log';
import { Audit } from './audit';
import { CallLine, SyncEnded } from './call-line';
import { History } from './history';
import { KeeperRows } from './keeper-rows';
import { NewRows } from './new-rows';
import { OpenRows } from './open-rows';
import { SyncStatus } from './sync-status';

export type SyncSource = {
  /** Name of the keeper, as the index knows it. */
  keeper: string;
  client: Pick<RequestLogClient, 'logs'>;
  /** How far the service's clock is ahead of the store's, in milliseconds; undefined where it was never told. */
  clockAheadMs: () => number | undefined;
  /** Calls a second that the keeper may be asked in all. Undefined: it is part of this process, and asked without waits. */
  callsPerSecond: number | undefined;
};

export type SyncOptions = Omit<SyncSource, 'keeper'> & {
  store: IndexStore;
  keeper: IndexedKeeper;
  timers: Timers;
  /** From 0 to 1. */
  random: () => number;
  /** How many days of the past are read; undefined: all. */
  historyDays: number | undefined;
  /** Something went wrong here, not at the service. */
  onError: (error: unknown) => void;
};

/** New rows are asked for so often, with and without somebody who looks. */
const BEAT_MS = { watched: 2000, idle: 10_000 };
/** And which rows are pending, so often for each answer it takes. */
const PENDING_MS = { watched: 10_000, idle: 30_000 };
const FAILED_MS = 60_000;
/** Other calls a minute than those for new rows and for the past. */
const EXTRA_CALLS = { watched: 36, idle: 12 };
const AUDIT_MS = 75_000;
const FIRST_AUDIT_MS = 15_000;
/** Where counts differ they are compared again, when open rows have been asked for meanwhile. */
const SUSPECT_MS = 35_000;
/** A service's clock that is off by more is worth a note. */
const CLOCK_MS = 5000;
/** With no gap in sight the history looks again after this. */
const NO_GAP_MS = 10_000;
/** After an error of our own. */
const ERROR_MS = 5000;
/** What is older than is wanted is deleted so often. */
const FORGET_MS = 86_400_000;
const DAY_US = 86_400_000_000;

/** Keeps the index of one keeper up to date, until it is stopped. */
export class KeeperSync {
  readonly #line: CallLine;
  readonly #rows: KeeperRows;
  readonly #status: SyncStatus;
  readonly #newRows: NewRows;
  readonly #openRows: OpenRows;
  readonly #audit: Audit;
  readonly #history: History;
  readonly #loops: Promise<void>[] = [];
  #lastBeatAt = Number.NEGATIVE_INFINITY;
  #compareInMs = FIRST_AUDIT_MS;
  #failedReadAt = Number.NEGATIVE_INFINITY;
  #historyRead: () => void = () => undefined;
  #pendingRead: () => void = () => undefined;
  /** Ends when no row of the past is missing, and the pending ones were asked for. */
  readonly caughtUp: Promise<unknown>;

  constructor(private readonly options: SyncOptions) {
    const { store, keeper, client, timers, random, callsPerSecond } = options;
    this.caughtUp = Promise.all([
      new Promise<void>((resolve) => {
        this.#historyRead = resolve;
      }),
      new Promise<void>((resolve) => {
        this.#pendingRead = resolve;
      }),
    ]);
    this.#line = new CallLine({
      client,
      timers,
      random,
      onError: options.onError,
      extraPerMinute: () => EXTRA_CALLS[this.#pace],
      onAnswer: () => this.#status.answered(),
      onFailure: (failure, waitMs) => this.#failed(failure, waitMs),
    });
    this.#rows = new KeeperRows(store, keeper);
    this.#status = new SyncStatus(this.#rows);
    const serviceNowMs = () => this.#serviceNowMs();
    const parts = { line: this.#line, rows: this.#rows, status: this.#status, serviceNowMs };
    this.#newRows = new NewRows(parts);
    this.#openRows = new OpenRows(parts, () => this.#newRows.readFromUs);
    this.#audit = new Audit(parts);
    const bottomUs = () => this.#bottomUs();
    this.#history = new History(parts, { callsPerSecond, bottomUs });
  }

  start(): void {
    this.#loops.push(this.#begin());
  }

  /** Somebody looks: what is old is asked for now. */
  hurry(): void {
    this.#line.hurry();
  }

  /** Ends when nothing is written any more. */
  async stop(): Promise<void> {
    this.#line.end();
    await Promise.all(this.#loops);
    await Promise.all(this.#loops);
  }

  /** Ends when no call is under way any more. */
  quiet(): Promise<void> {
    return this.#line.quiet();
  }

  /** The newest rows come first: all else needs them. */
  async #begin(): Promise<void> {
    let isReady = false;
    await this.#forever(async () => {
      if (isReady) return this.#nextBeat();
      await this.#rows.load();
      await this.#beat();
      isReady = true;
      this.#loops.push(
        this.#forever(() => this.#readHistory()),
        this.#forever(() => this.#readOpen()),
        this.#forever(() => this.#compare()),
      );
      const { historyDays } = this.options;
      if (historyDays !== undefined) this.#loops.push(this.#forever(() => this.#forget(historyDays)));
    });
  }

  /** Does a thing again and again until the sync ends. An error of our own is told, and it goes on. */
  async #forever(once: () => Promise<void>): Promise<void> {
    try {
      for (;;) {
        try {
          await once();
        } catch (error) {
          if (error instanceof SyncEnded) throw error;
          this.options.onError(error);
          await this.#line.rest(ERROR_MS);
        }
      }
    } catch (error) {
      if (!(error instanceof SyncEnded)) throw error;
    }
  }

  async #nextBeat(): Promise<void> {
    await this.#restUntil(() => this.#lastBeatAt + BEAT_MS[this.#pace]);
    await this.#beat();
  }

  get #pace(): 'watched' | 'idle' {
    return this.options.store.isWatched ? 'watched' : 'idle';
  }

  /** @param due a moment of the timers, looked at again when somebody comes to look */
  async #restUntil(due: () => number): Promise<void> {
    const dueIn = () => due() - this.options.timers.elapsed();
    for (let ms = dueIn(); ms > 0; ms = dueIn()) await this.#line.rest(ms, 'hurries');
  }

  async #beat(): Promise<void> {
    this.#lastBeatAt = this.options.timers.elapsed();
    this.#status.expect(await this.#newRows.read());
    await this.#rows.count();
    this.#status.note('clock', clockNote(this.options.clockAheadMs() ?? 0));
    this.#status.synced();
  }

  async #readOpen(): Promise<void> {
    const { timers, store } = this.options;
    const startedAt = timers.elapsed();
    const startedAtMs = store.now();
    const { answers, isRefused } = await this.#openRows.readPending();
    if (!isRefused) this.#status.pendingRead(startedAtMs);
    this.#pendingRead();
    if (startedAt - this.#failedReadAt >= FAILED_MS) {
      this.#failedReadAt = startedAt;
      await this.#openRows.readFailed();
    }
    await this.#restUntil(() => startedAt + PENDING_MS[this.#pace] * Math.max(1, answers));
  }

  async #compare(): Promise<void> {
    await this.#line.rest(this.#compareInMs);
    this.#compareInMs = (await this.#audit.run()) ? SUSPECT_MS : AUDIT_MS;
  }

  async #readHistory(): Promise<void> {
    await this.#history.read();
    await this.#rows.count();
    this.#status.history(false);
    this.#historyRead();
    await this.#line.rest(NO_GAP_MS);
  }

  /** By the clock that is behind, where they differ: what is deleted may be nowhere else. */
  async #forget(historyDays: number): Promise<void> {
    const { store, clockAheadMs } = this.options;
    const nowMs = store.now() + Math.min(0, clockAheadMs() ?? 0);
    await this.#rows.forgetBefore(Math.floor(nowMs * 1000) - historyDays * DAY_US, () => this.#line.rest(0));
    await this.#line.rest(FORGET_MS);
  }

  #failed(failure: Failure, waitMs: number): void {
    // Our own calls that wait for each other are no failure of the keeper.
    if (failure.kind !== 'too-many') this.#status.failed(failure, waitMs);
  }

  /** Unix milliseconds by the service's clock; undefined where that was never told. */
  #serviceNowMs(): number | undefined {
    const aheadMs = this.options.clockAheadMs();
    return aheadMs === undefined ? undefined : this.options.store.now() + aheadMs;
  }

  #bottomUs(): number | undefined {
    const { historyDays, store, clockAheadMs } = this.options;
    if (historyDays === undefined) return undefined;
    return Math.floor((store.now() + (clockAheadMs() ?? 0)) * 1000) - historyDays * DAY_US;
  }
}

function clockNote(aheadMs: number): string | undefined {
  if (Math.abs(aheadMs) < CLOCK_MS) return undefined;
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  const length = seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
  return `the service's clock is ${length} ${aheadMs > 0 ? 'ahead of' : 'behind'} ours`;
}
