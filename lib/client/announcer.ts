/** Assistive technology reads every message to its end; more than one in this time would talk over the work. */
export const ANNOUNCE_PAUSE_MS = 5000;

export type AnnouncerEdges = {
  /** Milliseconds, of any clock that only goes forward. */
  readonly now: () => number;
  readonly setTimer: (run: () => void, ms: number) => unknown;
};

/** `turn` tells two equal messages apart, so that the second one is said as well. */
export type Announcement = { readonly text: string; readonly turn: number };

/** At most one message per pause; of those that come meanwhile only the latest is said, when the pause is over. */
export class Announcer {
  readonly #edges: AnnouncerEdges;
  readonly #listeners = new Set<() => void>();
  #said: Announcement = { text: '', turn: 0 };
  #saidAtMs = Number.NEGATIVE_INFINITY;
  #waiting: string | undefined;

  constructor(edges: AnnouncerEdges) {
    this.#edges = edges;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** What is being said. */
  readonly current = (): Announcement => this.#said;

  readonly say = (text: string): void => {
    const leftMs = this.#saidAtMs + ANNOUNCE_PAUSE_MS - this.#edges.now();
    if (leftMs <= 0 && this.#waiting === undefined) {
      this.#utter(text);
      return;
    }
    if (this.#waiting === undefined) this.#edges.setTimer(() => this.#utterWaiting(), leftMs);
    this.#waiting = text;
  };

  #utterWaiting(): void {
    const text = this.#waiting;
    this.#waiting = undefined;
    if (text !== undefined) this.#utter(text);
  }

  #utter(text: string): void {
    this.#saidAtMs = this.#edges.now();
    this.#said = { text, turn: this.#said.turn + 1 };
    for (const listener of [...this.#listeners]) listener();
  }
}
