import 'server-only';
import { DAY_MS, MINUTE_MS } from '@/lib/core/time';
import type { Timers } from '@/lib/core/timers';
import { BEGINNING_US } from '@/lib/store/schema';
import type { IndexedKeeper, IndexStore } from '@/lib/store/store';
import type { RequestLogClient } from '@/lib/upstream/request-log';
import { Audit } from './audit';
import { CallLine, SyncEnded } from './call-line';
import { History } from './history';
import { KeeperRows } from './keeper-rows';
import { TimeSinceRead } from './lateness';
import { NewRows } from './new-rows';
import { OpenRows } from './open-rows';
import { SyncStatus } from './sync-status';
import { Witness } from './witness';

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
const FAILED_MS = MINUTE_MS;
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
const FORGET_MS = DAY_MS;
const DAY_US = 86_400_000_000;

/** Keeps the index of one keeper up to date, until it is stopped. */
export class KeeperSync {
  readonly #line: CallLine;
  readonly #rows: KeeperRows;
  readonly #sinceRead: TimeSinceRead;
  readonly #status: SyncStatus;
  readonly #witness: Witness;
  readonly #newRows: NewRows;
  readonly #openRows: OpenRows;
  readonly #audit: Audit;
  readonly #history: History;
  readonly #loops: Promise<void>[] = [];
  readonly #unread = new Set(['history', 'pending']);
  #lastBeatAt = Number.NEGATIVE_INFINITY;
  #compareInMs = FIRST_AUDIT_MS;
  #failedReadAt = Number.NEGATIVE_INFINITY;
  #whenRead: () => void = () => undefined;
  /** Ends when no row of the past is missing, and the pending ones were asked for. */
  readonly caughtUp = new Promise<void>((resolve) => {
    this.#whenRead = resolve;
  });

  constructor(private readonly options: SyncOptions) {
    const { store, keeper, client, timers, random, callsPerSecond, clockAheadMs, onError } = options;
    this.#sinceRead = new TimeSinceRead(timers);
    this.#line = new CallLine({
      ...{ client, timers, random, onError },
      now: () => store.now(),
      extraPerMinute: () => EXTRA_CALLS[this.#pace],
      onCall: (change) => (change === 'begins' ? this.#sinceRead.callBegins() : this.#sinceRead.callEnds()),
      onAnswer: () => this.#status.tell({ failure: null }),
      // Our own calls that wait for each other are no failure of the keeper.
      onFailure: ({ kind, detail }, waitMs) =>
        kind !== 'too-many' &&
        this.#status.tell({ failure: { kind, detail, nextTryMs: store.now() + waitMs } }),
    });
    this.#rows = new KeeperRows(store, keeper);
    this.#status = new SyncStatus(this.#rows);
    this.#rows.onCoverage = () => this.#status.tell({});
    const serviceNowMs = () => {
      const aheadMs = clockAheadMs();
      return aheadMs === undefined ? undefined : store.now() + aheadMs;
    };
    const known = { line: this.#line, rows: this.#rows, status: this.#status, random, serviceNowMs };
    this.#witness = new Witness(known, () => this.#line.wake('alarm'));
    const parts = { ...known, witness: this.#witness };
    this.#newRows = new NewRows(parts);
    this.#openRows = new OpenRows(parts, () => this.#newRows.readFromUs);
    this.#audit = new Audit(parts);
    const bottomUs = () => this.#daysAgoUs(clockAheadMs() ?? 0);
    this.#history = new History(parts, { callsPerSecond, bottomUs });
  }

  /** The newest rows come first: all else needs them. */
  start(): void {
    let isReady = false;
    this.#forever(async () => {
      if (isReady) return this.#nextBeat();
      await this.#rows.load();
      await this.#witness.load();
      await this.#beat();
      isReady = true;
      this.#forever(() => this.#readHistory());
      this.#forever(() => this.#readOpen());
      this.#forever(() => this.#compare());
      if (this.options.historyDays !== undefined) this.#forever(() => this.#forget());
    });
  }

