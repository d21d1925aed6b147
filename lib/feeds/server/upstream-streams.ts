import { backoffMs } from '@/lib/core/backoff';
import type { FeedId } from '@/lib/core/feed';
import { type Failure, type FailureKind, failed, type Outcome, ok } from '@/lib/core/outcome';
import { DAY_MS } from '@/lib/core/time';
import type { Timers } from '@/lib/core/timers';
import type { FeedConnection, FeedHost } from '@/lib/feeds/stream-events';
import { readSse, type SseEvent, type SseItem } from '@/lib/upstream/sse';

/** `withoutKey` removes our key from a text, in case the service repeats it. */
export type OpenStream = {
  body: AsyncIterable<Uint8Array>;
  close(): void;
  withoutKey(text: string): string;
};

/** `quiet` counts from the last price; with a failure, not even a heartbeat came. `retryAfterS` is as of now. */
type ConnectionState = Omit<FeedConnection, 'host'>;

/** `again`: after a stream ended or an attempt failed. `renewed`: replaces an open stream. */
export type OpenCause = 'first' | 'again' | 'renewed';

/** `planned`: the service closed the stream regularly. */
type StreamEndReason = FailureKind | 'planned';

type ConnectionListener = {
  /** Called for all but a named `error`. Returns whether the event was a readable update. */
  event(event: SseEvent): boolean;
  /** Called with the text, as sent, of a named `error`, except the planned close. */
  serviceError?(text: string): void;
  /** Updates were missed only if the cause is `again`. */
  opened(cause: OpenCause): void;
  /** The stream ended. No failure means that the service closed it regularly, as it does after a day. */
  ended(failure: Failure | undefined): void;
  attemptFailed(failure: Failure): void;
  stateChanged?(): void;
};

/** `reportError` logs an internal exception. `recordEnd` gets the reason of an end after which a stream reopens. */
export type ConnectionSettings = {
  timers: Timers;
  random: () => number;
  reportError(error: unknown): void;
  recordEnd?(reason: StreamEndReason): void;
};

/** Begins at half a second, so that a planned close leaves a gap of less than 3 s. */
const PRICE_STREAM_BACKOFF = { firstMs: 500, maxMs: 30_000 };

/** Silence that shows a half-open connection. Services send a comment every 15 s, so two are missing. */
const SILENCE_MS = 40_000;
/** A stream that lived this long and delivered something resets the backoff. A comment suffices: feeds may be quiet. */
const PROVEN_STREAM_MS = 1_000;
const PLANNED_CLOSE = 'Connection timeout reached';
/** Time without an update after which a connection with comments is called quiet. */
const QUIET_AFTER_MS = 10_000;
/** Time without an update after which a connection with comments is no longer called live. */
const NOT_LIVE_AFTER_MS = 20_000;
/** A timer for each item of a stream would cost more. */
const CHECK_INTERVAL_MS = 1_000;

const FAILURES = {
  broken: { kind: 'unreachable', detail: 'The connection to the service broke.' },
  silent: { kind: 'timeout', detail: 'The service sent nothing for too long.' },
  overlong: { kind: 'malformed', detail: 'The service sent an unterminated line.' },
  /** One stream that is closed at once may be a coincidence. A second one in a row means a failing service. */
  atOnce: { kind: 'failing', detail: 'The service closes each stream as soon as it is open.' },
  noSign: { kind: 'timeout', detail: 'No update received for a while.' },
  openError: { kind: 'failing', detail: 'The stream could not be opened: dashboard error.' },
  overtaken: { kind: 'unreachable', detail: 'The stream was closed before it opened.' },
} as const satisfies Record<string, Failure>;

/** One stream, with one attempt at a time. Comments prove it alive; bytes of an unterminated line don't. */
export class Connection {
  #state: ConnectionState;
  #stream: OpenStream | undefined;
  #hasDelivered = false;
  #openedAtMs = 0;
  #lastBytesAtMs = 0;
  #updateAtMs: number;
  #cancelCheck: (() => void) | undefined;
  #attempts = 0;
  #failures = 0;
  /** Consecutive streams that the service closed as soon as they were open. */
  #endedAtOnce = 0;
  /** Text of a named error, other than the planned close, that nothing followed yet. */
  #announced: string | undefined;
  /** Failed replacement of the open stream, which continues with its feeds. */
  #renewalFailure: { sinceMs: number; failure: Failure } | undefined;
  #attempt: AbortController | undefined;
  #cancelRetry: (() => void) | undefined;
  #retryAtMs = 0;
  /** Reconnection time from the service's `retry:` field. */
  #minRetryMs = 0;
  #stopped = false;

