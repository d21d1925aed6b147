import 'server-only';
import { backoffMs } from '@/lib/core/backoff';
import { type Failure, failed } from '@/lib/core/outcome';
import type { LogPage, LogRow, StateWord } from '@/lib/core/request-record';
import { WIRE_STATE } from '@/lib/core/request-record';
import { MINUTE_MS } from '@/lib/core/time';
import type { Timers } from '@/lib/core/timers';
import { clampedUs } from '@/lib/store/record-row';
import type { RequestLogClient } from '@/lib/upstream/request-log';

/** Moments are unix microseconds by the service's clock, both ends included. */
export type LogsQuery = {
  fromUs?: number | undefined;
  toUs?: number | undefined;
  state?: StateWord | undefined;
  offset?: number;
  /** Rows of a call, by default as many as the service can send at a time, at most 1000. */
  limit?: number;
};

export type Answer = {
  rows: LogRow[];
  /** The service's total, which is only a hint; undefined if it sends no usable one. */
  total: number | undefined;
  limit: number;
  /** Unix milliseconds by `now`. The answer includes every row that the service served before. */
  requestedAtMs: number;
  answeredAtMs: number;
  tookMs: number;
};

/** Kinds of calls, in order of urgency. */
export type Rank = 'new' | 'open' | 'history' | 'audit';

type CallQueueOptions = {
  client: Pick<RequestLogClient, 'logs'>;
  /** Unix milliseconds. */
  now: () => number;
  timers: Timers;
  /** A number from 0 to 1, to spread the retries of many dashboards. */
  random: () => number;
  /** Calls a minute for open rows and audits. */
  extraPerMinute: () => number;
  onError: (error: unknown) => void;
  onCall: (change: 'begins' | 'ends') => void;
  onAnswer: () => void;
  /** The next call goes out after `waitMs` at the earliest. */
  onFailure: (failure: Failure, waitMs: number) => void;
};

/** Waiting calls are rejected with this error when the sync ends. */
export class SyncEnded extends Error {}

type QueuedCall = {
  rank: Rank;
  listing: LogsQuery;
  mayBeRefused: boolean;
  resolve: (answer: Answer | undefined) => void;
  reject: (error: SyncEnded) => void;
};

/** `viewer`: a viewer arrived. `alarm`: the audit should examine a suspicion. */
type Waker = 'viewer' | 'alarm';
type Sleep = { endedBy: Waker | undefined; end: (error?: SyncEnded) => void };

const RANKS: readonly Rank[] = ['new', 'open', 'history', 'audit'];
/** Extra calls per minute that audits leave to open rows. A long audit would otherwise delay a page whose row finished. */
const LEFT_BY_AUDITS = 3;
const MAX_ROWS = 1000;
/** Pages shrink by it after one that could not be sent, and grow again after a success. */
const PAGE_SIZE_FACTOR = 4;
const LOG_SERVICE_BACKOFF = { firstMs: 1000, maxMs: 60_000 };

/** One call at a time, the most urgent first. A failed call is retried until answered; no other goes out meanwhile. */
export class CallQueue {
  readonly #waiting: QueuedCall[] = [];
  readonly #sleeps = new Set<Sleep>();
  #underWay: Promise<void> | undefined;
  #isClosed = false;
  #failures = 0;
  #maxRows = MAX_ROWS;
  #cancelPause: (() => void) | undefined;
  /** Times of the extra calls within the last minute. */
  #extra: number[] = [];
  #cancelBudgetTimer: (() => void) | undefined;

  constructor(private readonly options: CallQueueOptions) {}

  /** Queues a call and resolves with its answer, however many tries it takes. @throws SyncEnded */
  request(rank: Rank, listing: LogsQuery): Promise<Answer> {
    return this.#enqueue(rank, listing, false) as Promise<Answer>;
  }

  /** Queues a call that the service may refuse (400, 404), and then resolves with undefined. @throws SyncEnded */
  requestUnlessRefused(rank: Rank, listing: LogsQuery): Promise<Answer | undefined> {
    return this.#enqueue(rank, listing, true);
  }

