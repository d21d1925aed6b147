/** The clock and the alarms of whatever waits, injected so that tests wait for nothing. Milliseconds throughout. */
export type Timers = {
  /** Unix time. */
  now(): number;
  /** Since some fixed moment: never jumps with the wall clock. */
  elapsed(): number;
  /** Runs once after `ms`; the returned function calls it off, and does no harm later. */
  after(ms: number, run: () => void): () => void;
};

export const realTimers: Timers = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
