import 'server-only';
import { isClockSkewed } from '@/lib/core/health';
import { DAY_MS, DAY_US, MINUTE_MS } from '@/lib/core/time';
import type { Timers } from '@/lib/core/timers';
import type { IndexedKeeper } from '@/lib/store/keepers';
import { BEGINNING_US } from '@/lib/store/schema';
import type { IndexStore } from '@/lib/store/store';
import type { RequestLogClient } from '@/lib/upstream/request-log';
import { Audit } from './audit';
import { CallQueue, SyncEnded } from './call-queue';
import { History } from './history';
import { IndexLossWatch } from './index-loss';
import { KeeperLossDetector } from './keeper-loss';
import { KeeperRows } from './keeper-rows';
import { TimeSinceRead } from './lateness';
import { NewRows } from './new-rows';
import { OpenRows } from './open-rows';
import { RowClock } from './row-clock';
import { SyncStatus } from './sync-status';

export type SyncSource = {
  keeper: string;
  client: Pick<RequestLogClient, 'logs'>;
  /** The service's clock against the store's, by the dates of its answers; undefined if unknown. */
  clockAheadMs: () => number | undefined;
  /** Undefined for a keeper in this process, which is called without delay. */
  callsPerSecond: number | undefined;
};

export type SyncOptions = Omit<SyncSource, 'keeper'> & {
  store: IndexStore;
  keeper: IndexedKeeper;
  timers: Timers;
  /** A number from 0 to 1. */
  random: () => number;
  /** Undefined for all history. */
  historyDays: number | undefined;
  onError: (error: unknown) => void;
};

const POLL_INTERVAL_MS = { watched: 2000, idle: 10_000 };
/** Multiplied by the number of answers that a poll takes. */
const PENDING_INTERVAL_MS = { watched: 10_000, idle: 30_000 };
const FAILED_INTERVAL_MS = MINUTE_MS;
/** Calls per minute other than those for new rows and the history. */
const EXTRA_CALLS = { watched: 36, idle: 12 };
const AUDIT_INTERVAL_MS = 75_000;
const FIRST_AUDIT_DELAY_MS = 15_000;
/** Open rows are polled between the two audits. */
const SUSPECT_AUDIT_DELAY_MS = 35_000;
/** Smallest clock difference that is noted for the operator. */
const MIN_CLOCK_SKEW_MS = 5000;
const HISTORY_INTERVAL_MS = 10_000;
const ERROR_DELAY_MS = 5000;
const RETENTION_INTERVAL_MS = DAY_MS;

export class KeeperSync {
  readonly #calls: CallQueue;
  readonly #rows: KeeperRows;
  readonly #sinceRead: TimeSinceRead;
  readonly #rowClock = new RowClock();
  readonly #status: SyncStatus;
  readonly #keeperLoss: KeeperLossDetector;
  readonly #indexLoss: IndexLossWatch;
  readonly #newRows: NewRows;
  readonly #openRows: OpenRows;
  readonly #audit: Audit;
  readonly #history: History;
  readonly #loops: Promise<void>[] = [];
  readonly #unfinished = new Set(['history', 'pending']);
  #lastPollAt = Number.NEGATIVE_INFINITY;
  #nextAuditInMs = FIRST_AUDIT_DELAY_MS;
  #failedReadAt = Number.NEGATIVE_INFINITY;
  #resolveCaughtUp: () => void = () => undefined;
  /** Resolves when the whole history has been read and pending rows have been checked. */
  readonly caughtUp = new Promise<void>((resolve) => {
    this.#resolveCaughtUp = resolve;
  });

  constructor(private readonly options: SyncOptions) {
    const { store, keeper, client, timers, random, callsPerSecond, clockAheadMs, onError } = options;
    this.#sinceRead = new TimeSinceRead(timers);
    this.#calls = new CallQueue({
      client,
      timers,
      random,
      onError,
      now: () => store.now(),
      extraPerMinute: () => EXTRA_CALLS[this.#pace],
      onCall: (change) => (change === 'begins' ? this.#sinceRead.callBegins() : this.#sinceRead.callEnds()),
      onAnswer: () => this.#status.update({ failure: null, clockAheadMs: this.#noticeableSkew() }),
      // Our own calls waiting for each other are not a failure of the keeper.
      onFailure: ({ kind, detail }, waitMs) =>
        kind !== 'too-many' &&
        this.#status.update({ failure: { kind, detail, nextTryMs: store.now() + waitMs } }),
    });
    this.#rows = new KeeperRows(store, keeper);
    this.#status = new SyncStatus(this.#rows);
    this.#rows.onCoverage = () => this.#status.update({});
    const serviceNowMs = () => {
      const aheadMs = clockAheadMs();
      return aheadMs === undefined ? undefined : store.now() + this.#rowClock.aheadMs(aheadMs);
    };
    const shared = { calls: this.#calls, rows: this.#rows, status: this.#status, random, serviceNowMs };
    this.#keeperLoss = new KeeperLossDetector(shared, () => this.#calls.wake('alarm'));
    this.#indexLoss = new IndexLossWatch(shared);
    const parts = { ...shared, keeperLoss: this.#keeperLoss };
    this.#newRows = new NewRows(parts, this.#rowClock);
    this.#openRows = new OpenRows(parts, () => this.#newRows.readFromUs);
    this.#audit = new Audit(parts, () => this.#history.gap === undefined);
    const bottomUs = () => this.#daysAgoUs(clockAheadMs() ?? 0);
    this.#history = new History(parts, { callsPerSecond, bottomUs });
  }

  /** The newest rows are read first, because all other tasks need them. */
  start(): void {
    let isReady = false;
    this.#repeat(async () => {
      if (isReady) return this.#nextPoll();
      await this.#indexLoss.load();
      await this.#rows.load();
      await this.#keeperLoss.load();
      await this.#poll();
      isReady = true;
      this.#repeat(() => this.#readHistory());
      this.#repeat(() => this.#readOpen());
      this.#repeat(() => this.#runAudit());
      if (this.options.historyDays !== undefined) this.#repeat(() => this.#deleteExpired());
    });
  }

