import { backoffMs } from './backoff';
import { HeartbeatWatch } from './heartbeat';
import { realTimers, type Timers } from './timers';

/** The part of EventSource that is used. `readyState` 2: closed for good. */
export type EventSourceLike = {
  readonly readyState: number;
  addEventListener(type: string, listener: (event: { data?: unknown }) => void): void;
  close(): void;
};

/** Browser APIs, injected for tests. */
export type SourceEdges = Pick<Timers, 'now' | 'after'> & {
  readonly create: (url: string) => EventSourceLike;
  readonly random: () => number;
};

export const browserSourceEdges: SourceEdges = {
  ...realTimers,
  create: (url) => new EventSource(url),
  random: Math.random,
};

type SourceHandlers = {
  /** Names of the events that are passed on, including heartbeats. Any of them shows that the stream is alive. */
  readonly events: readonly string[];
  readonly onEvent: (name: string, data: string) => void;
  readonly onOpen?: () => void;
  /**
   * Called when the connection is lost. @param retryAtMs next attempt, unix ms; undefined while the browser retries by
   * itself
   */
  readonly onLost?: (retryAtMs: number | undefined) => void;
  /** Called when a new source replaced one that was silent or was renewed. */
  readonly onReplaced?: () => void;
};

/**
 * Delays of attempts after the browser gave up: 1, 2, 4, 8 and then 15 seconds, each shortened at random by up to a
 * quarter.
 */
const PAGE_STREAM_BACKOFF = { firstMs: 1_000, maxMs: 15_000 };
const MAX_TIMER_MS = 2 ** 31 - 1;
const CLOSED_FOR_GOOD = 2;

/**
 * An EventSource that resumes by itself (`Last-Event-ID`). A new one is created if the browser closed it for good, if
 * our server's heartbeat is missing, or if the computer slept.
 */
export class ReconnectingSource {
  #url: string | undefined;
  #source: EventSourceLike | undefined;
  #watch: HeartbeatWatch | undefined;
  #failures = 0;
  #cancelRetry: (() => void) | undefined;

  constructor(
    private readonly edges: SourceEdges,
    private readonly handlers: SourceHandlers,
  ) {}

  /** Time of the last event, unix ms by this browser's clock; undefined while no source is open. */
  get lastEventMs(): number | undefined {
    return this.#watch?.lastEventMs;
  }

  /** Opens a URL, and closes the previous source. */
  open(url: string): void {
    this.#url = url;
    this.#failures = 0;
    this.#connect();
  }

  /** Replaces the source at once. It has no effect before `open`. */
  renew(): void {
    if (this.#url === undefined) return;
    this.#connect();
    this.handlers.onReplaced?.();
  }

  /** Closes the source and opens it again after a pause. */
  reopenAfter(ms: number): void {
    this.#drop();
    this.#cancelRetry = this.edges.after(Math.min(ms, MAX_TIMER_MS), () => this.#connect());
  }

  close(): void {
    this.#url = undefined;
    this.#drop();
  }

  #connect(): void {
    this.#drop();
    if (this.#url === undefined) return;
    const source = this.edges.create(this.#url);
    const on = (type: string, run: (data: unknown) => void) =>
      source.addEventListener(type, ({ data }) => {
        if (source === this.#source) run(data);
      });
    this.#source = source;
    this.#watch = new HeartbeatWatch(this.edges, () => this.renew());
    on('open', () => {
      this.#watch?.recordEvent();
      this.handlers.onOpen?.();
    });
    for (const name of this.handlers.events) on(name, (data) => this.#handleEvent(name, String(data)));
    // An `event: error` sent by our server arrives here too. It carries data, and the stream stays open.
    on('error', (data) => {
      if (data === undefined) this.#handleError(source);
    });
  }

  #handleEvent(name: string, data: string): void {
    this.#failures = 0;
    this.#watch?.recordEvent();
    this.handlers.onEvent(name, data);
  }

  #handleError({ readyState }: EventSourceLike): void {
    if (readyState !== CLOSED_FOR_GOOD) {
      this.handlers.onLost?.(undefined);
      return;
    }
    const waitMs = backoffMs(PAGE_STREAM_BACKOFF, this.#failures, this.edges.random());
    this.#failures += 1;
    this.reopenAfter(waitMs);
    this.handlers.onLost?.(this.edges.now() + waitMs);
  }

  #drop(): void {
    this.#cancelRetry?.();
    this.#watch?.stop();
    this.#watch = undefined;
    this.#source?.close();
    this.#source = undefined;
  }
}
