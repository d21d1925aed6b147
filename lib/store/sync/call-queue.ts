import 'server-only';
import { backoffMs } from '@/lib/core/backoff';
import { type Failure, failed } from '@/lib/core/outcome';
import type { LogPage, LogRow, StateWord } from '@/lib/core/request-record';
import { WIRE_STATE } from '@/lib/core/request-record';
import { MINUTE_MS } from '@/lib/core/time';
import type { Timers } from '@/lib/core/timers';
import { boundedUs } from '@/lib/store/record-row';
import type { RequestLogClient } from '@/lib/upstream/request-log';

/** What a listing is asked for. Moments are unix microseconds of the service, both ends included. */
export type Listing = {
  fromUs?: number | undefined;
  toUs?: number | undefined;
  state?: StateWord | undefined;
  offset?: number;
  /** Default: as many as the service is able to send at a time, 1000 at most. */
  limit?: number;
};

export type Answer = {
  rows: LogRow[];
  /** How many rows the service counts; a hint. Undefined where it says nothing usable. */
  total: number | undefined;
  limit: number;
  /** When it was asked for: what the service served before is in it, unix milliseconds by `now`. */
  askedAtMs: number;
  /** From asking to the end of the answer. */
  tookMs: number;
};

/** The order in which calls that wait go out. */
export type Rank = 'new' | 'open' | 'history' | 'audit';

type CallQueueOptions = {
  client: Pick<RequestLogClient, 'logs'>;
  /** Unix milliseconds. */
  now: () => number;
  timers: Timers;
  /** From 0 to 1; spreads the tries of many dashboards. */
  random: () => number;
  /** So many calls a minute may look after open rows and audit. */
  extraPerMinute: () => number;
  /** Something went wrong here, not at the service. */
  onError: (error: unknown) => void;
  /** A call goes out, and ends. */
  onCall: (change: 'begins' | 'ends') => void;
  onAnswer: () => void;
  /** A call failed, or was held back; the next one goes out in `waitMs` at the earliest. */
  onFailure: (failure: Failure, waitMs: number) => void;
};

/** The sync is over: it unwinds what waits. */
export class SyncEnded extends Error {}

type Waiting = {
  rank: Rank;
  listing: Listing;
  mayBeRefused: boolean;
  answered: (answer: Answer | undefined) => void;
  ended: (error: SyncEnded) => void;
};

/** `viewer`: somebody looks. `alarm`: something was noticed that the audit should look into. */
type Waker = 'viewer' | 'alarm';
type Sleep = { endedBy: Waker | undefined; end: (error?: SyncEnded) => void };

const RANKS: readonly Rank[] = ['new', 'open', 'history', 'audit'];
/** Of the extra calls of a minute an audit leaves so many to open rows. */
const LEFT_BY_AUDITS = 3;
const MAX_ROWS = 1000;
/** A page that could not be sent is asked for in parts of a quarter; what was sent makes the next page larger again. */
const PART = 4;
const BACKOFF = { firstMs: 1000, maxMs: 60_000 };

/**
 * The calls of one keeper's sync: one at a time, the most urgent first. A call that fails is made again, after growing
 * waits or when the service said, until it is answered; meanwhile no other goes out.
 */
export class CallQueue {
  readonly #waiting: Waiting[] = [];
  readonly #sleeps = new Set<Sleep>();
  #underWay: Promise<void> | undefined;
  #over = false;
  #failures = 0;
  #maxRows = MAX_ROWS;
  #cancelPause: (() => void) | undefined;
  /** When the extra calls of the last minute went out. */
  #extra: number[] = [];
  #cancelAlarm: (() => void) | undefined;

  constructor(private readonly options: CallQueueOptions) {}

  /** @throws SyncEnded */
  ask(rank: Rank, listing: Listing): Promise<Answer> {
    return this.#enter(rank, listing, false) as Promise<Answer>;
  }

  /** As `ask`; undefined when the service refuses this very question (400, 404). @throws SyncEnded */
  askOrRefused(rank: Rank, listing: Listing): Promise<Answer | undefined> {
    return this.#enter(rank, listing, true);
  }

  #enter(rank: Rank, listing: Listing, mayBeRefused: boolean): Promise<Answer | undefined> {
    return new Promise((answered, ended) => {
      if (this.#over) throw new SyncEnded();
      this.#waiting.push({ rank, listing, mayBeRefused, answered, ended });
      this.#next();
    });
  }

  /** Ends after `ms`. @param endedBy also ends it @throws SyncEnded */
  sleep(ms: number, endedBy?: Waker): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#over) throw new SyncEnded();
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

