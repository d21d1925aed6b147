/** A timer that was set; only good for clearing it. */
export type TimerHandle = { readonly timer: unknown };

/** The clock and the timers of the streaming room, injected so that tests wait for nothing. Milliseconds throughout. */
export type Timers = {
  now(): number;
  after(ms: number, run: () => void): TimerHandle;
  clear(handle: TimerHandle | undefined): void;
};

/**
 * The real clock. Its timers never keep the process alive by themselves, and what one of them throws is reported to `bug`
 * instead of ending the process.
 */
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