  constructor(
    /** Resolves when the status is known. Expected failures are values. */
    private readonly open: (signal: AbortSignal) => Promise<Outcome<OpenStream>>,
    private readonly listener: ConnectionListener,
    private readonly settings: ConnectionSettings,
  ) {
    this.#updateAtMs = this.#now;
    this.#state = { state: 'connecting', sinceMs: this.#now };
  }

  get state(): ConnectionState {
    const { failure } = this.#state;
    return failure ? { ...this.#state, failure: this.#withRetry(failure) } : this.#state;
  }

  /** State of feeds that the open stream does not carry; undefined unless the attempt to add them failed. */
  get renewalState(): ConnectionState | undefined {
    if (!this.#stream || !this.#renewalFailure) return undefined;
    const { sinceMs, failure } = this.#renewalFailure;
    return { state: 'failed', sinceMs, failure: this.#withRetry(failure) };
  }

  #withRetry({ kind, detail }: { kind: string; detail: string }): ConnectionState['failure'] {
    const retryAfterS = this.retryInS;
    return retryAfterS === undefined ? { kind, detail } : { kind, detail, retryAfterS };
  }

  get isOpen(): boolean {
    return this.#stream !== undefined;
  }

  /** Rounded up; undefined if no attempt is scheduled. */
  get retryInS(): number | undefined {
    return this.#cancelRetry && Math.max(1, Math.ceil((this.#retryAtMs - this.#now) / 1000));
  }

  /**
   * Opens a stream for the changed ids, and drops the current one only then. A scheduled attempt stays, because it will
   * request the new ids; a move to another host cancels its delay.
   */
  renew(host: 'same-host' | 'other-host' = 'same-host'): void {
    if (this.#stopped || (this.#cancelRetry && host === 'same-host')) return;
    if (host === 'other-host') this.#failures = 0;
    this.#cancelAttempt();
    this.#tryNow();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelAttempt();
    this.#drop();
  }

  get #now(): number {
    return this.settings.timers.now();
  }

  /** If the attempt fails, further ones follow until `stop()`. */
  async start(): Promise<Outcome<true>> {
    const attempt = new AbortController();
    this.#attempt = attempt;
    this.#attempts += 1;
    const outcome = await this.open(attempt.signal).catch((error: unknown) => {
      this.settings.reportError(error);
      return failed(FAILURES.openError);
    });
    // A newer attempt or `stop()` came in between.
    if (attempt.signal.aborted) {
      if (outcome.ok) outcome.value.close();
      return failed(FAILURES.overtaken);
    }
    this.#attempt = undefined;
    if (outcome.ok) {
      this.#adopt(outcome.value);
      return ok(true);
    }
    this.#scheduleRetry((outcome.failure.retryAfterS ?? 0) * 1000);
    // After a failed `renew` the old stream is still open, so clients of its feeds miss nothing.
    if (this.#stream) {
      this.#renewalFailure = { sinceMs: this.#now, ...this.#renewalFailure, failure: outcome.failure };
      this.listener.stateChanged?.();
    } else this.#setState('failed', outcome.failure);
    this.listener.attemptFailed(outcome.failure);
    return outcome;
  }

  #adopt(stream: OpenStream): void {
    const isRenewed = this.#stream !== undefined;
    const hadFailed = this.#renewalFailure !== undefined;
    this.#renewalFailure = undefined;
    this.#drop();
    this.#stream = stream;
    this.#hasDelivered = false;
    this.#announced = undefined;
    this.#openedAtMs = this.#lastBytesAtMs = this.#now;
    if (this.#state.state !== 'live') {
      this.#updateAtMs = this.#now;
      this.#setState('quiet');
    }
    this.listener.opened(isRenewed ? 'renewed' : this.#attempts === 1 ? 'first' : 'again');
    if (hadFailed) this.listener.stateChanged?.();
    this.#scheduleCheck();
    void this.#pump(stream);
  }

  /** An internal exception costs only one item. */
  async #pump(stream: OpenStream): Promise<void> {
    let cause: Failure | undefined;
    try {
      for await (const item of readSse(stream.body)) {
        if (stream !== this.#stream) return;
        if (item.kind === 'overlong') cause = FAILURES.overlong;
        else this.#guarded(() => this.#handleItem(item, stream));
      }
    } catch {
      // A reset, an early end, or a failed inflate.
      cause = FAILURES.broken;
    }
    if (stream === this.#stream) this.#guarded(() => this.#streamEnded(cause));
  }

  #guarded(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.settings.reportError(error);
    }
  }

  #handleItem(item: SseItem, stream: OpenStream): void {
    this.#hasDelivered = true;
    this.#lastBytesAtMs = this.#now;
    if (item.kind === 'comment') {
      const { state, failure } = this.#state;
      const isQuiet = this.#now - this.#updateAtMs >= QUIET_AFTER_MS;
      if ((state === 'live' && isQuiet) || (state === 'quiet' && failure)) this.#setState('quiet');
    }
    if (item.kind === 'retry') this.#minRetryMs = Math.min(item.ms, DAY_MS);
    if (item.kind !== 'event') return;
    const data = stream.withoutKey(item.data);
    if (item.event === 'error') {
      this.#announced = data.startsWith(PLANNED_CLOSE) ? undefined : data;
      if (this.#announced !== undefined) this.listener.serviceError?.(data);
      return;
    }
    this.#announced = undefined;
    const event = item.event && stream.withoutKey(item.event);
    const id = item.id && stream.withoutKey(item.id);
    if (!this.listener.event({ ...item, event, data, id })) return;
    this.#updateAtMs = this.#now;
    if (this.#state.state !== 'live') this.#setState('live');
  }

  #scheduleCheck(): void {
    this.#cancelCheck = this.settings.timers.after(CHECK_INTERVAL_MS, () => {
      if (this.#now - this.#lastBytesAtMs >= SILENCE_MS) return this.#streamEnded(FAILURES.silent);
      const isLive = this.#state.state === 'live';
      if (isLive && this.#now - this.#updateAtMs >= NOT_LIVE_AFTER_MS)
        this.#setState('quiet', FAILURES.noSign);
      this.#scheduleCheck();
    });
  }

  #drop(): void {
    this.#cancelCheck?.();
    const stream = this.#stream;
    this.#stream = undefined;
    stream?.close();
  }

