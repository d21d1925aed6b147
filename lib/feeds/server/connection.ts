import { type Failure, type FailureKind, failed, type Outcome, ok } from '@/lib/core/outcome';
import { readSse, type SseEvent, type SseItem } from '@/lib/upstream/sse';
import { Backoff, type TimerHandle, type Timers } from './timers';

/**
 * A stream that the service has begun to answer. `close` frees its socket and ends the body. `withoutKey` is a text of an
 * event (its data, its name) as it may be passed on: the service may have repeated our key in it.
 */
export type OpenStream = {
  body: AsyncIterable<Uint8Array>;
  close(): void;
  withoutKey(text: string): string;
};

/** Opens one upstream stream: resolves when its status is known. Expected failures are values. */
export type StreamOpener = (signal: AbortSignal) => Promise<Outcome<OpenStream>>;

/**
 * `connecting`: the first attempt. `live`: updates come. `quiet`: connected, no updates; with a failure of kind `timeout`
 * not even a sign of life has come, so the connection may be dead. `reconnecting`: it broke, an attempt follows. `failed`:
 * the last attempt failed, another one follows. A quiet that follows prices counts from the last of them.
 */
export type ConnectionState = {
  state: 'connecting' | 'live' | 'quiet' | 'reconnecting' | 'failed';
  sinceMs: number;
  /** `retryAfterS`: seconds from the moment of telling until the next attempt. */
  failure?: { kind: string; detail: string; retryAfterS?: number };
};

/** `first`: at the first attempt. `again`: after a loss or a failed attempt. `renewed`: it took over from a standing one. */
export type OpenCause = 'first' | 'again' | 'renewed';

/** Why a stream is over: what was wrong, or `planned` where the service ended it in good order. */
export type StreamEndReason = FailureKind | 'planned';

export type ConnectionListener = {
  /** Any event but a named `error`. Gives whether it was an update that could be read. */
  event(event: SseEvent): boolean;
  /** A named `error` event of the service, its text as sent. The planned close is not told. */
  serviceError(text: string): void;
  /** A stream stands. What was published since the last one is missing only when it opened `again`. */
  opened(cause: OpenCause): void;
  /** The stream is over. Without a failure the service ended it in good order, as it does after a day. */
  over(failure: Failure | undefined): void;
  attemptFailed(failure: Failure): void;
  state(state: ConnectionState): void;
  /** An exception of ours: to be logged, nothing else. */
  bug(error: unknown): void;
};

export type ConnectionSettings = { timers: Timers; random: () => number; silenceMs?: number };

/**
 * Services send a comment about every 15 s. Two may get lost; with the third missing the connection counts as
 * half-open, early enough to be replaced within 45 s of the last sign of life.
 */
export const SILENCE_MS = 40_000;
/** A stream that lived this long, and brought something, proves that the service works: back-off starts over. */
const PROVEN_MS = 1_000;
/** Delays between attempts: half a second at first, so that a planned close leaves a gap under 3 s; 30 s at most. */
const BACKOFF = { firstMs: 500, maxMs: 30_000 };
/** How the service announces its close after 24 hours. */
const PLANNED_CLOSE = 'Connection timeout reached';
/** What may be the last word of a connection that is half-open. */
const NO_SIGN: Failure = { kind: 'timeout', detail: 'No update has come for a while.' };
/** One stream that is closed at once may be chance; a service that does it again does not work. */
const AT_ONCE: Failure = { kind: 'failing', detail: 'The service closes each stream as soon as it is open.' };

/**
 * Keeps one upstream stream standing: opens it, notices when it is lost, opens the next with back-off, obeys
 * `retryAfterS`. There is never more than one attempt at a time.
 */
export class Connection {
  #state: ConnectionState;
  #link: Link | undefined;
  #attempts = 0;
  #openedAtMs = 0;
  /** Streams in a row that the service ended as soon as they were open. */
  #endedAtOnce = 0;
  /** Text of a named error, as long as nothing came after it. */
  #announced: string | undefined;
  #attempt: AbortController | undefined;
  #retry: TimerHandle | undefined;
  #retryAtMs = 0;
  #stopped = false;
  readonly #backoff: Backoff;
  readonly #updates: UpdateWatch;