  /** Ends rests, and a pause after a failure. What the service asked for is still kept, by those who make the calls. */
  wake(waker: Waker): void {
    for (const { endedBy, end } of [...this.#sleeps]) if (endedBy === waker) end();
    this.#goOn();
  }

  /** All that waits is unwound by `SyncEnded`; the answer of a call under way is dropped. */
  end(): void {
    this.#over = true;
    this.#cancelPause?.();
    this.#cancelAlarm?.();
    const error = new SyncEnded();
    for (const { ended } of this.#waiting.splice(0)) ended(error);
    for (const { end } of [...this.#sleeps]) end(error);
  }

  /** Ends with the call under way: until then the same question would be given its answer. */
  async idle(): Promise<void> {
    await this.#underWay;
  }

  /** Ends a pause after a failure. */
  #goOn(): void {
    this.#cancelPause?.();
    this.#cancelPause = undefined;
    this.#next();
  }

  #next(): void {
    if (this.#underWay !== undefined || this.#over || this.#cancelPause !== undefined) return;
    const ranks = RANKS.filter((rank) => this.#hasRoom(rank));
    const call = ranks.map((rank) => this.#waiting.find((one) => one.rank === rank)).find(Boolean);
    if (call === undefined) {
      this.#awaitRoom();
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

  /** Who waits for the minute to have room again is looked after when its oldest call is a minute ago. */
  #awaitRoom(): void {
    const [oldest] = this.#extra;
    if (this.#waiting.length === 0 || oldest === undefined) return;
    const { timers } = this.options;
    this.#cancelAlarm?.();
    this.#cancelAlarm = timers.after(Math.max(1, oldest + MINUTE_MS - timers.elapsed()), () => this.#next());
  }

  /** Who waits stays in the line until it is answered. */
  async #make(call: Waiting): Promise<void> {
    const { client, now, timers, onAnswer, onCall, onError } = this.options;
    const limit = Math.min(call.listing.limit ?? MAX_ROWS, this.#maxRows);
    const startedAt = timers.elapsed();
    const askedAtMs = now();
    onCall('begins');
    const page = await client.logs(queryOf(call.listing, limit), 'background').catch((error: unknown) => {
      onError(error);
      return failed({ kind: 'malformed', service: 'logs', detail: 'The answer could not be read.' });
    });
    onCall('ends');
    if (this.#over) return;
    if (!page.ok && !(call.mayBeRefused && isRefusal(page.failure))) {
      this.#failed(page.failure, limit);
      return;
    }
    if (page.ok) {
      this.#failures = 0;
      if (limit === this.#maxRows) this.#maxRows = Math.min(MAX_ROWS, limit * PART);
      onAnswer();
    }
    this.#waiting.splice(this.#waiting.indexOf(call), 1);
    const tookMs = timers.elapsed() - startedAt;
    call.answered(page.ok ? { ...read(page.value), limit, askedAtMs, tookMs } : undefined);
  }

  #failed(failure: Failure, limit: number): void {
    const { timers, random, onFailure } = this.options;
    if (failure.kind === 'timeout' || failure.kind === 'malformed' || failure.kind === 'too-many') {
      this.#maxRows = Math.max(1, Math.floor(limit / PART));
    }
    this.#failures += 1;
    const grown = backoffMs(BACKOFF, this.#failures - 1);
    const waitMs =
      failure.retryAfterS === undefined ? grown * (1 - random() / 4) : failure.retryAfterS * 1000;
    this.#cancelPause = timers.after(waitMs, () => this.#goOn());
    onFailure(failure, waitMs);
  }
}

/** Calls beyond those for new rows and the past. */
function isExtra(rank: Rank): boolean {
  return rank === 'open' || rank === 'audit';
}

function isRefusal({ kind }: Failure): boolean {
  return kind === 'rejected' || kind === 'missing';
}

/** A total of 0 beside rows is that of a service that does not count. */
function read({ rows, total }: LogPage): Pick<Answer, 'rows' | 'total'> {
  const count = total === undefined ? undefined : Number(total);
  const isUsable = Number.isSafeInteger(count) && (count !== 0 || rows.length === 0);
  return { rows, total: isUsable ? count : undefined };
}

function queryOf({ fromUs, toUs, state, offset = 0 }: Listing, limit: number): string {
  const query = new URLSearchParams();
  if (fromUs !== undefined) query.set('min_timestamp', isoOf(fromUs));
  if (toUs !== undefined) query.set('max_timestamp', isoOf(toUs));
  if (state !== undefined) query.set('state', WIRE_STATE[state]);
  query.set('limit', String(limit));
  if (offset > 0) query.set('offset', String(offset));
  return query.toString();
}

/** A service need not read years of more than four digits, nor more digits of a second than it writes. */
function isoOf(moment: number): string {
  const us = boundedUs(moment);
  const ms = Math.floor(us / 1000);
  const text = new Date(ms).toISOString();
  return us === ms * 1000 ? text : text.replace('Z', `${String(us - ms * 1000).padStart(3, '0')}Z`);
}