  /** @param cause absent if the service closed the stream regularly, or announced the end */
  #streamEnded(cause?: Failure): void {
    this.#drop();
    const isProven = this.#hasDelivered && this.#now - this.#openedAtMs >= PROVEN_STREAM_MS;
    if (isProven) this.#failures = 0;
    this.#endedAtOnce = isProven ? 0 : this.#endedAtOnce + 1;
    let failure = cause ?? (this.#endedAtOnce > 1 ? FAILURES.atOnce : undefined);
    if (!cause && this.#announced !== undefined)
      failure = { kind: 'failing', detail: this.#announced.slice(0, 500) };
    // A running attempt of `renew` opens the next stream.
    if (!this.#attempt && !this.#cancelRetry) this.#scheduleRetry(0);
    if (failure) this.#setState('reconnecting', failure);
    this.settings.recordEnd?.(failure?.kind ?? 'planned');
    this.listener.ended(failure);
  }

  #scheduleRetry(minMs: number): void {
    if (this.#stopped) return;
    const delayMs = backoffMs(PRICE_STREAM_BACKOFF, this.#failures, this.settings.random());
    const ms = Math.max(minMs, this.#minRetryMs, delayMs);
    this.#failures += 1;
    this.#retryAtMs = this.#now + ms;
    this.#cancelRetry = this.settings.timers.after(ms, () => {
      this.#cancelRetry = undefined;
      this.#tryNow();
    });
  }

  #tryNow(): void {
    this.start().catch((error: unknown) => this.settings.reportError(error));
  }

  #cancelAttempt(): void {
    this.#attempt?.abort();
    this.#cancelRetry?.();
    this.#cancelRetry = undefined;
  }

  #setState(state: ConnectionState['state'], failure?: Failure): void {
    if (this.#stopped) return;
    const previous = this.#state;
    const fromMs = state === 'quiet' ? this.#updateAtMs : this.#now;
    const withFailure = failure && { failure: { kind: failure.kind, detail: failure.detail } };
    this.#state = { state, sinceMs: previous.state === state ? previous.sinceMs : fromMs, ...withFailure };
    this.listener.stateChanged?.();
  }
}

/** An id takes 75 characters of the address, and servers refuse request heads of 8 kB. */
export const MAX_FEEDS_PER_STREAM = 100;

export type UpstreamDeps = ConnectionSettings & {
  open(host: FeedHost, ids: readonly FeedId[], signal: AbortSignal): Promise<Outcome<OpenStream>>;
};

/** `ended`: a stream ended, and the next one follows. */
type UpstreamListener = Pick<ConnectionListener, 'event' | 'ended' | 'stateChanged'> & {
  opened(ids: readonly FeedId[], cause: OpenCause): void;
  attemptFailed(failure: Failure, ids: readonly FeedId[]): void;
};

/** `ids`: feeds requested now or at the next opening. `carried`: those of the open stream. */
type CoveringStream = { ids: Set<FeedId>; carried: ReadonlySet<FeedId>; readonly connection: Connection };

/** A feed that is no longer wanted stays until its stream is renewed, because renewing costs a call. */
export class UpstreamStreams {
  #wanted: ReadonlySet<FeedId> = new Set();
  #streams: CoveringStream[] = [];
  #idleSinceMs: number;

