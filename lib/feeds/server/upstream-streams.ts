import type { FeedId } from '@/lib/core/feed';
import { type Failure, type FailureKind, failed, type Outcome, ok } from '@/lib/core/outcome';
import { DAY_MS } from '@/lib/core/time';
import type { Timers } from '@/lib/core/timers';
import type { FeedConnection, FeedHost } from '@/lib/feeds/stream-events';
import { readSse, type SseEvent, type SseItem } from '@/lib/upstream/sse';

/** `close` frees its socket. `withoutKey`: a text of an event as it may be passed on, should it repeat our key. */
export type OpenStream = {
  body: AsyncIterable<Uint8Array>;
  close(): void;
  withoutKey(text: string): string;
};

/** `quiet` counts from the last price; with a failure not even a heartbeat has come. `retryAfterS`: as of now. */
export type ConnectionState = Omit<FeedConnection, 'host'>;

/** `first`: at the first attempt. `again`: after a loss or a failed attempt. `renewed`: it took over from an open one. */
export type OpenCause = 'first' | 'again' | 'renewed';

/** Why a stream is over: what was wrong, or `planned` where the service ended it in good order. */
export type StreamEndReason = FailureKind | 'planned';

export type ConnectionListener = {
  /** Any event but a named `error`. Gives whether it was an update that could be read. */
  event(event: SseEvent): boolean;
  /** A named `error` event of the service, its text as sent. The planned close is not told. */
  serviceError?(text: string): void;
  /** A stream is open. What was published since the last one is missing only when it opened `again`. */
  opened(cause: OpenCause): void;
  /** The stream is over. Without a failure the service ended it in good order, as it does after a day. */
  over(failure: Failure | undefined): void;
  attemptFailed(failure: Failure): void;
  stateChanged?(): void;
};

/** `bug`: an exception of ours, to be logged. `ended` hears why a stream is over that is to be opened anew. */
export type ConnectionSettings = {
  timers: Timers;
  random: () => number;
  bug(error: unknown): void;
  ended?(reason: StreamEndReason): void;
};

/** Waits between attempts. Half a second at first: a planned close leaves a gap under 3 s. */
const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 30_000;

/** Services send a comment every 15 s. With the third missing, a half-open one is replaced within 45 s. */
const SILENCE_MS = 40_000;
/** A stream that lived this long, and brought something, proves that the service works: back-off starts over. */
const PROVEN_MS = 1_000;
const PLANNED_CLOSE = 'Connection timeout reached';
/** Without an update for this long a connection that brings a comment now is called quiet. */
const QUIET_AFTER_MS = 10_000;
/** Without anything for this long, comments included, nobody may call it live any more, whatever becomes of it. */
const NOT_LIVE_AFTER_MS = 20_000;
/** How often a stream is looked after: a timer for each of its items would cost more. */
const LOOK_MS = 1_000;

const FAILURES = {
  broken: { kind: 'unreachable', detail: 'The connection to the service broke.' },
  silent: { kind: 'timeout', detail: 'The service sent nothing for too long.' },
  overlong: { kind: 'malformed', detail: 'The service sent an unterminated line.' },
  /** One stream that is closed at once may be chance; a service that does it again does not work. */
  atOnce: { kind: 'failing', detail: 'The service closes each stream as soon as it is open.' },
  /** Maybe the connection is half-open. */
  noSign: { kind: 'timeout', detail: 'No update received for a while.' },
  bug: { kind: 'failing', detail: 'The stream could not be opened: dashboard error.' },
  overtaken: { kind: 'unreachable', detail: 'The stream was closed before it opened.' },
} as const satisfies Record<string, Failure>;

