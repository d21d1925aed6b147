export type TimerHandle = { readonly timer: unknown };

/** The clock and the timers of streams, injected so that tests wait for nothing. Milliseconds throughout. */
export type Timers = {
  now(): number;
  after(ms: number, run: () => void): TimerHandle;
  clear(handle: TimerHandle | undefined): void;
};

/** The real clock. Its timers don't keep the process alive; what one throws goes to `bug`. */
export function systemTimers(bug: (error: unknown) => void): Timers {
  return {
    now: () => Date.now(),
    after: (ms, run) => {
      const timer = setTimeout(() => {
        try {
          run();
        } catch (error) {
          bug(error);
        }
      }, ms);
      timer.unref();
      return { timer };
    },
    clear: (handle) => {
      if (handle) clearTimeout(handle.timer as NodeJS.Timeout);
    },
  };
}

/** Half a second at first, so that a planned close of a stream leaves a gap under 3 s; 30 s at most. */
const FIRST_MS = 500;
const MOST_MS = 30_000;

/** Milliseconds, each twice the one before, give or take a quarter: a thousand dashboards don't retry in step. */
export class Backoff {
  #failures = 0;

  /** @param random 0 to 1, `Math.random` outside of tests */
  constructor(private readonly random: () => number) {}

  next(): number {
    const plain = Math.min(MOST_MS, FIRST_MS * 2 ** Math.min(this.#failures, 30));
    this.#failures += 1;
    return Math.round(plain * (0.75 + this.random() * 0.5));
  }

  reset(): void {
    this.#failures = 0;
  }
}
