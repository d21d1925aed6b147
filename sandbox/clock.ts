const ISO =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt ]((?:[01]\d|2[0-3]):[0-5]\d)(?::([0-5]\d)(?:[.,](\d{1,18}))?)?(?:[Zz]|([+-](?:[01]\d|2[0-3])):?([0-5]\d))?)?$/;

/** An ISO 8601 time as unix ms, rounded down (`cut`: by something); UTC without a zone. Undefined for other texts. */
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

type Repeat = (ms: number, run: () => void) => () => void;

const repeatByTimer: Repeat = (ms, run) => {
  // A sandbox that nobody closes must not keep a process alive only for its ticks.
  const timer = setInterval(run, ms).unref();
  return () => clearInterval(timer);
};

/** The one clock of the sandbox, unix ms: the real one until it is set, stopped or sped up. All data follow from it. */
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

  reset(): void {
    this.set({ ms: this.realNow(), speed: 1, stopped: false });
  }

  /** Calls `listener` every 50 ms of real time, and after each change of the clock. Returns what ends it. */
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

  dispose(): void {
    this.listeners.clear();
    this.stopTicking?.();
    this.stopTicking = undefined;
  }
}