/** Keeps one upstream stream open, one attempt at a time. Comments are life, bytes of a line that never ends aren't. */
export class Connection {
  #state: ConnectionState;
  #stream: OpenStream | undefined;
  /** Whether it has brought anything, when it opened, and when it last did, and when the last update came. */
  #isAlive = false;
  #openedAtMs = 0;
  #lifeAtMs = 0;
  #updateAtMs: number;
  #cancelLook: (() => void) | undefined;
  #attempts = 0;
  #failures = 0;
  /** Streams in a row that the service ended as soon as they were open. */
  #endedAtOnce = 0;
  /** Text of a named error that is no planned close, as long as nothing came after it. */
  #announced: string | undefined;
  #attempt: AbortController | undefined;
  #cancelRetry: (() => void) | undefined;
  #retryAtMs = 0;
  /** Shortest wait before the next connection, as the service's `retry:` field asks. */
  #askedMs = 0;
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
    if (!failure) return this.#state;
    const retryAfterS = this.retryInS;
    return { ...this.#state, failure: retryAfterS === undefined ? failure : { ...failure, retryAfterS } };
  }

  get isOpen(): boolean {
    return this.#stream !== undefined;
  }

  /** Seconds until the next attempt, rounded up; undefined when none is waited for. */
  get retryInS(): number | undefined {
    return this.#cancelRetry && Math.max(1, Math.ceil((this.#retryAtMs - this.#now) / 1000));
  }

  /**
   * Opens another stream, for a changed set of ids, and drops the present one only when that is open. Nothing is done while
   * an attempt is waited for, which asks for the new ids anyway; but what was waited for another host counts no more.
   */
  renew(host: 'same-host' | 'other-host' = 'same-host'): void {
    if (this.#stopped || (this.#cancelRetry && host === 'same-host')) return;
    if (host === 'other-host') this.#failures = 0;
    this.#giveUp();
    this.#tryNow();
  }

  stop(): void {
    this.#stopped = true;
    this.#giveUp();
    this.#drop();
  }

  get #now(): number {
    return this.settings.timers.now();
  }

  /** An attempt; its outcome. When it fails, further ones follow until `stop()`. */
  async start(): Promise<Outcome<true>> {
    const attempt = new AbortController();
    this.#attempt = attempt;
    this.#attempts += 1;
    const outcome = await this.open(attempt.signal).catch((error: unknown) => {
      this.settings.bug(error);
      return failed(FAILURES.bug);
    });
    // A newer attempt or `stop()` came in between: what was opened is not wanted any more.
    if (attempt.signal.aborted) {
      if (outcome.ok) outcome.value.close();
      return failed(FAILURES.overtaken);
    }
    this.#attempt = undefined;
    if (outcome.ok) {
      this.#adopt(outcome.value);
      return ok(true);
    }
    this.#tryIn((outcome.failure.retryAfterS ?? 0) * 1000);
    // With a stream still open (a failed `renew`) the readers miss nothing that they had.
    if (!this.#stream) this.#tell('failed', outcome.failure);
    this.listener.attemptFailed(outcome.failure);
    return outcome;
  }

  #adopt(stream: OpenStream): void {
    const isRenewed = this.#stream !== undefined;
    this.#drop();
    this.#stream = stream;
    this.#isAlive = false;
    this.#announced = undefined;
    this.#openedAtMs = this.#lifeAtMs = this.#now;
    if (this.#state.state !== 'live') {
      this.#updateAtMs = this.#now;
      this.#tell('quiet');
    }
    this.listener.opened(isRenewed ? 'renewed' : this.#attempts === 1 ? 'first' : 'again');
    this.#lookLater();
    void this.#pump(stream);
  }

  /** Reads a stream from its first byte to its end. An exception of ours costs one item. */
  async #pump(stream: OpenStream): Promise<void> {
    let end: Failure | undefined;
    try {
      for await (const item of readSse(stream.body)) {
        if (stream !== this.#stream) return;
        if (item.kind === 'overlong') end = FAILURES.overlong;
        else this.#guarded(() => this.#take(item, stream));
      }
    } catch {
      // What a body throws is a broken connection, whatever its class: a reset, an early end, a failed inflate.
      end = FAILURES.broken;
    }
    if (stream === this.#stream) this.#guarded(() => this.#lost(end));
  }

  #guarded(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.settings.bug(error);
    }
  }

