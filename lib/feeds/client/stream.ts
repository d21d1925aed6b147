import {
  FEED_STREAM_EVENTS,
  type FeedConnection,
  type FeedStreamEvent,
  type FeedTrouble,
  readFeedStreamEvent,
} from '@/lib/feeds/stream-events';

/** What the browser gives us, injected so that a test needs neither a network nor a clock. */
export type StreamEdges = {
  /** A browser's `new EventSource(url)`. */
  readonly create: (url: string) => EventSourceLike;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly setTimer: (run: () => void, ms: number) => unknown;
  readonly clearTimer: (timer: unknown) => void;
  /** 0 to 1, for jitter. */
  readonly random: () => number;
};

/** The part of EventSource that is used. `readyState` 2 is closed for good. */
export type EventSourceLike = {
  readonly readyState: number;
  addEventListener(type: string, listener: (event: { data?: unknown }) => void): void;
  close(): void;
};

/**
 * The way from this browser to our own server; what our server hears from the service is told inside the stream.
 * `lost`: `retryAtMs` is absent while the browser itself retries, which it does every few seconds. `refused`: our server
 * answered, and said no.
 */
export type StreamWay =
  | { readonly kind: 'closed' | 'opening' | 'open' }
  | { readonly kind: 'lost'; readonly retryAtMs?: number }
  | { readonly kind: 'refused'; readonly trouble: FeedTrouble; readonly retryAtMs: number };

export type StreamHandlers = {
  readonly onEvent: (event: Exclude<FeedStreamEvent, { name: 'refused' }>) => void;
  readonly onWay: (way: StreamWay) => void;
};

/**
 * A stream on which nothing arrived for so long is made anew: the way may have been cut without a word. Comments of the
 * stream are invisible here, so a stream that is merely quiet is renewed as well; that costs one request.
 */
export const SILENCE_MS = 45_000;
/** How often the stream is looked after. A look that comes so much too late tells that the computer slept. */
const LOOK_MS = 2_000;
const SLEPT_MS = 10_000;

/** Waits between attempts after the browser gave up: 1, 2, 4, 8 and then 15 seconds, each shortened by up to a third. */
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 15_000;
/** When a stream that was refused is asked for again, where no time is named. */
const REFUSED_RETRY_MS = 30_000;
/** Timers take no longer waits than this. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const CLOSED_FOR_GOOD = 2;

/**
 * One EventSource, kept alive: the browser's own reconnecting is used as long as it lasts (it resumes by
 * `Last-Event-ID`), and a source that the browser closed for good (an answer that is no stream) is created again.
 */
export class FeedStream {
  #source: EventSourceLike | undefined;
  #url: string | undefined;
  #way: StreamWay = { kind: 'closed' };
  #failures = 0;
  #heardMs = 0;
  #retryTimer: unknown;
  #lookTimer: unknown;

  constructor(
    private readonly edges: StreamEdges,
    private readonly handlers: StreamHandlers,
  ) {}