  get keeper(): string {
    return this.options.keeper.name;
  }

  /** Ends waits that a viewer should not have to sit through. */
  wake(): void {
    this.#calls.wake('viewer');
  }

  get lateBy(): 'keeper' | 'dashboard' {
    return this.#sinceRead.lateBy;
  }

  /** Resolves when writing has ended. */
  async stop(): Promise<void> {
    this.#calls.end();
    this.#sinceRead.end();
    // The loops are awaited one by one, because the first may add the others meanwhile.
    for (const loop of this.#loops) await loop;
  }

  idle(): Promise<void> {
    return this.#calls.idle();
  }

  #repeat(once: () => Promise<void>): void {
    this.#loops.push(this.#loop(once));
  }

  /** Errors are reported, and the task continues until the sync ends. */
  async #loop(once: () => Promise<void>): Promise<void> {
    try {
      for (;;) {
        await once().catch((error: unknown) => {
          if (error instanceof SyncEnded) throw error;
          this.options.onError(error);
          return this.#calls.sleep(ERROR_DELAY_MS);
        });
      }
    } catch (error) {
      if (!(error instanceof SyncEnded)) throw error;
    }
  }

  async #nextPoll(): Promise<void> {
    await this.#restUntil(() => this.#lastPollAt + POLL_INTERVAL_MS[this.#pace]);
    await this.#poll();
  }

  get #pace(): 'watched' | 'idle' {
    return this.options.store.isWatched ? 'watched' : 'idle';
  }

  /** @param due evaluated again when a viewer arrives */
  async #restUntil(due: () => number): Promise<void> {
    const dueIn = () => due() - this.options.timers.elapsed();
    for (let ms = dueIn(); ms > 0; ms = dueIn()) await this.#calls.sleep(ms, 'viewer');
  }

  async #poll(): Promise<void> {
    this.#lastPollAt = this.options.timers.elapsed();
    const expected = await this.#newRows.read();
    this.#sinceRead.read();
    await this.#rows.count();
    this.#status.note('clock', clockNote(this.options.clockAheadMs() ?? 0));
    const clockAheadMs = this.#noticeableSkew();
    this.#status.update(expected === undefined ? { clockAheadMs } : { clockAheadMs, expected });
  }

  #noticeableSkew(): number {
    const aheadMs = Math.round(this.#rowClock.aheadMs(this.options.clockAheadMs() ?? 0));
    return isClockSkewed(aheadMs) ? aheadMs : 0;
  }

  async #readOpen(): Promise<void> {
    const { timers, store } = this.options;
    const startedAt = timers.elapsed();
    const pendingAtMs = store.now();
    const { answers, isRefused } = await this.#openRows.readPending();
    if (!isRefused) this.#status.update({ pendingAtMs });
    this.#status.note('pending', isRefused ? 'the service refuses to list pending requests' : undefined);
    this.#markRead('pending');
    if (startedAt - this.#failedReadAt >= FAILED_INTERVAL_MS) {
      this.#failedReadAt = startedAt;
      await this.#openRows.readFailed();
    }
    await this.#restUntil(() => startedAt + PENDING_INTERVAL_MS[this.#pace] * Math.max(1, answers));
  }

  async #runAudit(): Promise<void> {
    await this.#calls.sleep(this.#nextAuditInMs, 'alarm');
    this.#nextAuditInMs = (await this.#audit.run()) ? SUSPECT_AUDIT_DELAY_MS : AUDIT_INTERVAL_MS;
    await this.#rows.storeCount();
  }

  async #readHistory(): Promise<void> {
    await this.#history.read();
    await this.#rows.count();
    // The count may have found that rows vanished, which opens a new gap.
    if (this.#history.gap === undefined) {
      await this.#indexLoss.historyRead();
      this.#status.update({ hasGap: false });
    }
    this.#markRead('history');
    await this.#calls.sleep(HISTORY_INTERVAL_MS);
  }

  #markRead(what: 'history' | 'pending'): void {
    this.#unfinished.delete(what);
    if (this.#unfinished.size === 0) this.#resolveCaughtUp();
  }

  /** The slower of the two clocks decides, because deleted rows may exist nowhere else. */
  async #deleteExpired(): Promise<void> {
    const beforeUs = this.#daysAgoUs(Math.min(0, this.options.clockAheadMs() ?? 0));
    // Vanished rows are counted before rows are deleted on purpose.
    await this.#rows.count();
    await this.#indexLoss.recount();
    await this.#indexLoss.leaveOut(beforeUs);
    await this.#rows.deleteBefore(beforeUs, () => this.#calls.sleep(0));
    await this.#calls.sleep(RETENTION_INTERVAL_MS);
  }

  /** Start of the retention period by a clock that is `aheadMs` ahead of ours. */
  #daysAgoUs(aheadMs: number): number {
    const { historyDays, store } = this.options;
    return historyDays === undefined
      ? BEGINNING_US
      : Math.floor((store.now() + aheadMs) * 1000) - historyDays * DAY_US;
  }
}

function clockNote(aheadMs: number): string | undefined {
  if (Math.abs(aheadMs) < MIN_CLOCK_SKEW_MS) return undefined;
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  const length = seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
  return `the service's clock is ${length} ${aheadMs > 0 ? 'ahead of' : 'behind'} ours`;
}