  #take(item: SseItem, stream: OpenStream): void {
    this.#isAlive = true;
    this.#lifeAtMs = this.#now;
    if (item.kind === 'comment') {
      const { state, failure } = this.#state;
      const isQuiet = this.#now - this.#updateAtMs >= QUIET_AFTER_MS;
      if ((state === 'live' && isQuiet) || (state === 'quiet' && failure)) this.#tell('quiet');
    }
    if (item.kind === 'retry') this.#askedMs = Math.min(item.ms, DAY_MS);
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
    if (this.#state.state !== 'live') this.#tell('live');
  }

  #lookLater(): void {
    this.#cancelLook = this.settings.timers.after(LOOK_MS, () => {
      if (this.#now - this.#lifeAtMs >= SILENCE_MS) return this.#lost(FAILURES.silent);
      const isLive = this.#state.state === 'live';
      if (isLive && this.#now - this.#updateAtMs >= NOT_LIVE_AFTER_MS) this.#tell('quiet', FAILURES.noSign);
      this.#lookLater();
    });
  }

  #drop(): void {
    this.#cancelLook?.();
    const stream = this.#stream;
    this.#stream = undefined;
    stream?.close();
  }

  /** @param end absent where the service ended the stream in good order, or by a word of its own */
  #lost(end?: Failure): void {
    this.#drop();
    const isProven = this.#isAlive && this.#now - this.#openedAtMs >= PROVEN_MS;
    if (isProven) this.#failures = 0;
    this.#endedAtOnce = isProven ? 0 : this.#endedAtOnce + 1;
    let failure = end ?? (this.#endedAtOnce > 1 ? FAILURES.atOnce : undefined);
    if (!end && this.#announced !== undefined)
      failure = { kind: 'failing', detail: this.#announced.slice(0, 500) };
    // An attempt of `renew` may be under way: it is the next stream.
    if (!this.#attempt && !this.#cancelRetry) this.#tryIn(0);
    if (failure) this.#tell('reconnecting', failure);
    this.settings.ended?.(failure?.kind ?? 'planned');
    this.listener.over(failure);
  }

  /** After twice the wait before, give or take a quarter: a thousand dashboards don't retry in step. */
  #tryIn(leastMs: number): void {
    if (this.#stopped) return;
    const plainMs = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** this.#failures);
    const ms = Math.max(leastMs, this.#askedMs, Math.round(plainMs * (0.75 + this.settings.random() * 0.5)));
    this.#failures += 1;
    this.#retryAtMs = this.#now + ms;
    this.#cancelRetry = this.settings.timers.after(ms, () => {
      this.#cancelRetry = undefined;
      this.#tryNow();
    });
  }

  #tryNow(): void {
    this.start().catch((error: unknown) => this.settings.bug(error));
  }

  #giveUp(): void {
    this.#attempt?.abort();
    this.#cancelRetry?.();
    this.#cancelRetry = undefined;
  }

  #tell(state: ConnectionState['state'], failure?: Failure): void {
    if (this.#stopped) return;
    const before = this.#state;
    const fromMs = state === 'quiet' ? this.#updateAtMs : this.#now;
    const told = failure && { failure: { kind: failure.kind, detail: failure.detail } };
    this.#state = { state, sinceMs: before.state === state ? before.sinceMs : fromMs, ...told };
    this.listener.stateChanged?.();
  }
}

/** An id takes 75 characters of the address, and servers refuse request heads of 8 kB. */
export const MAX_FEEDS_PER_STREAM = 100;

export type UpstreamEdges = ConnectionSettings & {
  open(host: FeedHost, ids: readonly FeedId[], signal: AbortSignal): Promise<Outcome<OpenStream>>;
};

