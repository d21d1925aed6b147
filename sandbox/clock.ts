const ISO =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt ]((?:[01]\d|2[0-3]):[0-5]\d)(?::([0-5]\d)(?:[.,](\d{1,18}))?)?(?:[Zz]|([+-](?:[01]\d|2[0-3])):?([0-5]\d))?)?$/;

/**
 * An ISO 8601 time as unix milliseconds, rounded down, and whether anything was cut off by that. A date
 * alone is its first moment; no zone means UTC. Undefined for other texts and for days that don't exist.
 */
export function parseIsoTime(text: string): { ms: number; cut: boolean } | undefined {
  const [found, date, minute = '00:00', second = '00', fraction = '', hours, minutes] = ISO.exec(text) ?? [];
  if (found === undefined) return undefined;
  const day = new Date(`${date}T00:00:00Z`);
  // A day that the month does not have rolls over into the next one.
  if (!Number.isFinite(day.getTime()) || day.toISOString().slice(0, 10) !== date) return undefined;
  const zone = hours === undefined ? 'Z' : `${hours}:${minutes}`;
  const ms = Date.parse(`${date}T${minute}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}${zone}`);
  return { ms, cut: /[1-9]/.test(fraction.slice(3)) };
}

/** How often listeners hear of the clock, in real milliseconds, whatever its speed. */
const TICK_MS = 50;

/** Calls `run` every `ms` real milliseconds until the returned function is called. */
type Repeat = (ms: number, run: () => void) => () => void;

const repeatByTimer: Repeat = (ms, run) => {
  // A sandbox that nobody closes must not keep a process alive only for its ticks.
  const timer = setInterval(run, ms).unref();
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
  private stopTicking: (() => void) | undefined;
  /** Sandbox milliseconds per real millisecond. Kept while the clock is stopped. */
  speed = 1;
  stopped = false;

  constructor(
    private readonly realNow: () => number = Date.now,
    private readonly repeat: Repeat = repeatByTimer,
  ) {
    this.baseReal = realNow();
    this.baseSandbox = this.baseReal;
  }

  /** The sandbox time in whole unix milliseconds. */
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
    for (const listener of [...this.listeners]) listener();
  }

  /** Back to the real time, running at speed 1. */
  reset(): void {
    this.set({ ms: this.realNow(), speed: 1, stopped: false });
  }

  /**
   * Calls `listener` every 50 ms of real time, and at once after each change of the clock (which may
   * also go back). Returns the function that ends it. The timer runs only while somebody listens.
   */
  onTick(listener: () => void): () => void {
    this.listeners.add(listener);
    this.stopTicking ??= this.repeat(TICK_MS, () => {
      for (const each of [...this.listeners]) each();
    });
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
}
