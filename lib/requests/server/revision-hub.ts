import 'server-only';
import type { RevisionNews } from '@/lib/requests/keeper-status';

/** Whoever listens: takes text, and says whether it can take more. */
export type RevisionListener = { send(text: string): boolean; destroy(): void };

export type RevisionHubEdges = {
  news: () => Promise<RevisionNews>;
  /** Calls when there may be something new. @returns ends it */
  onChange: (listener: () => void) => () => void;
  /** Somebody listens: new rows are asked for more often. @returns ends it */
  look: () => () => void;
  reportError: (error: unknown) => void;
};

/** Pages hear of news no more often than this. */
const MIN_INTERVAL_MS = 1000;
/** And how old the index is, so often where nothing else happens. */
const STATUS_MS = 5000;
/** Tells all open pages of new revisions, each piece of news written once for all of them. */
export class RevisionHub {
  readonly #listeners = new Set<RevisionListener>();
  #ends: (() => void)[] = [];
  #lastAt = Number.NEGATIVE_INFINITY;
  /** Until its news are sent: what changes meanwhile waits for the next. */
  #planned: NodeJS.Timeout | undefined;

  constructor(private readonly edges: RevisionHubEdges) {}

  /** The news of now come first, or as soon as there are any. @returns ends it */
  async subscribe(listener: RevisionListener): Promise<() => void> {
    if (this.#listeners.size === 0) this.#begin();
    this.#listeners.add(listener);
    await this.#news((text) => listener.send(text));
    return () => {
      if (this.#listeners.delete(listener) && this.#listeners.size === 0) this.stop();
    };
  }

  /** A named event, since a script does not see comments: a page without it opens another stream. */
  heartbeat(): void {
    this.#tell('event: heartbeat\ndata: {}\n\n');
  }

  stop(): void {
    for (const end of this.#ends.splice(0)) end();
    clearTimeout(this.#planned);
    this.#planned = undefined;
  }

  #begin(): void {
    const status = setInterval(() => this.#soon(), STATUS_MS);
    this.#ends = [this.edges.look(), this.edges.onChange(() => this.#soon()), () => clearInterval(status)];
  }

  #soon(): void {
    if (this.#planned !== undefined) return;
    const waitMs = Math.max(0, this.#lastAt + MIN_INTERVAL_MS - performance.now());
    this.#planned = setTimeout(async () => {
      await this.#news((text) => this.#tell(text));
      this.#planned = undefined;
    }, waitMs);
  }

  async #news(tell: (text: string) => void): Promise<void> {
    try {
      const news = await this.edges.news();
      this.#lastAt = performance.now();
      tell(`data: ${JSON.stringify(news)}\n\n`);
    } catch (error) {
      this.edges.reportError(error);
    }
  }

  /** Who has not read what was sent before is cut: the page comes back, and is told how things stand then. */
  #tell(text: string): void {
    for (const listener of this.#listeners) if (!listener.send(text)) listener.destroy();
  }
}
