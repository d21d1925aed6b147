/** Elapsed milliseconds and alarms, injected. `elapsed` never jumps with the wall clock. */
export type Timers = {
  /** Milliseconds since some fixed moment. */
  elapsed(): number;
  /** Runs once after `ms`; the returned function calls it off. */
  after(ms: number, run: () => void): () => void;
};

/** The process's own timers. */
export const realTimers: Timers = {
  elapsed: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
