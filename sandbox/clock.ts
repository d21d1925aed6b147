/** How often listeners hear of the clock, in real milliseconds, whatever its speed. */
const TICK_MS = 50;

/** Calls `run` every `ms` real milliseconds until the returned function is called. */
export type Repeat = (ms: number, run: () => void) => () => void;

const repeatByTimer: Repeat = (ms, run) => {
  const timer = setInterval(run, ms);
  // A sandbox that nobody closes must not keep a process alive only for its ticks.
  timer.unref();
  return () => clearInterval(timer);
};

/**
 * The one clock of the sandbox, in unix milliseconds. It follows the real clock until it is set,
 * stopped or sped up; all data of the simulated services are functions of the seed and of this time.
 */
export class SandboxClock {
  private readonly listeners = new Set<() => void>();
  private baseReal: number;
  private baseSandbox: number;
  private factor = 1;
  private halted = false;
  private stopTicking: (() => void) | undefined;

  constructor(
    private readonly realNow: () => number = Date.now,
    private readonly repeat: Repeat = repeatByTimer,
  ) {
    this.baseReal = realNow();
    this.baseSandbox = this.baseReal;
  }

  /** The sandbox time in whole unix milliseconds. */
  now(): number {
    if (this.halted) return this.baseSandbox;
    return Math.floor(this.baseSandbox + (this.realNow() - this.baseReal) * this.factor);
  }

  /** Sandbox milliseconds per real millisecond. Kept while the clock is stopped. */
  get speed(): number {
    return this.factor;
  }

  get stopped(): boolean {
    return this.halted;
  }

  /** Jumps to `ms`, forwards or backwards; a stopped clock stays stopped there. */
  set(ms: number): void {
    this.rebase(ms);
    this.tick();
  }

  /** From now on `factor` sandbox milliseconds pass in a real one. It must be above 0. */
  setSpeed(factor: number): void {
    if (!(factor > 0) || !Number.isFinite(factor)) throw new RangeError('the speed must be above 0');
    this.rebase(this.now());
    this.factor = factor;
    this.tick();
  }

  stop(): void {
    this.rebase(this.now());
    this.halted = true;
    this.tick();
  }

  start(): void {
    this.rebase(this.now());
    this.halted = false;
    this.tick();
  }

  /** Back to the real time, running at speed 1. */
  reset(): void {
    this.factor = 1;
    this.halted = false;
    this.rebase(this.realNow());
    this.tick();
  }

  /**
   * Calls `listener` every 50 ms of real time, and at once after each change of the clock (which may
   * also go back). Returns the function that ends it. The timer runs only while somebody listens.
   */
  onTick(listener: () => void): () => void {
    this.listeners.add(listener);
    this.stopTicking ??= this.repeat(TICK_MS, () => this.tick());
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size === 0) this.dispose();
    };
  }

  /** Ends the timer and forgets all listeners. */
  dispose(): void {
    this.listeners.clear();
    this.stopTicking?.();
    this.stopTicking = undefined;
  }

  private rebase(sandboxMs: number): void {
    this.baseReal = this.realNow();
    this.baseSandbox = Math.floor(sandboxMs);
  }

  private tick(): void {
    for (const listener of [...this.listeners]) listener();
  }
}