  #enqueue(rank: Rank, listing: LogsQuery, mayBeRefused: boolean): Promise<Answer | undefined> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) throw new SyncEnded();
      this.#waiting.push({ rank, listing, mayBeRefused, resolve, reject });
      this.#next();
    });
  }

  /** Resolves after `ms`. @param endedBy the event that resolves it early @throws SyncEnded */
  sleep(ms: number, endedBy?: Waker): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) throw new SyncEnded();
      const end = (error?: SyncEnded) => {
        cancel();
        this.#sleeps.delete(sleep);
        if (error === undefined) resolve();
        else reject(error);
      };
      const sleep: Sleep = { endedBy, end };
      const cancel = this.options.timers.after(ms, end);
      this.#sleeps.add(sleep);
    });
  }

  /**
   * Ends the pause before a retry, and the sleeps that this event ends. A pause that the service requested still holds,
   * in the HTTP client.
   */
  wake(waker: Waker): void {
    for (const { endedBy, end } of [...this.#sleeps]) if (endedBy === waker) end();
    this.#endPause();
  }

  /** Ends the queue: waiting calls reject with `SyncEnded`, and the answer of the current call is dropped. */
  end(): void {
    this.#isClosed = true;
    this.#cancelPause?.();
    this.#cancelBudgetTimer?.();
    const error = new SyncEnded();
    for (const { reject } of this.#waiting.splice(0)) reject(error);
    for (const { end } of [...this.#sleeps]) end(error);
  }

  /** Resolves when no call is under way: until then an identical query would share its answer. */
  async idle(): Promise<void> {
    await this.#underWay;
  }

  #endPause(): void {
    this.#cancelPause?.();
    this.#cancelPause = undefined;
    this.#next();
  }

  #next(): void {
    if (this.#underWay !== undefined || this.#isClosed || this.#cancelPause !== undefined) return;
    const ranks = RANKS.filter((rank) => this.#hasRoom(rank));
    const call = ranks.map((rank) => this.#waiting.find((call) => call.rank === rank)).find(Boolean);
    if (call === undefined) {
      this.#awaitBudget();
      return;
    }
    if (isExtra(call.rank)) this.#extra.push(this.options.timers.elapsed());
    this.#underWay = this.#make(call).then(() => {
      this.#underWay = undefined;
      this.#next();
    });
  }

  #hasRoom(rank: Rank): boolean {
    if (!isExtra(rank)) return true;
    const { timers, extraPerMinute } = this.options;
    const since = timers.elapsed() - MINUTE_MS;
    this.#extra = this.#extra.filter((at) => at > since);
    return this.#extra.length < extraPerMinute() - (rank === 'audit' ? LEFT_BY_AUDITS : 0);
  }

  #awaitBudget(): void {
    const [oldest] = this.#extra;
    if (this.#waiting.length === 0 || oldest === undefined) return;
    const { timers } = this.options;
    this.#cancelBudgetTimer?.();
    this.#cancelBudgetTimer = timers.after(Math.max(1, oldest + MINUTE_MS - timers.elapsed()), () =>
      this.#next(),
    );
  }

  /** The call stays in the queue until it is answered. */
  async #make(call: QueuedCall): Promise<void> {
    const { client, now, timers, onAnswer, onCall, onError } = this.options;
    const limit = Math.min(call.listing.limit ?? MAX_ROWS, this.#maxRows);
    const startedAt = timers.elapsed();
    const requestedAtMs = now();
    onCall('begins');
    const page = await client.logs(logsQuery(call.listing, limit), 'background').catch((error: unknown) => {
      onError(error);
      return failed({ kind: 'malformed', service: 'logs', detail: 'The answer could not be read.' });
    });
    const answeredAtMs = now();
    onCall('ends');
    if (this.#isClosed) return;
    if (!page.ok && !(call.mayBeRefused && isRefusal(page.failure))) {
      this.#failed(page.failure, limit);
      return;
    }
    if (page.ok) {
      this.#failures = 0;
      if (limit === this.#maxRows) this.#maxRows = Math.min(MAX_ROWS, limit * PAGE_SIZE_FACTOR);
      onAnswer();
    }
    this.#waiting.splice(this.#waiting.indexOf(call), 1);
    const tookMs = timers.elapsed() - startedAt;
    call.resolve(page.ok ? { ...read(page.value), limit, requestedAtMs, answeredAtMs, tookMs } : undefined);
  }

  #failed(failure: Failure, limit: number): void {
    const { timers, random, onFailure } = this.options;
    if (failure.kind === 'timeout' || failure.kind === 'malformed' || failure.kind === 'too-many') {
      this.#maxRows = Math.max(1, Math.floor(limit / PAGE_SIZE_FACTOR));
    }
    this.#failures += 1;
    const waitMs =
      failure.retryAfterS === undefined
        ? backoffMs(LOG_SERVICE_BACKOFF, this.#failures - 1, random())
        : failure.retryAfterS * 1000;
    this.#cancelPause = timers.after(waitMs, () => this.#endPause());
    onFailure(failure, waitMs);
  }
}

function isExtra(rank: Rank): boolean {
  return rank === 'open' || rank === 'audit';
}

function isRefusal({ kind }: Failure): boolean {
  return kind === 'rejected' || kind === 'missing';
}

/** A total of 0 together with rows comes from a service that does not count. */
function read({ rows, total }: LogPage): Pick<Answer, 'rows' | 'total'> {
  const count = total === undefined ? undefined : Number(total);
  const isUsable = Number.isSafeInteger(count) && (count !== 0 || rows.length === 0);
  return { rows, total: isUsable ? count : undefined };
}

function logsQuery({ fromUs, toUs, state, offset = 0 }: LogsQuery, limit: number): string {
  const query = new URLSearchParams();
  if (fromUs !== undefined) query.set('min_timestamp', isoOf(fromUs));
  if (toUs !== undefined) query.set('max_timestamp', isoOf(toUs));
  if (state !== undefined) query.set('state', WIRE_STATE[state]);
  query.set('limit', String(limit));
  if (offset > 0) query.set('offset', String(offset));
  return query.toString();
}

/** A service may not accept years beyond four digits, or more digits than it writes itself. */
function isoOf(moment: number): string {
  const us = clampedUs(moment);
  const ms = Math.floor(us / 1000);
  const text = new Date(ms).toISOString();
  return us === ms * 1000 ? text : text.replace('Z', `${String(us - ms * 1000).padStart(3, '0')}Z`);
}
