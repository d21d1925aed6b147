/** What the browser gives us, injected so that a test needs neither a network nor a clock. */
export type SourceEdges = {
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
  addEventListener(type: string, listener: (event: { data?: unknown; lastEventId?: string }) => void): void;
  close(): void;
};

/** The way from this browser to our own server; what our server hears from the service is told inside the stream. */
export type SourceLink =
  | { readonly kind: 'closed' }
  | { readonly kind: 'opening' }
  | { readonly kind: 'open' }
  /** `retryAtMs` is absent while the browser itself retries, which it does every few seconds. */
  | { readonly kind: 'lost'; readonly sinceMs: number; readonly retryAtMs?: number };

export type SourceHandlers = {
  /** `id` is what the stream calls this place in it; empty where it names none. */
  readonly onEvent: (type: string, data: string, id: string) => void;
  readonly onLink: (link: SourceLink) => void;
};

/**
 * A stream on which nothing arrived for so long is made anew: after sleep, or when the way was cut without a word.
 * Comments of the stream are invisible here, so a stream that is merely quiet is renewed as well; that costs one request.
 */
export const SILENCE_MS = 45_000;

/** Waits between attempts after the browser gave up: 1, 2, 4, 8 and then 15 seconds, each shortened by up to a third. */
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 15_000;

const CLOSED_FOR_GOOD = 2;

/**
 * One EventSource, kept alive: the browser's own reconnecting is used as long as it lasts (it resumes by
 * `Last-Event-ID`), and a source that the browser closed for good (an answer that is no stream) is created again.
 */
export class FeedSource {
  readonly #edges: SourceEdges;
  readonly #handlers: SourceHandlers;
  readonly #eventTypes: readonly string[];
  #source: EventSourceLike | undefined;
  #url: string | undefined;
  #link: SourceLink = { kind: 'closed' };
  #failures = 0;
  #retryTimer: unknown;
  #silenceTimer: unknown;

  constructor(edges: SourceEdges, eventTypes: readonly string[], handlers: SourceHandlers) {
    this.#edges = edges;
    this.#eventTypes = eventTypes;
    this.#handlers = handlers;
  }

  /** The way as it is now. */
  get link(): SourceLink {
    return this.#link;
  }

  /** Opens this address; whatever was open before is closed. */
  open(url: string): void {
    this.#url = url;
    this.#failures = 0;
    this.#connect('announced');
  }

  /** Opens the same address again at once, for example when the browser woke up. Nothing happens before `open`. */
  renew(): void {
    if (this.#url !== undefined) {
      this.#connect('unnoticed');
    }
  }

  close(): void {
    this.#url = undefined;
    this.#drop();
    this.#tell({ kind: 'closed' });
  }

  /** `unnoticed`: a link that was open stays shown as open until the new attempt fails. */
  #connect(manner: 'announced' | 'unnoticed'): void {
    this.#drop();
    if (this.#url === undefined) {
      return;
    }
    if (this.#link.kind === 'closed' || (manner === 'announced' && this.#link.kind !== 'open')) {
      this.#tell({ kind: 'opening' });
    }
    const source = this.#edges.create(this.#url);
    this.#source = source;
    source.addEventListener('open', () => this.#ifCurrent(source, () => this.#opened()));
    for (const type of this.#eventTypes) {
      source.addEventListener(type, (event) =>
        this.#ifCurrent(source, () => this.#heard(type, event.data, event.lastEventId)),
      );
    }
    source.addEventListener('error', (event) => {
      // An `event: error` of the stream itself arrives here too, carries data, and the stream stays open.
      if (event.data === undefined) {
        this.#ifCurrent(source, () => this.#failed(source));
      }
    });
    this.#watchSilence();
  }

  #ifCurrent(source: EventSourceLike, run: () => void): void {
    if (source === this.#source) {
      run();
    }
  }

  #opened(): void {
    this.#watchSilence();
    this.#tell({ kind: 'open' });
  }

  #heard(type: string, data: unknown, id = ''): void {
    this.#failures = 0;
    this.#watchSilence();
    this.#handlers.onEvent(type, typeof data === 'string' ? data : '', id);
  }

  #failed(source: EventSourceLike): void {
    const now = this.#edges.now();
    const sinceMs = this.#link.kind === 'lost' ? this.#link.sinceMs : now;
    if (source.readyState !== CLOSED_FOR_GOOD) {
      this.#tell({ kind: 'lost', sinceMs });
      return;
    }
    this.#drop();
    const longest = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** this.#failures);
    const waitMs = Math.round(longest * (1 - this.#edges.random() / 3));
    this.#failures += 1;
    this.#tell({ kind: 'lost', sinceMs, retryAtMs: now + waitMs });
    this.#retryTimer = this.#edges.setTimer(() => this.#connect('unnoticed'), waitMs);
  }

  #watchSilence(): void {
    this.#edges.clearTimer(this.#silenceTimer);
    this.#silenceTimer = this.#edges.setTimer(() => this.renew(), SILENCE_MS);
  }

  #drop(): void {
    this.#edges.clearTimer(this.#retryTimer);
    this.#edges.clearTimer(this.#silenceTimer);
    this.#source?.close();
    this.#source = undefined;
  }

  #tell(link: SourceLink): void {
    this.#link = link;
    this.#handlers.onLink(link);
  }
}
