import { backoffMs } from '@/lib/core/backoff';
import { HeartbeatWatch } from '@/lib/core/heartbeat';
import type { Timers } from '@/lib/core/timers';
import {
  FEED_STREAM_EVENTS,
  type FeedConnection,
  type FeedStreamEvent,
  type FeedTrouble,
  readFeedStreamEvent,
} from '@/lib/feeds/stream-events';

/** Browser APIs, injected for tests. */
export type StreamEdges = Pick<Timers, 'now' | 'after'> & {
  readonly create: (url: string) => EventSourceLike;
  readonly random: () => number;
};

/** The part of EventSource that is used. `readyState` 2: closed for good. */
export type EventSourceLike = {
  readonly readyState: number;
  addEventListener(type: string, listener: (event: { data?: unknown }) => void): void;
  close(): void;
};

/** State of the live stream, as the page shows it. */
export type FeedLink = {
  /**
   * `idle`: no feed is chosen. `paused`: the page is hidden. `cut`: the connection to our server is lost. `silent`: our
   * server's heartbeat is missing, and the stream is being reopened. `refused`: our server refuses the stream. The
   * other states are those of our server's stream from the price service; `quiet` with `trouble` may be dead as well.
   */
  readonly kind: 'idle' | 'paused' | 'cut' | 'silent' | 'refused' | FeedConnection['state'];
  readonly trouble?: Pick<FeedTrouble, 'kind' | 'detail'>;
  /** Time of the next attempt, unix ms by this browser's clock; absent if none is announced. */
  readonly retryAtMs?: number;
  /** Start of the state, unix ms by our server's clock. */
  readonly sinceMs?: number;
  /** Time at which this browser received the state, unix ms by its clock. */
  readonly receivedAtMs?: number;
};

/** Whether the service is reachable, so that a silence comes from the feeds. */
export function isConnected({ kind, trouble }: FeedLink): boolean {
  return kind === 'live' || (kind === 'quiet' && trouble === undefined);
}

/** Whether the stream can bring no price at present. A feed without a price is then unavailable, not waiting. */
export function isTroubled(link: FeedLink): boolean {
  return !isConnected(link) && !['idle', 'paused', 'connecting'].includes(link.kind);
}

type StreamHandlers = {
  readonly onEvent: (event: Exclude<FeedStreamEvent, { name: 'refused' }>) => void;
  readonly onLink: () => void;
};

/**
 * Delays between attempts after the browser gave up: 1, 2, 4, 8 and then 15 seconds, each shortened by up to a quarter.
 */
const PAGE_STREAM_BACKOFF = { firstMs: 1_000, maxMs: 15_000 };
/** Delay after a refusal without Retry-After. */
const REFUSED_RETRY_S = 30;
/** Refusals that retries can't fix. They are retried without a countdown on screen. */
const PERMANENT_REFUSALS = ['bad-request', 'unconfigured'];
const MAX_TIMER_MS = 2 ** 31 - 1;
const CLOSED_FOR_GOOD = 2;

/**
 * An EventSource that resumes by itself (`Last-Event-ID`), and is created again if the browser has closed it for good.
 */
export class FeedStream {
  link: FeedLink = { kind: 'connecting' };
  #source: EventSourceLike | undefined;
  #url: string | undefined;
  #failures = 0;
  #watch: HeartbeatWatch | undefined;
  #cancelRetry: (() => void) | undefined;

  constructor(
    private readonly edges: StreamEdges,
    private readonly handlers: StreamHandlers,
  ) {}

  /** Opens a URL and closes the previous stream, whose state stays until the new stream reports one. */
  open(url: string): void {
    this.#url = url;
    this.#failures = 0;
    if (!isConnected(this.link)) this.#setLink({ kind: 'connecting' });
    this.#connect();
  }

  /** Time of the last event, unix ms by this browser's clock; undefined without a stream. */
  get lastEventMs(): number | undefined {
    return this.#watch?.lastEventMs;
  }

  /** Reconnects at once, after the computer woke up or is online again. Has no effect before `open`. */
  renew(): void {
    if (this.link.kind !== 'refused') this.#reconnect();
  }

  close(kind: 'idle' | 'paused'): void {
    this.#url = undefined;
    this.#drop();
    this.#setLink({ kind });
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
    for (const name of FEED_STREAM_EVENTS) on(name, (data) => this.#handleEvent(name, String(data)));
    // An `event: error` sent by our server arrives here too. It carries data, and the stream stays open.
    on('error', (data) => {
      if (data === undefined) this.#handleError(source);
    });
    this.#watch = new HeartbeatWatch(this.edges, () => this.#reconnect());
  }

  /** Opens a new stream. The state is not live until the new stream has brought something. */
  #reconnect(): void {
    this.#connect();
    const { kind, sinceMs, receivedAtMs } = this.link;
    if (this.#source !== undefined && kind !== 'connecting' && kind !== 'cut')
      this.#setLink({ kind: 'silent', sinceMs, receivedAtMs });
  }

  #handleEvent(name: string, data: string): void {
    this.#failures = 0;
    this.#watch?.recordEvent();
    const event = readFeedStreamEvent(name, data);
    if (event?.name === 'snapshot') this.#applyConnection(event.value.connection);
    if (event?.name === 'connection') this.#applyConnection(event.value);
    if (event?.name === 'refused') this.#handleRefusal(event.value);
    else if (event) this.handlers.onEvent(event);
  }

  /** Applies the state that our server reports. If a new stream reports the same `quiet`, its start is kept. */
  #applyConnection({ state, sinceMs, failure }: FeedConnection): void {
    const { kind, sinceMs: before, receivedAtMs } = this.link;
    const nowMs = this.edges.now();
    const isSame = (kind === state || kind === 'silent') && before === sinceMs;
    this.#setLink({
      kind: state,
      trouble: failure && { kind: failure.kind, detail: failure.detail },
      retryAtMs: failure?.retryAfterS && nowMs + failure.retryAfterS * 1000,
      sinceMs,
      receivedAtMs: isSame ? receivedAtMs : nowMs,
    });
  }

  /** Stops the browser's own retry after a refusal, and schedules a later one. */
  #handleRefusal({ kind, detail, retryAfterS = REFUSED_RETRY_S }: FeedTrouble): void {
    this.#drop();
    const retryAtMs = PERMANENT_REFUSALS.includes(kind) ? undefined : this.edges.now() + retryAfterS * 1000;
    this.#setLink({ kind: 'refused', trouble: { kind, detail }, retryAtMs });
    this.#retryIn(retryAfterS * 1000);
  }

  #handleError(source: EventSourceLike): void {
    if (source.readyState !== CLOSED_FOR_GOOD) {
      this.#setLink({ kind: 'cut' });
      return;
    }
    this.#drop();
    const waitMs = backoffMs(PAGE_STREAM_BACKOFF, this.#failures, this.edges.random());
    this.#failures += 1;
    this.#setLink({ kind: 'cut', retryAtMs: this.edges.now() + waitMs });
    this.#retryIn(waitMs);
  }

  #retryIn(ms: number): void {
    this.#cancelRetry = this.edges.after(Math.min(ms, MAX_TIMER_MS), () => this.#connect());
  }

  #drop(): void {
    this.#cancelRetry?.();
    this.#watch?.stop();
    this.#watch = undefined;
    this.#source?.close();
    this.#source = undefined;
  }

  #setLink(link: FeedLink): void {
    this.link = link;
    this.handlers.onLink();
  }
}
