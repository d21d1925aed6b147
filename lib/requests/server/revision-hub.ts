import 'server-only';
import type { RevisionUpdate } from '@/lib/requests/keeper-status';

/** `send` returns whether the client can take more. */
type RevisionListener = { send(text: string): boolean; destroy(): void };

type RevisionHubDeps = {
  update: () => Promise<RevisionUpdate>;
  /** @returns a function that unsubscribes */
  onChange: (listener: () => void) => () => void;
  /** New rows are polled more often while there is a viewer. @returns a function that unregisters the viewer */
  addViewer: () => () => void;
  reportError: (error: unknown) => void;
};

/** Time between two messages to a client. */
const MIN_INTERVAL_MS = 1000;
/** Messages about the age of the index while nothing else happens. */
const STATUS_MS = 5000;
/** Each message is encoded once for all open pages. */
export class RevisionHub {
  readonly #listeners = new Set<RevisionListener>();
  #ends: (() => void)[] = [];
  #lastAt = Number.NEGATIVE_INFINITY;
  /** The next message includes changes that happen meanwhile. */
  #planned: NodeJS.Timeout | undefined;

  constructor(private readonly deps: RevisionHubDeps) {}

  /** The client gets the current update at once, or as soon as there is one. @returns a function that removes it */
  async subscribe(listener: RevisionListener): Promise<() => void> {
    if (this.#listeners.size === 0) this.#begin();
    this.#listeners.add(listener);
    await this.#sendUpdate((text) => listener.send(text));
    return () => {
      if (this.#listeners.delete(listener) && this.#listeners.size === 0) this.stop();
    };
  }

  /** A named event, because scripts can't see comments. A page that gets none reopens its stream. */
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
      this.deps.addViewer(),
      this.deps.onChange(() => this.#schedule()),
      () => clearInterval(status),
    ];
  }

  #schedule(): void {
    if (this.#planned !== undefined) return;
    const waitMs = Math.max(0, this.#lastAt + MIN_INTERVAL_MS - performance.now());
    this.#planned = setTimeout(async () => {
      await this.#sendUpdate((text) => this.#broadcast(text));
      this.#planned = undefined;
    }, waitMs);
  }

  async #sendUpdate(send: (text: string) => void): Promise<void> {
    try {
      const update = await this.deps.update();
      this.#lastAt = performance.now();
      send(`data: ${JSON.stringify(update)}\n\n`);
    } catch (error) {
      this.deps.reportError(error);
    }
  }

  /** Disconnects a client that has not read the previous messages; it gets the current update when it reconnects. */
  #broadcast(text: string): void {
    for (const listener of this.#listeners) if (!listener.send(text)) listener.destroy();
  }
}
