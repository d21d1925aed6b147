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
  bug: (error: unknown) => void;
};

/** Pages hear of news no more often than this. */
const LEAST_MS = 1000;
/** And how old the index is, so often where nothing else happens. */
const STATUS_MS = 5000;
/** A comment keeps proxies from closing an idle connection. */
const HEARTBEAT_MS = 15_000;

/** Tells all open pages of new revisions, each piece of news written once for all of them. */
export class RevisionHub {
  readonly #edges: RevisionHubEdges;
  readonly #listeners = new Set<RevisionListener>();
  #ends: (() => void)[] = [];
  #lastAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #sending = false;

  constructor(edges: RevisionHubEdges) {
    this.#edges = edges;
  }

  /** The news of now come first, or as soon as there are any. @returns ends it */
  async subscribe(listener: RevisionListener): Promise<() => void> {
    if (this.#listeners.size === 0) this.#begin();
    this.#listeners.add(listener);
    try {
      listener.send(eventText(await this.#edges.news()));
    } catch (error) {
      this.#edges.bug(error);
    }
    return () => {
      if (this.#listeners.delete(listener) && this.#listeners.size === 0) this.close();
    };
  }

  close(): void {
    for (const end of this.#ends.splice(0)) end();
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #begin(): void {
    const heartbeat = setInterval(() => this.#tell(':\n\n'), HEARTBEAT_MS);
    const status = setInterval(() => this.#soon(), STATUS_MS);
    this.#ends = [
      this.#edges.look(),
      this.#edges.onChange(() => this.#soon()),
      () => clearInterval(heartbeat),
      () => clearInterval(status),
    ];
  }

  #soon(): void {
    if (this.#timer !== undefined || this.#sending) return;
    const waitMs = Math.max(0, this.#lastAt + LEAST_MS - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#send();
    }, waitMs);
  }

  async #send(): Promise<void> {
    this.#sending = true;
    try {
      const news = await this.#edges.news();
      this.#lastAt = performance.now();
      this.#tell(eventText(news));
    } catch (error) {
      this.#edges.bug(error);
    } finally {
      this.#sending = false;
    }
  }

  /** Who has not read what was sent before is cut: the page comes back, and is told how things stand then. */
  #tell(text: string): void {
    for (const listener of this.#listeners) if (!listener.send(text)) listener.destroy();
  }
}

function eventText(news: RevisionNews): string {
  return `data: ${JSON.stringify(news)}\n\n`;
}
