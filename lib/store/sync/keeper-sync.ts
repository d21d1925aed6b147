import 'server-only';
import type { Failure } from '@/lib/domain/outcome';
import type { IndexedKeeper, IndexStore } from '@/lib/store/store';
import type { RequestLogClient } from '@/lib/upstream/request-log';
import type { Timers } from '@/lib/upstream/timers';
import { CallLine, SyncEnded } from './call-line';
import { History } from './history';
import { KeeperRows } from './keeper-rows';
import { NewRows } from './new-rows';
import { SyncStatus } from './sync-status';

export type SyncOptions = {
  store: IndexStore;
  keeper: IndexedKeeper;
  client: Pick<RequestLogClient, 'logs'>;
  timers: Timers;
  /** From 0 to 1. */
  random: () => number;
  /** How far the service's clock is ahead of `store.now()`, in milliseconds; undefined where it was never told. */
  clockAheadMs: () => number | undefined;
  /** Calls a second that the keeper may be asked in all. Undefined: it is part of this process, and asked without waits. */
  callsPerSecond: number | undefined;
  /** How many days of the past are read; undefined: all. */
  historyDays: number | undefined;
  /** Something went wrong here, not at the service. */
  onError: (error: unknown) => void;
};

/** New rows are asked for so often, with and without somebody who looks. */
const BEAT_MS = { watched: 2000, idle: 10_000 };
/** With no gap in sight the history looks again after this. */
const NO_GAP_MS = 10_000;
/** After an error of our own. */
const ERROR_MS = 5000;
const DAY_US = 86_400_000_000;

/** Keeps the index of one keeper up to date, until it is stopped. */
export class KeeperSync {
  readonly #options: SyncOptions;
  readonly #line: CallLine;
  readonly #rows: KeeperRows;
  readonly #status: SyncStatus;
  readonly #newRows: NewRows;
  readonly #history: History;
  readonly #loops: Promise<void>[] = [];
  #lastBeatAt = Number.NEGATIVE_INFINITY;
  #caughtUp: () => void = () => undefined;
  /** Ends when no row of the past is missing. */
  readonly caughtUp: Promise<void>;

  constructor(options: SyncOptions) {
    const { store, keeper, client, timers, random, callsPerSecond } = options;
    this.#options = options;
    this.caughtUp = new Promise((resolve) => {
      this.#caughtUp = resolve;
    });
    this.#line = new CallLine({
      client,
      timers,
      random,
      onAnswer: () => this.#status.answered(),
      onFailure: (failure) => this.#failed(failure),
    });
    this.#rows = new KeeperRows(store, keeper);
    this.#status = new SyncStatus(this.#rows);
    const [line, rows, status] = [this.#line, this.#rows, this.#status];
    this.#newRows = new NewRows({ line, rows, serviceNowMs: () => this.#serviceNowMs() });
    const bottomUs = () => this.#bottomUs();
    this.#history = new History({ line, rows, status, callsPerSecond, bottomUs });
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

  /** The newest rows come first: all else needs them. */
  async #begin(): Promise<void> {
    let isReady = false;
    await this.#forever(async () => {
      if (isReady) return this.#nextBeat();
      await this.#rows.load();
      await this.#beat();
      isReady = true;
      this.#loops.push(this.#forever(() => this.#readHistory()));
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
          this.#options.onError(error);
          await this.#line.rest(ERROR_MS);
        }
      }
    } catch (error) {
      if (!(error instanceof SyncEnded)) throw error;
    }
  }

  async #nextBeat(): Promise<void> {
    const { store, timers } = this.#options;
    const dueIn = () =>
      this.#lastBeatAt + (store.isWatched ? BEAT_MS.watched : BEAT_MS.idle) - timers.elapsed();
    for (let ms = dueIn(); ms > 0; ms = dueIn()) await this.#line.rest(ms, 'hurries');
    await this.#beat();
  }

  async #beat(): Promise<void> {
    this.#lastBeatAt = this.#options.timers.elapsed();
    this.#status.expect(await this.#newRows.read());
    await this.#rows.count();
    this.#status.synced();
  }

  async #readHistory(): Promise<void> {
    await this.#history.read();
    await this.#rows.count();
    this.#status.history(false);
    this.#caughtUp();
    await this.#line.rest(NO_GAP_MS);
  }

  #failed(failure: Failure): void {
    // Our own calls that wait for each other are no failure of the keeper.
    if (failure.kind !== 'too-many') this.#status.failed(failure);
  }

  /** Unix milliseconds by the service's clock; undefined where that was never told. */
  #serviceNowMs(): number | undefined {
    const aheadMs = this.#options.clockAheadMs();
    return aheadMs === undefined ? undefined : this.#options.store.now() + aheadMs;
  }

  #bottomUs(): number | undefined {
    const { historyDays, store, clockAheadMs } = this.#options;
    if (historyDays === undefined) return undefined;
    return Math.floor((store.now() + (clockAheadMs() ?? 0)) * 1000) - historyDays * DAY_US;
  }
}