  /** Opens this address; whatever was open before is closed. */
  open(url: string): void {
    this.#url = url;
    this.#failures = 0;
    if (this.#way.kind !== 'open') this.#tell({ kind: 'opening' });
    this.#connect();
  }

  /** Opens the same address again at once, for example when the browser woke up. Nothing happens before `open`. */
  renew(): void {
    if (this.#way.kind !== 'refused') this.#connect();
  }

  close(): void {
    this.#url = undefined;
    this.#drop();
    this.#tell({ kind: 'closed' });
  }

  /** A way that was open stays shown as open until the new attempt fails. */
  #connect(): void {
    this.#drop();
    if (this.#url === undefined) return;
    const source = this.edges.create(this.#url);
    const on = (type: string, run: (data: unknown) => void) =>
      source.addEventListener(type, ({ data }) => {
        if (source === this.#source) run(data);
      });
    this.#source = source;
    on('open', () => {
      this.#heardMs = this.edges.now();
      // What comes after a refusal may be another one.
      if (this.#way.kind !== 'refused') this.#tell({ kind: 'open' });
    });
    for (const name of FEED_STREAM_EVENTS) on(name, (data) => this.#heard(name, String(data)));
    // An `event: error` of the stream itself arrives here too, carries data, and the stream stays open.
    on('error', (data) => {
      if (data === undefined) this.#failed(source);
    });
    this.#heardMs = this.edges.now();
    this.#lookLater();
  }

  #heard(name: string, data: string): void {
    this.#failures = 0;
    this.#heardMs = this.edges.now();
    const event = readFeedStreamEvent(name, data);
    if (event?.name === 'refused') this.#refused(event.value);
    else if (event !== undefined) {
      if (this.#way.kind !== 'open') this.#tell({ kind: 'open' });
      this.handlers.onEvent(event);
    }
  }

  /** Trying at once again would only be refused again, so the browser's own retry is stopped. */
  #refused(trouble: FeedTrouble): void {
    this.#drop();
    const waitMs = trouble.retryAfterS === undefined ? REFUSED_RETRY_MS : trouble.retryAfterS * 1000;
    this.#tell({ kind: 'refused', trouble, retryAtMs: this.edges.now() + waitMs });
    this.#retryIn(waitMs);
  }

  #failed(source: EventSourceLike): void {
    if (source.readyState !== CLOSED_FOR_GOOD) {
      this.#tell({ kind: 'lost' });
      return;
    }
    this.#drop();
    const longest = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** this.#failures);
    const waitMs = Math.round(longest * (1 - this.edges.random() / 3));
    this.#failures += 1;
    this.#tell({ kind: 'lost', retryAtMs: this.edges.now() + waitMs });
    this.#retryIn(waitMs);
  }

  #retryIn(ms: number): void {
    this.#retryTimer = this.edges.setTimer(() => this.#connect(), Math.min(ms, LONGEST_TIMER_MS));
  }

  #lookLater(): void {
    const dueMs = this.edges.now() + LOOK_MS;
    this.#lookTimer = this.edges.setTimer(() => {
      const nowMs = this.edges.now();
      if (nowMs - dueMs > SLEPT_MS || nowMs - this.#heardMs >= SILENCE_MS) this.#connect();
      else this.#lookLater();
    }, LOOK_MS);
  }

  #drop(): void {
    this.edges.clearTimer(this.#retryTimer);
    this.edges.clearTimer(this.#lookTimer);
    this.#source?.close();
    this.#source = undefined;
  }

  #tell(way: StreamWay): void {
    this.#way = way;
    this.handlers.onWay(way);
  }
}

/** Why something is not there: our word for it, and what was said. */
export type LinkTrouble = Pick<FeedTrouble, 'kind' | 'detail'>;

/** The state of the live stream as the page shows it. Times are unix milliseconds of this browser's clock. */
export type FeedLink =
  /** `idle`: no feed is chosen. `paused`: closed because nobody looks at the page. */
  | { readonly kind: 'idle' | 'paused' | 'connecting' | 'live' }
  /**
   * No update comes. `after` prices: `sinceMs` is when the last one came, else when the stream began. `sign`: whether the
   * service is known to be connected all the same, or the way may be dead.
   */
  | {
      readonly kind: 'quiet';
      readonly sinceMs: number;
      readonly after: 'opening' | 'prices';
      readonly sign: 'alive' | 'none';
    }
  /**
   * `reconnecting`: our server lost the price service and tries again; `failed`: it can't get prices, and trying again soon
   * will not help. `cut`: this browser lost our server. `refused`: our server refuses the stream, for example because this
   * browser has too many.
   */
  | {
      readonly kind: 'reconnecting' | 'failed' | 'cut' | 'refused';
      readonly trouble?: LinkTrouble;
      readonly retryAtMs?: number;
    };

/**
 * What our server said last about its own connection to the price service, with the moment it said so. `pricesUntilMs`:
 * when the last update came, where it says that no more come.
 */
export type ToldConnection = {
  readonly connection: FeedConnection;
  readonly heardAtMs: number;
  readonly pricesUntilMs?: number;
};

/** A quiet that goes on is the same quiet, though a new stream tells it again. */
export function toldAnew(
  before: ToldConnection | undefined,
  connection: FeedConnection,
  nowMs: number,
  lastUpdateMs: number | undefined,
): ToldConnection {
  if (connection.state !== 'quiet') return { connection, heardAtMs: nowMs };
  const isSame = before?.connection.state === 'quiet' && before.connection.sinceMs === connection.sinceMs;
  if (isSame) return { ...before, connection };
  const pricesUntilMs = before?.connection.state === 'live' ? lastUpdateMs : undefined;
  return { connection, heardAtMs: nowMs, pricesUntilMs };
}

/** Whether the service is known to be there: then it is the feeds that are silent. */
export function isConnected(link: FeedLink): boolean {
  return link.kind === 'live' || (link.kind === 'quiet' && link.sign === 'alive');
}

/** One state from the two halves of the way; the half that is nearer to the reader is told first. */
export function feedLinkOf(
  status: 'idle' | 'paused' | 'watching',
  way: StreamWay,
  told: ToldConnection | undefined,
): FeedLink {
  if (status !== 'watching') return { kind: status };
  if (way.kind === 'lost') return { kind: 'cut', retryAtMs: way.retryAtMs };
  if (way.kind === 'refused') {
    const { kind, detail } = way.trouble;
    // What no retry can mend is still tried, but no countdown is promised.
    const isHopeless = kind === 'bad-request' || kind === 'unconfigured';
    return { kind: 'refused', trouble: { kind, detail }, retryAtMs: isHopeless ? undefined : way.retryAtMs };
  }
  if (told === undefined) return { kind: 'connecting' };
  const { connection, heardAtMs, pricesUntilMs } = told;
  const { state, failure } = connection;
  if (state === 'quiet') {
    const sign = failure === undefined ? 'alive' : 'none';
    const after = pricesUntilMs === undefined ? 'opening' : 'prices';
    return { kind: 'quiet', sinceMs: pricesUntilMs ?? heardAtMs, after, sign };
  }
  if (state !== 'reconnecting' && state !== 'failed') return { kind: state };
  const trouble = failure && { kind: failure.kind, detail: failure.detail };
  const retryAtMs = failure?.retryAfterS === undefined ? undefined : heardAtMs + failure.retryAfterS * 1000;
  return { kind: state, trouble, retryAtMs };
}