  constructor(
    private readonly open: StreamOpener,
    private readonly listener: ConnectionListener,
    private readonly settings: ConnectionSettings,
  ) {
    this.#backoff = new Backoff({ ...BACKOFF, random: settings.random });
    this.#updates = new UpdateWatch(settings.timers, () => this.#tell('quiet', NO_SIGN));
    this.#state = { state: 'connecting', sinceMs: settings.timers.now() };
  }

  /** The state as of now: `retryAfterS` counts down. */
  get state(): ConnectionState {
    const { failure } = this.#state;
    if (!failure) return this.#state;
    const { retryAfterS: _told, ...rest } = failure;
    const left = this.retryInS;
    return { ...this.#state, failure: left === undefined ? rest : { ...rest, retryAfterS: left } };
  }

  /** Whether an upstream stream stands right now. */
  get standing(): boolean {
    return this.#link !== undefined;
  }

  /** Whether `start()` was called. */
  get started(): boolean {
    return this.#attempts > 0;
  }

  /** Seconds until the next attempt, rounded up; undefined when none is waited for. */
  get retryInS(): number | undefined {
    if (!this.#retry) return undefined;
    return Math.max(1, Math.ceil((this.#retryAtMs - this.settings.timers.now()) / 1000));
  }

  /** The first attempt; its outcome. When it fails, further ones follow until `stop()`. */
  async start(): Promise<Outcome<true>> {
    return this.#try();
  }

  /**
   * Opens another stream and drops the present one only when that stands: for a changed set of ids. While an attempt is
   * being waited for nothing is done: that attempt asks for the new ids anyway.
   */
  renew(): void {
    if (this.#stopped || this.#retry) return;
    this.#attempt?.abort();
    this.#tryNow();
  }

  /**
   * Another host from now on: tries there at once, with a back-off that starts over. What was waited for concerned the
   * host before. A stream that stands is dropped when the new one does.
   */
  moveHost(): void {
    if (this.#stopped) return;
    this.settings.timers.clear(this.#retry);
    this.#retry = undefined;
    this.#backoff.reset();
    this.#attempt?.abort();
    this.#tryNow();
  }

  /** Closes everything. Nothing is told to the listener any more. */
  stop(): void {
    this.#stopped = true;
    this.#attempt?.abort();
    this.settings.timers.clear(this.#retry);
    this.#retry = undefined;
    this.#updates.stop();
    this.#link?.close();
    this.#link = undefined;
  }

  async #try(): Promise<Outcome<true>> {
    const attempt = new AbortController();
    this.#attempt = attempt;
    this.#attempts += 1;
    const outcome = await this.#opened(attempt.signal);
    // A newer attempt or `stop()` came in between: what was opened is not wanted any more.
    if (attempt.signal.aborted) {
      if (outcome.ok) outcome.value.close();
      return failed({ kind: 'unreachable', detail: 'The stream was closed before it opened.' });
    }
    this.#attempt = undefined;
    if (outcome.ok) {
      this.#adopt(outcome.value);
      return ok(true);
    }
    this.#attemptFailed(outcome.failure);
    return outcome;
  }

  async #opened(signal: AbortSignal): Promise<Outcome<OpenStream>> {
    try {
      return await this.open(signal);
    } catch (error) {
      this.listener.bug(error);
      return failed({
        kind: 'failing',
        detail: 'The stream could not be opened because of an error of ours.',
      });
    }
  }

  #adopt(stream: OpenStream): void {
    const { timers, silenceMs = SILENCE_MS } = this.settings;
    const previous = this.#link;
    const link: Link = new Link(stream, timers, silenceMs, {
      item: (item) => this.#take(item),
      over: (end) => this.#lost(link, end),
      bug: (error) => this.listener.bug(error),
    });
    this.#link = link;
    this.#announced = undefined;
    this.#openedAtMs = timers.now();
    previous?.close();
    if (this.#state.state !== 'live') {
      this.#updates.came();
      this.#tell('quiet');
    }
    if (previous) this.listener.opened('renewed');
    else this.listener.opened(this.#attempts === 1 ? 'first' : 'again');
  }

  #take(item: SseItem): void {
    if (item.kind === 'comment') {
      const { state, failure } = this.#state;
      if ((state === 'live' && this.#updates.isQuiet) || (state === 'quiet' && failure)) this.#tell('quiet');
      return;
    }
    if (item.kind !== 'event') return;
    if (item.event === 'error') {
      this.#announced = item.data;
      if (!isPlannedClose(item.data)) this.listener.serviceError(item.data);
      return;
    }
    this.#announced = undefined;
    if (!this.listener.event(item)) return;
    this.#updates.came();
    if (this.#state.state !== 'live') this.#tell('live');
  }

  #lost(link: Link, end: LinkEnd): void {
    // The one that was replaced by `renew` is closed and silent; only the present one can be lost.
    if (link !== this.#link) return;
    this.#link = undefined;
    const proven = link.alive && this.settings.timers.now() - this.#openedAtMs >= PROVEN_MS;
    if (proven) this.#backoff.reset();
    this.#endedAtOnce = proven ? 0 : this.#endedAtOnce + 1;
    const failure = this.#failureOf(end) ?? (this.#endedAtOnce > 1 ? AT_ONCE : undefined);
    // An attempt of `renew` may be under way: it is the next stream.
    if (!this.#attempt && !this.#retry) this.#tryIn(this.#backoff.next());
    if (failure) this.#tell('reconnecting', failure);
    this.listener.over(failure);
  }

  /** Undefined for a planned close: the service ends its streams after a day, and nothing is wrong. */
  #failureOf(end: LinkEnd): Failure | undefined {
    switch (end) {
      case 'ended':
        if (this.#announced === undefined || isPlannedClose(this.#announced)) return undefined;
        return { kind: 'failing', detail: this.#announced.slice(0, 500) };
      case 'broken':
        return { kind: 'unreachable', detail: 'The connection to the service broke.' };
      case 'silent':
        return { kind: 'timeout', detail: 'The service sent nothing for too long.' };
      case 'overlong':
        return { kind: 'malformed', detail: 'The service sent a line without an end.' };
    }
  }

  #attemptFailed(failure: Failure): void {
    this.#tryIn(Math.max(this.#backoff.next(), (failure.retryAfterS ?? 0) * 1000));
    // With a stream standing (a failed `renew`) the readers miss nothing that they had.
    if (!this.#link) this.#tell('failed', failure);
    this.listener.attemptFailed(failure);
  }

  #tryIn(ms: number): void {
    if (this.#stopped) return;
    this.#retryAtMs = this.settings.timers.now() + ms;
    this.#retry = this.settings.timers.after(ms, () => {
      this.#retry = undefined;
      this.#tryNow();
    });
  }

  #tryNow(): void {
    this.#try().catch((error: unknown) => this.listener.bug(error));
  }

  #tell(state: ConnectionState['state'], failure?: Failure): void {
    if (this.#stopped) return;
    const before = this.#state;
    const fromMs = state === 'quiet' ? this.#updates.lastMs : this.settings.timers.now();
    const sinceMs = before.state === state ? before.sinceMs : fromMs;
    if (state === 'live') this.#updates.start();
    else this.#updates.stop();
    this.#state = failure
      ? { state, sinceMs, failure: { kind: failure.kind, detail: failure.detail } }
      : { state, sinceMs };
    this.listener.state(this.state);
  }
}

function isPlannedClose(text: string): boolean {
  return text.startsWith(PLANNED_CLOSE);
}

/**
 * Why a stream is over: the service ended it in good order, the connection broke, nothing came for too long
 * (half-open), or a line went over the cap.
 */
type LinkEnd = 'ended' | 'broken' | 'silent' | 'overlong';

type LinkListener = {
  item(item: SseItem): void;
  /** Called once, never after `close()`. */
  over(end: LinkEnd): void;
  /** An exception of ours while an item was handled. The stream goes on with the next one. */
  bug(error: unknown): void;
};

/**
 * One upstream stream from its first byte to its end. It watches for silence: comments and line ends count as life,
 * single bytes of a line that never ends don't.
 */
class Link {
  /** Whether anything came at all. */
  alive = false;
  #over = false;
  #lastLifeMs: number;
  #watch: TimerHandle | undefined;

  constructor(
    private readonly stream: OpenStream,
    private readonly timers: Timers,
    private readonly silenceMs: number,
    private readonly listener: LinkListener,
  ) {
    this.#lastLifeMs = timers.now();
    this.#watchSilence(silenceMs);
    void this.#pump();
  }

  /** Drops the stream without a word to the listener. */
  close(): void {
    if (this.#over) return;
    this.#over = true;
    this.timers.clear(this.#watch);
    this.stream.close();
  }

  async #pump(): Promise<void> {
    let end: LinkEnd = 'ended';
    try {
      for await (const item of readSse(this.stream.body)) {
        if (this.#over) return;
        if (item.kind === 'overlong') end = 'overlong';
        else this.#take(item.kind === 'event' ? this.#withoutKey(item) : item);
      }
    } catch {
      // What a body throws is a broken connection, whatever its class: a reset, an early end, a failed inflate.
      end = 'broken';
    }
    this.#finish(end);
  }

  #withoutKey({ event, data, id, ...rest }: SseEvent): SseEvent {
    const clean = (text: string | undefined) => text && this.stream.withoutKey(text);
    return { ...rest, event: clean(event), data: this.stream.withoutKey(data), id: clean(id) };
  }

  #take(item: SseItem): void {
    this.alive = true;
    this.#lastLifeMs = this.timers.now();
    try {
      this.listener.item(item);
    } catch (error) {
      this.listener.bug(error);
    }
  }

  // One timer that looks at the time of the last item costs less than one timer set anew per item.
  #watchSilence(inMs: number): void {
    this.#watch = this.timers.after(inMs, () => {
      const left = this.#lastLifeMs + this.silenceMs - this.timers.now();
      if (left > 0) this.#watchSilence(left);
      else this.#finish('silent');
    });
  }

  #finish(end: LinkEnd): void {
    if (this.#over) return;
    this.close();
    try {
      this.listener.over(end);
    } catch (error) {
      this.listener.bug(error);
    }
  }
}

/** Without an update for this long a connection that brings a comment now is called quiet. */
const QUIET_AFTER_MS = 10_000;
/** Without anything for this long, comments included, nobody may call it live any more, whatever becomes of it. */
const NOT_LIVE_AFTER_MS = 20_000;

/**
 * Knows when the last update came, and says once when nothing has come for too long. It watches only while it is told to:
 * while prices are called live.
 */
class UpdateWatch {
  #lastMs: number;
  #timer: TimerHandle | undefined;

  constructor(
    private readonly timers: Timers,
    private readonly onNone: () => void,
  ) {
    this.#lastMs = timers.now();
  }

  /** When the last update came, or its stream began. Unix milliseconds. */
  get lastMs(): number {
    return this.#lastMs;
  }

  /** An update came, or a stream begins. */
  came(): void {
    this.#lastMs = this.timers.now();
  }

  /** Whether so little came that a sign of life means: connected, and no updates. */
  get isQuiet(): boolean {
    return this.timers.now() - this.#lastMs >= QUIET_AFTER_MS;
  }

  // One timer that looks at the time of the last update costs less than one timer set anew per update.
  start(): void {
    this.stop();
    const leftMs = Math.max(1, this.#lastMs + NOT_LIVE_AFTER_MS - this.timers.now());
    this.#timer = this.timers.after(leftMs, () => {
      this.#timer = undefined;
      if (this.timers.now() - this.#lastMs >= NOT_LIVE_AFTER_MS) this.onNone();
      else this.start();
    });
  }

  stop(): void {
    this.timers.clear(this.#timer);
    this.#timer = undefined;
  }
}