  get keeper(): string {
    return this.options.keeper.name;
  }

  /** Somebody looks: what is old is asked for now. */
  hurry(): void {
    this.#line.wake('viewer');
  }

  /** What holds it up, where it was not read for long. */
  get lateBy(): 'keeper' | 'dashboard' {
    return this.#sinceRead.lateBy;
  }

  /** Ends when nothing is written any more. */
  async stop(): Promise<void> {
    this.#line.end();
    this.#sinceRead.end();
    await Promise.all(this.#loops);
    await Promise.all(this.#loops);
  }

  /** Ends when no call is under way any more. */
  quiet(): Promise<void> {
    return this.#line.quiet();
  }

  #forever(once: () => Promise<void>): void {
    this.#loops.push(this.#loop(once));
  }

  /** Does a thing again and again until the sync ends. An error of our own is told, and it goes on. */
  async #loop(once: () => Promise<void>): Promise<void> {
    try {
      for (;;) {
        await once().catch((error: unknown) => {
          if (error instanceof SyncEnded) throw error;
          this.options.onError(error);
          return this.#line.rest(ERROR_MS);
        });
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
    for (let ms = dueIn(); ms > 0; ms = dueIn()) await this.#line.rest(ms, 'viewer');
  }

  async #beat(): Promise<void> {
    this.#lastBeatAt = this.options.timers.elapsed();
    const expected = await this.#newRows.read();
    this.#sinceRead.read();
    await this.#rows.count();
    this.#status.note('clock', clockNote(this.options.clockAheadMs() ?? 0));
    this.#status.tell(expected === undefined ? {} : { expected });
  }

  async #readOpen(): Promise<void> {
    const { timers, store } = this.options;
    const startedAt = timers.elapsed();
    const pendingAtMs = store.now();
    const { answers, isRefused } = await this.#openRows.readPending();
    if (!isRefused) this.#status.tell({ pendingAtMs });
    this.#isRead('pending');
    if (startedAt - this.#failedReadAt >= FAILED_MS) {
      this.#failedReadAt = startedAt;
      await this.#openRows.readFailed();
    }
    await this.#restUntil(() => startedAt + PENDING_MS[this.#pace] * Math.max(1, answers));
  }

  async #compare(): Promise<void> {
    await this.#line.rest(this.#compareInMs, 'alarm');
    this.#compareInMs = (await this.#audit.run()) ? SUSPECT_MS : AUDIT_MS;
  }

  async #readHistory(): Promise<void> {
    await this.#history.read();
    await this.#rows.count();
    this.#status.tell({ hasGap: false });
    this.#isRead('history');
    await this.#line.rest(NO_GAP_MS);
  }

  #isRead(what: 'history' | 'pending'): void {
    this.#unread.delete(what);
    if (this.#unread.size === 0) this.#whenRead();
  }

  /** By the clock that is behind, where they differ: what is deleted may be nowhere else. */
  async #forget(): Promise<void> {
    const beforeUs = this.#daysAgoUs(Math.min(0, this.options.clockAheadMs() ?? 0));
    await this.#rows.forgetBefore(beforeUs, () => this.#line.rest(0));
    await this.#line.rest(FORGET_MS);
  }

  /** How far back rows are kept, unix microseconds, by a clock that is so far ahead of ours. */
  #daysAgoUs(aheadMs: number): number {
    const { historyDays, store } = this.options;
    return historyDays === undefined
      ? BEGINNING_US
      : Math.floor((store.now() + aheadMs) * 1000) - historyDays * DAY_US;
  }
}

function clockNote(aheadMs: number): string | undefined {
  if (Math.abs(aheadMs) < CLOCK_MS) return undefined;
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  const length = seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
  return `the service's clock is ${length} ${aheadMs > 0 ? 'ahead of' : 'behind'} ours`;
}
