import type { FeedId } from '@/lib/core/feed';
import type { Failure, Outcome } from '@/lib/core/outcome';
import type { FeedHost } from '@/lib/feeds/stream-events';
import type { SseEvent } from '@/lib/upstream/sse';
import {
  Connection,
  type ConnectionState,
  type OpenCause,
  type OpenStream,
  type StreamEndReason,
} from './connection';
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

export type UpstreamListener = {
  /** One event of any stream. Gives whether it was an update that could be read. */
  event(event: SseEvent): boolean;
  /** A stream of these feeds stands. */
  opened(ids: readonly FeedId[], cause: OpenCause): void;
  attemptFailed(failure: Failure, ids: readonly FeedId[]): void;
  /** A stream is over; the next one follows. Without a failure the service ended it in good order. */
  over(failure: Failure | undefined): void;
  stateChanged(): void;
};

/** `ids`: what the stream was opened for, plus what the next opening adds. */
type Line = { ids: Set<FeedId>; readonly connection: Connection };

/**
 * The upstream streams that together carry the wanted feeds. A feed that nobody wants any more stays on its stream until
 * that is renewed for another reason: opening a stream costs a call, an update that is ignored costs nothing.
 */
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

  /** Upstream streams, standing or not. */
  get count(): number {
    return this.#lines.length;
  }

  /** Upstream streams that stand right now. */
  get standing(): number {
    return this.#lines.filter(({ connection }) => connection.standing).length;
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
    for (const { connection } of stale) {
      if (connection.started) connection.renew();
      else connection.start().catch((error: unknown) => this.edges.bug(error));
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
        // Read when an attempt begins: one that waited for its turn asks for what is wanted by then, and only that is
        // on the stream afterwards.
        const asked = this.#idsOf(line);
        line.ids = new Set(asked);
        return edges.open(this.host(), asked, signal);
      },
      {
        event: (event) => listener.event(event),
        // How the connection is says it all: a named error is followed by the end of the stream, or means nothing.
        serviceError: () => {},
        opened: (cause) => listener.opened(this.#idsOf(line), cause),
        over: (failure) => {
          edges.ended?.(failure?.kind ?? 'planned');
          listener.over(failure);
        },
        attemptFailed: (failure) => listener.attemptFailed(failure, this.#idsOf(line)),
        state: () => listener.stateChanged(),
        bug: (error) => edges.bug(error),
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
