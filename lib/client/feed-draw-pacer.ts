/** Timers, and whether anyone can see the page, injected. */
export type PacerEdges = {
  readonly setTimer: (run: () => void, ms: number) => unknown;
  readonly clearTimer: (timer: unknown) => void;
  readonly pageHidden: () => boolean;
};

/** A chart is drawn twice a second while there are few of them. */
export const SHORTEST_TURN_MS = 500;

/**
 * The least time between two drawings of any chart. One drawing takes about 5 ms, so charts together stay near a tenth
 * of the main thread, and two never share a task, however many there are.
 */
export const BETWEEN_DRAWINGS_MS = 50;

/** Draws charts one after the other in a fixed round, so that they never all come due in the same moment. */
export class DrawPacer {
  readonly #edges: PacerEdges;
  readonly #round: (() => void)[] = [];
  #next = 0;
  #timer: unknown;

  constructor(edges: PacerEdges) {
    this.#edges = edges;
  }

  /** Adds a drawing to the round; gives a function that takes it out. The first one in starts the round, the last one out ends it. */
  readonly join = (draw: () => void): (() => void) => {
    this.#round.push(draw);
    if (this.#round.length === 1) {
      this.#plan();
    }
    return () => this.#leave(draw);
  };

  #leave(draw: () => void): void {
    const at = this.#round.indexOf(draw);
    if (at === -1) {
      return;
    }
    this.#round.splice(at, 1);
    if (at < this.#next) {
      this.#next -= 1;
    }
    if (this.#round.length === 0) {
      this.#edges.clearTimer(this.#timer);
    }
  }

  #plan(): void {
    const waitMs = Math.max(BETWEEN_DRAWINGS_MS, SHORTEST_TURN_MS / this.#round.length);
    this.#timer = this.#edges.setTimer(() => this.#turn(), waitMs);
  }

  #turn(): void {
    this.#plan();
    if (!this.#edges.pageHidden()) {
      this.#next %= this.#round.length;
      this.#round[this.#next]?.();
      this.#next += 1;
    }
  }
}
