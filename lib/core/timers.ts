/** Clock and timers, injected so that tests need not wait. All values are milliseconds. */
export type Timers = {
  /** Unix time. */
  now(): number;
  /** Monotonic time: unaffected by changes of the wall clock. */
  elapsed(): number;
  /** Runs once after `ms`. The returned function cancels it; calling it later is harmless. */
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
