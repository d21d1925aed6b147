import 'server-only';
import type { RevisionNews } from '@/lib/requests/keeper-status';

/** A client: takes text, and returns whether it can take more. */
type RevisionListener = { send(text: string): boolean; destroy(): void };

type RevisionHubEdges = {
  news: () => Promise<RevisionNews>;
  /** Subscribes to possible changes. @returns the function that unsubscribes */
  onChange: (listener: () => void) => () => void;
  /** Registers a viewer: new rows are polled more often. @returns the function that unregisters */
  addViewer: () => () => void;
  reportError: (error: unknown) => void;
};

/** Throttle: minimum time between two messages to a client. */
const MIN_INTERVAL_MS = 1000;
/** Interval of messages about the age of the index when nothing else happens. */
const STATUS_MS = 5000;
/** Sends new revisions to all open pages; each message is encoded once. */
export class RevisionHub {
  readonly #listeners = new Set<RevisionListener>();
  #ends: (() => void)[] = [];
  #lastAt = Number.NEGATIVE_INFINITY;
  /** Timer of the next message; further changes before it are included. */
  #planned: NodeJS.Timeout | undefined;

  constructor(private readonly edges: RevisionHubEdges) {}

  /**
   * Adds a client, which gets the present news first, or as soon as there are any. @returns the function that removes
   * it
   */
  async subscribe(listener: RevisionListener): Promise<() => void> {
    if (this.#listeners.size === 0) this.#begin();
    this.#listeners.add(listener);
    await this.#news((text) => listener.send(text));
    return () => {
      if (this.#listeners.delete(listener) && this.#listeners.size === 0) this.stop();
    };
  }

  /** A named event, as scripts can't see comments: a page without heartbeats reopens its stream. */
  heartbeat(): void {
    this.#broadcast('event: heartbeat\ndata: {}\n\n');
  }

  stop(): void {
    for (const end of this.#ends.splice(0)) end();
    clearTimeout(this.#planned);
    this.#planned = undefined;
  }

  #begin(): void {
    const status = setInterval(() => this.#schedule(), STATUS_MS);
    this.#ends = [
      this.edges.addViewer(),
      this.edges.onChange(() => this.#schedule()),
      () => clearInterval(status),
    ];
  }

  #schedule(): void {
    if (this.#planned !== undefined) return;
    const waitMs = Math.max(0, this.#lastAt + MIN_INTERVAL_MS - performance.now());
    this.#planned = setTimeout(async () => {
      await this.#news((text) => this.#broadcast(text));
      this.#planned = undefined;
    }, waitMs);
  }

  async #news(send: (text: string) => void): Promise<void> {
    try {
      const news = await this.edges.news();
      this.#lastAt = performance.now();
      send(`data: ${JSON.stringify(news)}\n\n`);
    } catch (error) {
      this.edges.reportError(error);
    }
  }

  /** A client that has not read the previous messages is cut; on reconnecting it gets the present news. */
  #broadcast(text: string): void {
    for (const listener of this.#listeners) if (!listener.send(text)) listener.destroy();
  }
}
