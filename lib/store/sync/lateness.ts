import 'server-only';
import type { Timers } from '@/lib/core/timers';

const TICK_MS = 1000;

/** Time by which our timers fired late. An answer that waited meanwhile is no fault of its service. */
class Lateness {
  #totalMs = 0;
  #tickedAt: number;
  #cancel: () => void = () => undefined;

  constructor(private readonly timers: Timers) {
    this.#tickedAt = timers.elapsed();
    this.#scheduleTick();
  }

  get totalMs(): number {
    return this.#totalMs + Math.max(0, this.timers.elapsed() - this.#tickedAt - TICK_MS);
  }

  #scheduleTick(): void {
    this.#cancel = this.timers.after(TICK_MS, () => {
      this.#totalMs = this.totalMs;
      this.#tickedAt = this.timers.elapsed();
      this.#scheduleTick();
    });
  }

  end(): void {
    this.#cancel();
  }
}

/** The time since a keeper was read, as calls and the rest, shows whether the keeper or the dashboard is late. */
export class TimeSinceRead {
  readonly #lateness: Lateness;
  #readAt: number;
  #inCallsMs = 0;
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

  /** The keeper is late if calls take more than half of the time; otherwise the dashboard is. */
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
