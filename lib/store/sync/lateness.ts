import 'server-only';
import type { Timers } from '@/lib/core/timers';

const TICK_MS = 1000;

/**
 * Time that this process was late: timers fired after they were due, as the machine or the event loop was busy. An answer
 * that came meanwhile was not read, and its service is not to blame.
 */
class Lateness {
  #totalMs = 0;
  #tickedAt: number;
  #cancel: () => void = () => undefined;

  constructor(private readonly timers: Timers) {
    this.#tickedAt = timers.elapsed();
    this.#plan();
  }

  get totalMs(): number {
    return this.#totalMs + Math.max(0, this.timers.elapsed() - this.#tickedAt - TICK_MS);
  }

  #plan(): void {
    this.#cancel = this.timers.after(TICK_MS, () => {
      this.#totalMs = this.totalMs;
      this.#tickedAt = this.timers.elapsed();
      this.#plan();
    });
  }

  end(): void {
    this.#cancel();
  }
}

/** Of the time since a keeper was last read, how much went by in its calls, and whether it or the dashboard is to blame. */
export class TimeSinceRead {
  readonly #lateness: Lateness;
  #readAt: number;
  #inCallsMs = 0;
  /** Of the call under way. */
  #call: { at: number; lateMs: number } | undefined;

  constructor(private readonly timers: Timers) {
    this.#lateness = new Lateness(timers);
    this.#readAt = timers.elapsed();
  }

  read(): void {
    this.#readAt = this.timers.elapsed();
    this.#inCallsMs = 0;
  }

  callBegins(): void {
    this.#call = { at: this.timers.elapsed(), lateMs: this.#lateness.totalMs };
  }

  callEnds(): void {
    this.#inCallsMs += this.#underWayMs();
    this.#call = undefined;
  }

  /** Calls that take most of the time are the keeper's lateness; all else is ours. */
  get lateBy(): 'keeper' | 'dashboard' {
    const inCallsMs = this.#inCallsMs + this.#underWayMs();
    return inCallsMs > (this.timers.elapsed() - this.#readAt) / 2 ? 'keeper' : 'dashboard';
  }

  #underWayMs(): number {
    if (this.#call === undefined) return 0;
    const tookMs = this.timers.elapsed() - this.#call.at;
    return Math.max(0, tookMs - (this.#lateness.totalMs - this.#call.lateMs));
  }

  end(): void {
    this.#lateness.end();
  }
}
