import { ReconnectingSource, type SourceDeps } from '@/lib/core/reconnecting-source';
import {
  FEED_STREAM_EVENTS,
  type FeedConnection,
  type FeedStreamEvent,
  type FeedTrouble,
  readFeedStreamEvent,
} from '@/lib/feeds/stream-events';

export type FeedLink = {
  /**
   * `idle`: no feed is chosen. `paused`: the page is hidden. `cut`: our server is unreachable. `silent`: its heartbeat is
   * missing, and the stream reopens. `refused`: by our server. The others are the states of its stream from the service;
   * `quiet` with `trouble` may be dead as well.
   */
  readonly kind: 'idle' | 'paused' | 'cut' | 'silent' | 'refused' | FeedConnection['state'];
  readonly trouble?: Pick<FeedTrouble, 'kind' | 'detail'>;
  /** Next attempt, unix ms by this browser's clock; absent if none is announced. */
  readonly retryAtMs?: number;
  /** Unix ms by our server's clock. */
  readonly sinceMs?: number;
  /** Receipt of the state, unix ms by this browser's clock. */
  readonly receivedAtMs?: number;
};

/** Whether the service is reachable, so that a silence comes from the feeds. */
export function isConnected({ kind, trouble }: FeedLink): boolean {
  return kind === 'live' || (kind === 'quiet' && trouble === undefined);
}

/** A feed without a price is then unavailable, not waiting. */
export function isTroubled(link: FeedLink): boolean {
  return !isConnected(link) && !['idle', 'paused', 'connecting'].includes(link.kind);
}

type StreamHandlers = {
  readonly onEvent: (event: Exclude<FeedStreamEvent, { name: 'refused' }>) => void;
  readonly onLink: () => void;
};

/** Delay after a refusal without Retry-After. */
const REFUSED_RETRY_S = 30;
/** Refusals that retries can't fix: no countdown on screen. */
const PERMANENT_REFUSALS = ['bad-request', 'unconfigured'];

export class FeedStream {
  link: FeedLink = { kind: 'connecting' };
  readonly #source: ReconnectingSource;

  constructor(
    private readonly deps: SourceDeps,
    private readonly handlers: StreamHandlers,
  ) {
    this.#source = new ReconnectingSource(deps, {
      events: FEED_STREAM_EVENTS,
      onEvent: (name, data) => this.#handleEvent(name, data),
      onLost: (retryAtMs) => this.#setLink({ kind: 'cut', retryAtMs }),
      onReplaced: () => this.#showSilence(),
    });
  }

  /** The state of the previous stream stays until the new one reports its state. */
  open(url: string): void {
    if (!isConnected(this.link)) this.#setLink({ kind: 'connecting' });
    this.#source.open(url);
  }

  /** Unix ms by this browser's clock; undefined without a stream. */
  get lastEventMs(): number | undefined {
    return this.#source.lastEventMs;
  }

  /** Called when the computer woke up or is online again. Has no effect before `open`. */
  renew(): void {
    if (this.link.kind !== 'refused') this.#source.renew();
  }

  close(kind: 'idle' | 'paused'): void {
    this.#source.close();
    this.#setLink({ kind });
  }

  /** Shows silence: the state is not live until the new stream brings something. */
  #showSilence(): void {
    const { kind, sinceMs, receivedAtMs } = this.link;
    if (kind !== 'connecting' && kind !== 'cut') this.#setLink({ kind: 'silent', sinceMs, receivedAtMs });
  }

  #handleEvent(name: string, data: string): void {
    const event = readFeedStreamEvent(name, data);
    if (event?.name === 'snapshot') this.#applyConnection(event.value.connection);
    if (event?.name === 'connection') this.#applyConnection(event.value);
    if (event?.name === 'refused') this.#handleRefusal(event.value);
    else if (event) this.handlers.onEvent(event);
  }

  /** If a new stream reports the same `quiet`, its start is kept. */
  #applyConnection({ state, sinceMs, failure }: FeedConnection): void {
    const { kind, sinceMs: before, receivedAtMs } = this.link;
    const nowMs = this.deps.now();
    const isSame = (kind === state || kind === 'silent') && before === sinceMs;
    this.#setLink({
      kind: state,
      trouble: failure && { kind: failure.kind, detail: failure.detail },
      retryAtMs: failure?.retryAfterS && nowMs + failure.retryAfterS * 1000,
      sinceMs,
      receivedAtMs: isSame ? receivedAtMs : nowMs,
    });
  }

  /** Replaces the browser's retry by a later one. */
  #handleRefusal({ kind, detail, retryAfterS = REFUSED_RETRY_S }: FeedTrouble): void {
    this.#source.reopenAfter(retryAfterS * 1000);
    const retryAtMs = PERMANENT_REFUSALS.includes(kind) ? undefined : this.deps.now() + retryAfterS * 1000;
    this.#setLink({ kind: 'refused', trouble: { kind, detail }, retryAtMs });
  }

  #setLink(link: FeedLink): void {
    this.link = link;
    this.handlers.onLink();
  }
}
