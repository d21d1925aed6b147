import { type Failure, failed, type Outcome, ok } from '@/lib/core/outcome';
import { formatSseComment, formatSseEvent, type SseEvent } from '@/lib/upstream/sse';
import { BackpressuredClient, type Sink } from './subscribers';
import { Connection, type ConnectionSettings, type OpenStream } from './upstream-streams';

type ProgramStreamsDeps = ConnectionSettings & {
  /** `query` is what follows the `?`, in canonical spelling. */
  open(query: string, signal: AbortSignal): Promise<Outcome<OpenStream>>;
};

/** Time for which an upstream stream outlives its last client, so that clients in quick succession share it. */
const LINGER_MS = 1_000;
/** Consecutive refusals (4xx) after which clients are disconnected. They get the status when they reconnect. */
const MAX_REFUSALS = 3;

/** Write buffer of a client, which is disconnected on overflow, as the service would do: programs want every event. */
const MAX_WAITING_BYTES = 1_000_000;

const HEARTBEAT = Buffer.from(formatSseComment('.'));

/** Equal queries share one upstream stream. Clients stay connected when it ends; `error` events tell them. */
export class ProgramStreams {
  readonly #streams = new Map<string, ProgramStream>();
  readonly #counts = { events: 0, losses: 0 };
  #stopped = false;

  constructor(private readonly deps: ProgramStreamsDeps) {}

  /** Figures for metrics. The counts only grow. */
  get stats() {
    const streams = [...this.#streams.values()];
    const readers = streams.reduce((sum, stream) => sum + stream.readers.size, 0);
    const upstreamStreams = streams.filter(({ connection }) => connection.isOpen).length;
    return { ...this.#counts, readers, upstreamStreams };
  }

  /**
   * Calls `begin`, which sends the response head, only once the upstream stream is open. The returned function
   * removes the client; before that, `signal` does.
   */
  async subscribe(query: string, begin: () => Sink, signal: AbortSignal): Promise<Outcome<() => void>> {
    if (this.#stopped) return failed({ kind: 'too-many', detail: 'The dashboard is shutting down.' });
    const remove = () => void this.#streams.delete(query);
    const stream = this.#streams.get(query) ?? new ProgramStream(query, this.deps, this.#counts, remove);
    this.#streams.set(query, stream);
    return stream.subscribe(begin, signal);
  }

  heartbeat(): void {
    for (const stream of this.#streams.values()) stream.heartbeat();
  }

  stop(): void {
    this.#stopped = true;
    for (const stream of [...this.#streams.values()]) stream.stop();
  }
}

class ProgramStream {
  /** Includes those that wait for the first attempt. */
  readonly readers = new Set<BackpressuredClient>();
  readonly connection: Connection;
  readonly #started: Promise<Outcome<true>>;
  #cancelLinger: (() => void) | undefined;
  #refusals = 0;
  #stopped = false;
  /** Text sent about the current outage, which is not repeated at every attempt. */
  #lastErrorText: string | undefined;
  #lastFailure: Failure | undefined;

  constructor(
    query: string,
    private readonly deps: ProgramStreamsDeps,
    private readonly counts: { events: number; losses: number },
    private readonly onStopped: () => void,
  ) {
    this.connection = new Connection((signal) => deps.open(query, signal), this.#listener(), deps);
    this.#started = this.connection.start();
  }

  async subscribe(begin: () => Sink, signal: AbortSignal): Promise<Outcome<() => void>> {
    const reader = new BackpressuredClient(this.deps.timers, MAX_WAITING_BYTES);
    const leave = () => this.#leave(reader);
    this.readers.add(reader);
    this.#cancelLinger?.();
    // An attempt that no client waits for any more is aborted.
    signal.addEventListener('abort', leave, { once: true });
    const started = await this.#started;
    signal.removeEventListener('abort', leave);
    const failure = started.ok ? this.#down() : started.failure;
    if (failure || signal.aborted) {
      leave();
      if (!started.ok) this.stop();
      return failed(failure ?? { kind: 'unreachable', detail: 'The client went away.' });
    }
    reader.attach(begin());
    return ok(leave);
  }

  heartbeat(): void {
    for (const reader of this.readers) reader.sendHeartbeat(HEARTBEAT);
  }

  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#cancelLinger?.();
    this.connection.stop();
    for (const reader of this.readers) reader.close('end');
    this.readers.clear();
    this.onStopped();
  }

  /** The failure of the last attempt, during an outage. */
  #down(): Failure | undefined {
    if (this.#stopped) return { kind: 'unreachable', detail: 'The stream was closed.' };
    if (this.connection.isOpen || !this.#lastFailure) return undefined;
    return { ...this.#lastFailure, retryAfterS: this.connection.retryInS ?? 1 };
  }

  #leave(reader: BackpressuredClient): void {
    reader.close();
    if (!this.readers.delete(reader) || this.readers.size > 0 || this.#stopped) return;
    this.#cancelLinger = this.deps.timers.after(LINGER_MS, () => this.stop());
  }

  #listener() {
    return {
      event: (event: SseEvent) => {
        this.counts.events += 1;
        this.#lastErrorText = undefined;
        this.#broadcast(event);
        return true;
      },
      serviceError: (text: string) => this.#broadcastError(text),
      opened: () => {
        this.#refusals = 0;
        this.#lastErrorText = undefined;
        this.#lastFailure = undefined;
      },
      ended: (failure: Failure | undefined) => {
        if (failure === undefined) return;
        this.counts.losses += 1;
        // The service announced this end with an event of its own, which was passed on.
        if (this.#lastErrorText === undefined) this.#broadcastError(failure.detail);
      },
      attemptFailed: (failure: Failure) => {
        this.#lastFailure = failure;
        if (this.#lastErrorText !== failure.detail) this.#broadcastError(failure.detail);
        const refused = failure.kind === 'rejected' || failure.kind === 'missing';
        this.#refusals = refused ? this.#refusals + 1 : 0;
        if (this.#refusals >= MAX_REFUSALS) this.stop();
      },
    };
  }

  #broadcastError(text: string): void {
    this.#lastErrorText = text;
    this.#broadcast({ event: 'error', data: text });
  }

  #broadcast(event: { event?: string; data: string; id?: string }): void {
    if (this.readers.size === 0) return;
    const bytes = Buffer.from(formatSseEvent(event));
    for (const reader of this.readers) reader.send(bytes);
  }
}
