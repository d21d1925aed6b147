import type { FeedId } from '@/lib/domain/feed';
import type { Failure, Outcome } from '@/lib/domain/outcome';
import type { SseEvent } from '@/lib/upstream/sse';
import {
  Connection,
  type ConnectionState,
  type OpenCause,
  type OpenStream,
  type StreamEndReason,
} from './connection';
import type { FeedHost } from './host-choice';
import type { Timers } from './timers';

/**
 * Feeds on one upstream stream. An id takes 75 characters of the address; servers refuse request heads of 8 kB and more,
 * so a larger union is spread over a few streams.
 */
export const MAX_FEEDS_PER_STREAM = 100;

export type UpstreamEdges = {
  open(host: FeedHost, ids: readonly FeedId[], signal: AbortSignal): Promise<Outcome<OpenStream>>;
  timers: Timers;
  random: () => number;
  bug(error: unknown): void;
  /** Hears why a stream is over that is to be opened anew. */
  ended?(reason: StreamEndReason): void;
};

/** One upstream stream, as its listener knows it: `line` tells it from the others as long as it is wanted. */
export type LineNews = { line: number; ids: readonly FeedId[] };

export type UpstreamListener = {
  /** One event of any line. Gives whether it was an update that could be read. */
  event(event: SseEvent): boolean;
  opened(news: LineNews, cause: OpenCause, host: FeedHost): void;
  /** `standing`: the stream before still brings what it brought. */
  attemptFailed(failure: Failure, news: LineNews & { standing: boolean }): void;
  /**
   * The stream is over; the next one follows. Without a failure the service ended it in good order.
   * @param sinceMs up to then everything came: the last sign of life, or its end when that was in good order
   */
  over(news: LineNews, sinceMs: number, failure?: Failure): void;
  /** Nobody wants anything of it any more. */
  dropped(line: number): void;
  serviceError(text: string): void;
  stateChanged(): void;
};

/** `ids`: what the stream was opened for, plus what the next opening adds. */
type Line = { number: number; ids: Set<FeedId>; connection: Connection };

/**
 * The upstream streams that together carry the wanted feeds. A feed that nobody wants any more stays on its stream until
 * that is renewed for another reason: opening a stream costs a call, an update that is ignored costs nothing.
 */
export class UpstreamStreams {
  #wanted: ReadonlySet<FeedId> = new Set();
  readonly #lines = new Set<Line>();
  #idleSinceMs: number;
  #made = 0;

  /** @param host where a stream is opened that is opened now */
  constructor(
    private readonly edges: UpstreamEdges,
    private readonly host: () => FeedHost,
    private readonly listener: UpstreamListener,
  ) {
    this.#idleSinceMs = edges.timers.now();
  }

  /** Upstream streams, standing or not. */
  get count(): number {
    return this.#lines.size;
  }

  /** Upstream streams that stand right now. */
  get standing(): number {
    return [...this.#lines].filter((line) => line.connection.standing).length;
  }

  /**
   * Makes the streams carry these feeds. A stream that gets another feed is opened anew before the old one is dropped.
   */
  cover(wanted: ReadonlySet<FeedId>): void {
    this.#wanted = new Set(wanted);
    for (const line of this.#lines) {
      if (this.#idsOf(line).length === 0) this.#drop(line);
    }
    const grown = this.#assign();
    for (const line of this.#lines) {
      const asked = this.#idsOf(line);
      if (!grown.has(line) && asked.length * 2 >= line.ids.size) continue;
      line.ids = new Set(asked);
      line.connection.renew();
    }
  }

  /** These feeds are not on their streams although they were asked for: `cover` puts them there anew. */
  lack(ids: Iterable<FeedId>): void {
    for (const id of ids) {
      for (const line of this.#lines) line.ids.delete(id);
    }
  }

  /** Another host from now on: each stream is opened there before the one on the old host is dropped. */
  moveHost(): void {
    for (const { connection } of this.#lines) connection.moveHost();
  }

  /** One state for all streams: trouble of any of them first, then live, then quiet. */
  state(): ConnectionState {
    const states = [...this.#lines].map((line) => line.connection.state);
    for (const state of ['failed', 'reconnecting', 'connecting', 'live', 'quiet'] as const) {
      const found = states.find((one) => one.state === state);
      if (found) return found;
    }
    return { state: 'quiet', sinceMs: this.#idleSinceMs };
  }

  stop(): void {
    for (const line of this.#lines) this.#drop(line);
  }

  /** Puts every wanted feed on a line, opens new lines, and gives the old ones that got more. */
  #assign(): Set<Line> {
    const covered = new Set([...this.#lines].flatMap((line) => [...line.ids]));
    const grown = new Set<Line>();
    for (const id of this.#wanted) {
      if (covered.has(id)) continue;
      const line = [...this.#lines].find((one) => this.#idsOf(one).length < MAX_FEEDS_PER_STREAM);
      if (line) {
        line.ids.add(id);
        if (line.connection.started) grown.add(line);
      } else this.#add(id);
    }
    for (const line of this.#lines) {
      if (!line.connection.started) line.connection.start().catch((error: unknown) => this.edges.bug(error));
    }
    return grown;
  }

  #add(id: FeedId): void {
    this.#made += 1;
    const connection = this.#connect(() => line);
    const line: Line = { number: this.#made, ids: new Set([id]), connection };
    this.#lines.add(line);
  }

  #connect(line: () => Line): Connection {
    const { edges, listener } = this;
    const news = (): LineNews => ({ line: line().number, ids: this.#idsOf(line()) });
    let askedHost = this.host();
    return new Connection(
      (signal) => {
        // Read when an attempt begins: one that waited for its turn asks for what is wanted by then, and only that is
        // on the stream afterwards.
        const asked = this.#idsOf(line());
        line().ids = new Set(asked);
        askedHost = this.host();
        return edges.open(askedHost, asked, signal);
      },
      {
        event: (event) => listener.event(event),
        serviceError: (text) => listener.serviceError(text),
        opened: (cause) => listener.opened(news(), cause, askedHost),
        lost: (failure, lastLifeMs) => {
          edges.ended?.(failure.kind);
          listener.over(news(), lastLifeMs, failure);
        },
        ended: () => {
          edges.ended?.('planned');
          listener.over(news(), edges.timers.now());
        },
        attemptFailed: (failure) =>
          listener.attemptFailed(failure, { ...news(), standing: line().connection.standing }),
        state: () => listener.stateChanged(),
        bug: (error) => edges.bug(error),
      },
      { timers: edges.timers, random: edges.random },
    );
  }

  #idsOf(line: Line): FeedId[] {
    return [...line.ids].filter((id) => this.#wanted.has(id));
  }

  #drop(line: Line): void {
    line.connection.stop();
    this.#lines.delete(line);
    this.listener.dropped(line.number);
    if (this.#lines.size === 0) this.#idleSinceMs = this.edges.timers.now();
  }
}
