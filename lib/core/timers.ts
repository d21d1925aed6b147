/** Injected so that tests need not wait. All values are milliseconds. */
export type Timers = {
  /** Unix time. */
  now(): number;
  /** Unaffected by changes of the wall clock. */
  elapsed(): number;
  /** The returned function cancels; calling it later is harmless. */
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
