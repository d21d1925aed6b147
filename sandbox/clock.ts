/** The one clock of the sandbox, unix ms: the real one until it is set, stopped or sped up. All data follow from it. */
export class SandboxClock {
  private baseReal: number;
  private baseSandbox: number;
  /** Sandbox milliseconds per real millisecond. Kept while the clock is stopped. */
  speed = 1;
  stopped = false;

  constructor(readonly realNow: () => number = Date.now) {
    this.baseReal = realNow();
    this.baseSandbox = this.baseReal;
  }

  now(): number {
    if (this.stopped) return this.baseSandbox;
    return Math.floor(this.baseSandbox + (this.realNow() - this.baseReal) * this.speed);
  }

  /** Jumps to `ms`, forwards or backwards, and goes on from there as told; what is not told stays. */
  set({ ms = this.now(), speed = this.speed, stopped = this.stopped }): void {
    this.baseReal = this.realNow();
    this.baseSandbox = Math.floor(ms);
    this.speed = speed;
    this.stopped = stopped;
  }
}