/** `over`: the next one follows. */
export type UpstreamListener = Pick<ConnectionListener, 'event' | 'over' | 'stateChanged'> & {
  opened(ids: readonly FeedId[], cause: OpenCause): void;
  attemptFailed(failure: Failure, ids: readonly FeedId[]): void;
};

/** `ids`: what the stream was opened for, plus what the next opening adds. */
type Line = { ids: Set<FeedId>; readonly connection: Connection };

/** The streams that carry the wanted feeds. An unwanted one stays until its stream is renewed: that costs a call. */
export class UpstreamStreams {
  #wanted: ReadonlySet<FeedId> = new Set();
  #lines: Line[] = [];
  #idleSinceMs: number;

  /** @param host where a stream is opened that is opened now */
  constructor(
    private readonly edges: UpstreamEdges,
    private readonly host: () => FeedHost,
    private readonly listener: UpstreamListener,
  ) {
    this.#idleSinceMs = edges.timers.now();
  }

  get count(): number {
    return this.#lines.length;
  }

  get openCount(): number {
    return this.#lines.filter(({ connection }) => connection.isOpen).length;
  }

  /** Makes the streams carry these feeds. A stream that gets another feed is opened anew before the old one is dropped. */
  cover(wanted: ReadonlySet<FeedId>): void {
    this.#wanted = wanted;
    for (const line of this.#lines) if (this.#idsOf(line).length === 0) line.connection.stop();
    this.#lines = this.#lines.filter((line) => this.#idsOf(line).length > 0);
    if (this.#lines.length === 0) this.#idleSinceMs = this.edges.timers.now();
    const covered = new Set(this.#lines.flatMap(({ ids }) => [...ids]));
    // One that carries twice as much as is wanted of it is opened anew as well.
    const stale = new Set(this.#lines.filter((line) => this.#idsOf(line).length * 2 < line.ids.size));
    for (const id of wanted) {
      if (covered.has(id)) continue;
      const line = this.#lines.find((one) => this.#idsOf(one).length < MAX_FEEDS_PER_STREAM) ?? this.#open();
      line.ids.add(id);
      stale.add(line);
    }
    for (const { connection } of stale) connection.renew();
  }

  /** These feeds are not on their streams although they were asked for: `cover` puts them there anew. */
  lack(ids: Iterable<FeedId>): void {
    for (const id of ids) for (const line of this.#lines) line.ids.delete(id);
  }

  /** Another host from now on: each stream is opened there before the one on the old host is dropped. */
  moveHost(): void {
    for (const { connection } of this.#lines) connection.renew('other-host');
  }

  /** One state for all streams: trouble of any of them first, then live, then quiet. */
  state(): ConnectionState {
    const states = this.#lines.map(({ connection }) => connection.state);
    const worst = (['failed', 'reconnecting', 'connecting', 'live', 'quiet'] as const).flatMap(
      (state) => states.find((one) => one.state === state) ?? [],
    )[0];
    return worst ?? { state: 'quiet', sinceMs: this.#idleSinceMs };
  }

  stop(): void {
    for (const { connection } of this.#lines) connection.stop();
    this.#lines = [];
  }

  #open(): Line {
    const { edges, listener } = this;
    const connection = new Connection(
      (signal) => {
        // Read when an attempt begins: it asks for what is wanted by then, and only that is on the stream.
        const asked = this.#idsOf(line);
        line.ids = new Set(asked);
        return edges.open(this.host(), asked, signal);
      },
      // A named error is not passed on: it is followed by the end of the stream, or means nothing.
      {
        ...listener,
        opened: (cause) => listener.opened(this.#idsOf(line), cause),
        attemptFailed: (failure) => listener.attemptFailed(failure, this.#idsOf(line)),
      },
      edges,
    );
    const line: Line = { ids: new Set(), connection };
    this.#lines.push(line);
    return line;
  }

  #idsOf(line: Line): FeedId[] {
    return [...line.ids].filter((id) => this.#wanted.has(id));
  }
}