  constructor(
    private readonly deps: UpstreamDeps,
    private readonly host: () => FeedHost,
    private readonly listener: UpstreamListener,
  ) {
    this.#idleSinceMs = deps.timers.now();
  }

  get count(): number {
    return this.#streams.length;
  }

  get openCount(): number {
    return this.#streams.filter(({ connection }) => connection.isOpen).length;
  }

  /** Covers the wanted feeds. To add a feed to a stream, a new one is opened before the old one is dropped. */
  cover(wanted: ReadonlySet<FeedId>): void {
    this.#wanted = wanted;
    for (const stream of this.#streams) if (this.#idsOf(stream).length === 0) stream.connection.stop();
    this.#streams = this.#streams.filter((stream) => this.#idsOf(stream).length > 0);
    if (this.#streams.length === 0) this.#idleSinceMs = this.deps.timers.now();
    const covered = new Set(this.#streams.flatMap(({ ids }) => [...ids]));
    // A stream of which less than half the feeds are wanted is reopened as well.
    const stale = new Set(this.#streams.filter((stream) => this.#idsOf(stream).length * 2 < stream.ids.size));
    for (const id of wanted) {
      if (covered.has(id)) continue;
      const stream =
        this.#streams.find((stream) => this.#idsOf(stream).length < MAX_FEEDS_PER_STREAM) ?? this.#open();
      stream.ids.add(id);
      stale.add(stream);
    }
    for (const { connection } of stale) connection.renew();
  }

  /** Called for requested feeds that their streams do not carry, so that `cover` adds them again. */
  markAbsent(ids: Iterable<FeedId>): void {
    for (const id of ids) for (const stream of this.#streams) stream.ids.delete(id);
  }

  /** Each stream is opened on the new host before the old one is dropped. */
  changeHost(): void {
    for (const { connection } of this.#streams) connection.renew('other-host');
  }

  /**
   * State of the streams that carry one of these feeds; of all streams if none does. Trouble of any comes first. Of live
   * and quiet ones it is live: a quiet stream is in order, its feeds merely have no update.
   */
  state(feeds: readonly FeedId[]): ConnectionState {
    const carrying = this.#streams.filter(({ ids }) => feeds.some((id) => ids.has(id)));
    const states = (carrying.length > 0 ? carrying : this.#streams).map(({ connection, ids, carried }) => {
      const isCarried = feeds.every((id) => !ids.has(id) || carried.has(id));
      return (isCarried ? undefined : connection.renewalState) ?? connection.state;
    });
    const worst = (['failed', 'reconnecting', 'connecting', 'live', 'quiet'] as const).flatMap(
      (state) => states.find((candidate) => candidate.state === state) ?? [],
    )[0];
    return worst ?? { state: 'quiet', sinceMs: this.#idleSinceMs };
  }

  stop(): void {
    for (const { connection } of this.#streams) connection.stop();
    this.#streams = [];
  }

  #open(): CoveringStream {
    const { deps, listener } = this;
    let requested: FeedId[] = [];
    const connection = new Connection(
      (signal) => {
        // An attempt requests, and carries, the feeds that are wanted when it begins.
        requested = this.#idsOf(stream);
        stream.ids = new Set(requested);
        return deps.open(this.host(), requested, signal);
      },
      // A named error is either followed by the end of the stream, or irrelevant.
      {
        ...listener,
        opened: (cause) => {
          stream.carried = new Set(requested);
          listener.opened(this.#idsOf(stream), cause);
        },
        attemptFailed: (failure) => listener.attemptFailed(failure, this.#idsOf(stream)),
      },
      deps,
    );
    const stream: CoveringStream = { ids: new Set(), carried: new Set(), connection };
    this.#streams.push(stream);
    return stream;
  }

  #idsOf(stream: CoveringStream): FeedId[] {
    return [...stream.ids].filter((id) => this.#wanted.has(id));
  }
}
