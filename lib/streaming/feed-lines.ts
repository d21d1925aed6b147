import type { FeedId } from '@/lib/domain/feed';
import type { Failure, Outcome } from '@/lib/domain/outcome';
import { Connection, type ConnectionState, type OpenCause } from './connection';
import type { OpenStream } from './link';
import type { SseEvent } from './sse';
import type { Timers } from './timers';

/**
 * Feeds on one upstream stream. An id takes 75 characters of the address; servers refuse request heads of 8 kB and more,
 * so a larger union is spread over a few streams.
 */
export const MAX_FEEDS_PER_STREAM = 100;

export type FeedLinesEdges = {
  open(ids: readonly FeedId[], signal: AbortSignal): Promise<Outcome<OpenStream>>;
  timers: Timers;
  random: () => number;
  bug(error: unknown): void;
};

export type FeedLinesListener = {
  /** One event of any line. Gives whether it was an update that could be read. */
  event(event: SseEvent): boolean;
  opened(ids: readonly FeedId[], cause: OpenCause): void;
  attemptFailed(failure: Failure, ids: readonly FeedId[]): void;
  lost(failure: Failure): void;
  serviceError(text: string): void;
  stateChanged(): void;
};

/** `ids`: what the stream was opened for, plus what the next opening adds. */
type Line = { ids: Set<FeedId>; connection: Connection };

/**
 * The upstream streams that together carry the wanted feeds. A feed that nobody wants any more stays on its stream until
 * that is renewed for another reason: opening a stream costs a call, an update that is ignored costs nothing.
 */
export class FeedLines {
  #wanted: ReadonlySet<FeedId> = new Set();
  readonly #lines = new Set<Line>();
  #idleSinceMs: number;

  constructor(
    private readonly edges: FeedLinesEdges,
    private readonly listener: FeedLinesListener,
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
    const line: Line = { ids: new Set([id]), connection: this.#connect(() => line) };
    this.#lines.add(line);
  }

  #connect(line: () => Line): Connection {
    const { edges, listener } = this;
    const ids = () => this.#idsOf(line());
    return new Connection(
      (signal) => {
        // Read when an attempt begins: one that waited for its turn asks for what is wanted by then, and only that is
        // on the stream afterwards.
        const asked = ids();
        line().ids = new Set(asked);
        return edges.open(asked, signal);
      },
      {
        event: (event) => listener.event(event),
        serviceError: (text) => listener.serviceError(text),
        opened: (cause) => listener.opened(ids(), cause),
        lost: (failure) => listener.lost(failure),
        attemptFailed: (failure) => listener.attemptFailed(failure, ids()),
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
    if (this.#lines.size === 0) this.#idleSinceMs = this.edges.timers.now();
  }
}
