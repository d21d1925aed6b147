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

/** What the browser gives us, injected so that a test needs neither a network nor a clock. */
export type StreamEdges = Pick<Timers, 'now' | 'after'> & {
  readonly create: (url: string) => EventSourceLike;
  readonly random: () => number;
};

/** The part of EventSource that is used. `readyState` 2 is closed for good. */
export type EventSourceLike = {
  readonly readyState: number;
  addEventListener(type: string, listener: (event: { data?: unknown }) => void): void;
  close(): void;
};

/**
 * The state of the live stream as the page shows it: that which our server tells of the price service (a `quiet` with
 * trouble may be dead as well), but `idle`: no feed is chosen; `paused`: nobody looks at the page; `cut`: this browser lost
 * our server; `silent`: our server's heartbeat is missing, and a new connection is tried; `refused`: our server refuses the
 * stream.
 */
export type FeedLink = {
  readonly kind: 'idle' | 'paused' | 'cut' | 'silent' | 'refused' | FeedConnection['state'];
  readonly trouble?: Pick<FeedTrouble, 'kind' | 'detail'>;
  /** When the next attempt is made, unix ms of this browser; absent where none is announced. */
  readonly retryAtMs?: number;
  /** Since when it is so by the clock of our server, and when this browser heard of it, unix ms. */
  readonly sinceMs?: number;
  readonly heardAtMs?: number;
};

/** Whether the service is known to be there: then it is the feeds that are silent. */
export function isConnected({ kind, trouble }: FeedLink): boolean {
  return kind === 'live' || (kind === 'quiet' && trouble === undefined);
}

export type StreamHandlers = {
  readonly onEvent: (event: Exclude<FeedStreamEvent, { name: 'refused' }>) => void;
  readonly onLink: () => void;
};

/** Waits between attempts after the browser gave up: 1, 2, 4, 8 and then 15 seconds, each shortened by up to a third. */
const BACKOFF = { firstMs: 1_000, maxMs: 15_000 };
/** When a stream that was refused is asked for again, where no time is named. */
const REFUSED_RETRY_S = 30;
/** What no retry can mend is still tried, but no countdown is promised. */
const HOPELESS = ['bad-request', 'unconfigured'];
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const CLOSED_FOR_GOOD = 2;

/** One EventSource that resumes by itself (`Last-Event-ID`); one that the browser closed for good is created again. */
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

  /** Opens this address; whatever was open before is closed, and stays shown until the new stream says otherwise. */
  open(url: string): void {
    this.#url = url;
    this.#failures = 0;
    if (!isConnected(this.link)) this.#tell({ kind: 'connecting' });
    this.#connect();
  }

  /** When something came last, unix ms of this browser; undefined while there is no stream. */
  get heardMs(): number | undefined {
    return this.#watch?.heardMs;
  }

  /** Opens the same address again at once, when the browser woke up or is online again. Nothing happens before `open`. */
  renew(): void {
    if (this.link.kind !== 'refused') this.#reconnect();
  }

  close(kind: 'idle' | 'paused'): void {
    this.#url = undefined;
    this.#drop();
    this.#tell({ kind });
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
    for (const name of FEED_STREAM_EVENTS) on(name, (data) => this.#heard(name, String(data)));
    // An `event: error` of the stream itself arrives here too, carries data, and the stream stays open.
    on('error', (data) => {
      if (data === undefined) this.#failed(source);
    });
    this.#watch = new HeartbeatWatch(this.edges, () => this.#reconnect());
  }

  /** Nobody knows whether the old stream carries anything: until the new one does, nothing is called live. */
  #reconnect(): void {
    this.#connect();
    const { kind, sinceMs, heardAtMs } = this.link;
    if (this.#source !== undefined && kind !== 'connecting' && kind !== 'cut')
      this.#tell({ kind: 'silent', sinceMs, heardAtMs });
  }

  #heard(name: string, data: string): void {
    this.#failures = 0;
    this.#watch?.heard();
    const event = readFeedStreamEvent(name, data);
    if (event?.name === 'snapshot') this.#told(event.value.connection);
    if (event?.name === 'connection') this.#told(event.value);
    if (event?.name === 'refused') this.#refused(event.value);
    else if (event) this.handlers.onEvent(event);
  }

  /** A quiet that goes on is the same quiet, though a new stream tells it again. */
  #told({ state, sinceMs, failure }: FeedConnection): void {
    const { kind, sinceMs: before, heardAtMs } = this.link;
    const nowMs = this.edges.now();
    const isSame = (kind === state || kind === 'silent') && before === sinceMs;
    this.#tell({
      kind: state,
      trouble: failure && { kind: failure.kind, detail: failure.detail },
      retryAtMs: failure?.retryAfterS && nowMs + failure.retryAfterS * 1000,
      sinceMs,
      heardAtMs: isSame ? heardAtMs : nowMs,
    });
  }

  /** Trying at once again would only be refused again, so the browser's own retry is stopped. */
  #refused({ kind, detail, retryAfterS = REFUSED_RETRY_S }: FeedTrouble): void {
    this.#drop();
    const retryAtMs = HOPELESS.includes(kind) ? undefined : this.edges.now() + retryAfterS * 1000;
    this.#tell({ kind: 'refused', trouble: { kind, detail }, retryAtMs });
    this.#retryIn(retryAfterS * 1000);
  }

  #failed(source: EventSourceLike): void {
    if (source.readyState !== CLOSED_FOR_GOOD) {
      this.#tell({ kind: 'cut' });
      return;
    }
    this.#drop();
    const longest = backoffMs(BACKOFF, this.#failures);
    const waitMs = Math.round(longest * (1 - this.edges.random() / 3));
    this.#failures += 1;
    this.#tell({ kind: 'cut', retryAtMs: this.edges.now() + waitMs });
    this.#retryIn(waitMs);
  }

  #retryIn(ms: number): void {
    this.#cancelRetry = this.edges.after(Math.min(ms, LONGEST_TIMER_MS), () => this.#connect());
  }

  #drop(): void {
    this.#cancelRetry?.();
    this.#watch?.stop();
    this.#watch = undefined;
    this.#source?.close();
    this.#source = undefined;
  }

  #tell(link: FeedLink): void {
    this.link = link;
    this.handlers.onLink();
  }
}
