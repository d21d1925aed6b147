import { backoffMs } from './backoff';
import { HeartbeatWatch } from './heartbeat';
import { realTimers, type Timers } from './timers';

/** `readyState` 2: closed for good. */
export type EventSourceLike = {
  readonly readyState: number;
  addEventListener(type: string, listener: (event: { data?: unknown }) => void): void;
  close(): void;
};

export type SourceDeps = Pick<Timers, 'now' | 'after'> & {
  readonly create: (url: string) => EventSourceLike;
  readonly random: () => number;
};

export const browserSourceDeps: SourceDeps = {
  ...realTimers,
  create: (url) => new EventSource(url),
  random: Math.random,
};

type SourceHandlers = {
  /** Includes heartbeats. Any of these events shows that the stream is alive. */
  readonly events: readonly string[];
  readonly onEvent: (name: string, data: string) => void;
  readonly onOpen?: () => void;
  /** @param retryAtMs next attempt, unix ms; undefined while the browser retries by itself */
  readonly onLost?: (retryAtMs: number | undefined) => void;
  /** A source that was silent or was renewed has a successor. */
  readonly onReplaced?: () => void;
};

/** Delays after the browser gave up: 1, 2, 4, 8 and then 15 seconds, less a random part. */
const PAGE_STREAM_BACKOFF = { firstMs: 1_000, maxMs: 15_000 };
const MAX_TIMER_MS = 2 ** 31 - 1;
const CLOSED_FOR_GOOD = 2;

/**
 * Resumes by itself (`Last-Event-ID`). A new source is created if the browser closed it for good, if our heartbeat is
 * missing, or if the computer slept.
 */
export class ReconnectingSource {
  #url: string | undefined;
  #source: EventSourceLike | undefined;
  #watch: HeartbeatWatch | undefined;
  #failures = 0;
  #cancelRetry: (() => void) | undefined;

  constructor(
    private readonly deps: SourceDeps,
    private readonly handlers: SourceHandlers,
  ) {}

  /** Unix ms by this browser's clock; undefined while no source is open. */
  get lastEventMs(): number | undefined {
    return this.#watch?.lastEventMs;
  }

  /** Closes the previous source. */
  open(url: string): void {
    this.#url = url;
    this.#failures = 0;
    this.#connect();
  }

  /** Has no effect before `open`. */
  renew(): void {
    if (this.#url === undefined) return;
    this.#connect();
    this.handlers.onReplaced?.();
  }

  reopenAfter(ms: number): void {
    this.#drop();
    this.#cancelRetry = this.deps.after(Math.min(ms, MAX_TIMER_MS), () => this.#connect());
  }

  close(): void {
    this.#url = undefined;
    this.#drop();
  }

  #connect(): void {
    this.#drop();
    if (this.#url === undefined) return;
    const source = this.deps.create(this.#url);
    const addListener = (type: string, run: (data: unknown) => void) =>
      source.addEventListener(type, ({ data }) => {
        if (source === this.#source) run(data);
      });
    this.#source = source;
    this.#watch = new HeartbeatWatch(this.deps, () => this.renew());
    addListener('open', () => {
      this.#watch?.recordEvent();
      this.handlers.onOpen?.();
    });
    for (const name of this.handlers.events)
      addListener(name, (data) => this.#handleEvent(name, String(data)));
    // An `event: error` sent by our server arrives here too, with data, and the stream stays open.
    addListener('error', (data) => {
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
    const waitMs = backoffMs(PAGE_STREAM_BACKOFF, this.#failures, this.deps.random());
    this.#failures += 1;
    this.reopenAfter(waitMs);
    this.handlers.onLost?.(this.deps.now() + waitMs);
  }

  #drop(): void {
    this.#cancelRetry?.();
    this.#watch?.stop();
    this.#watch = undefined;
    this.#source?.close();
    this.#source = undefined;
  }
}
