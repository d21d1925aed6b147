const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,18}))?)?(?:([Zz])|([+-])(\d{2}):?(\d{2}))?)?$/;

/**
 * An ISO 8601 time as unix milliseconds, rounded down, and whether anything was cut off by that. A date
 * alone is its first moment; no zone means UTC. Undefined for other texts and for days that don't exist.
 */
export function parseIsoTime(text: string): { ms: number; cut: boolean } | undefined {
  const parts = ISO.exec(text);
  if (!parts) return undefined;
  const at = (index: number) => Number(parts[index] ?? 0);
  const [year, month, day, hour, minute, second] = [at(1), at(2), at(3), at(4), at(5), at(6)];
  if (hour > 23 || minute > 59 || second > 59 || at(10) > 23 || at(11) > 59) return undefined;
  const fraction = parts[7] ?? '';
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  // A day that the month does not have rolls over into the next one.
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  date.setUTCHours(hour, minute, second, Number(fraction.slice(0, 3).padEnd(3, '0')));
  const offsetMs = (at(10) * 60 + at(11)) * 60_000 * (parts[9] === '-' ? -1 : 1);
  return { ms: date.getTime() - offsetMs, cut: /[1-9]/.test(fraction.slice(3)) };
}

/** How often listeners hear of the clock, in real milliseconds, whatever its speed. */
const TICK_MS = 50;

/** Calls `run` every `ms` real milliseconds until the returned function is called. */
type Repeat = (ms: number, run: () => void) => () => void;

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
