import type { TimerHandle, Timers } from './timers';

/** A clock for tests: time passes only when `advance` is called, and due timers run in order. */
export class ManualTimers implements Timers {
  #now: number;
  #waiting: { at: number; run: () => void; handle: TimerHandle }[] = [];

  constructor(startMs = 1_700_000_000_000) {
    this.#now = startMs;
  }

  now(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): TimerHandle {
    const handle: TimerHandle = { timer: Symbol('timer') };
    this.#waiting.push({ at: this.#now + Math.max(0, ms), run, handle });
    return handle;
  }

  clear(handle: TimerHandle | undefined): void {
    this.#waiting = this.#waiting.filter((entry) => entry.handle !== handle);
  }

  /** How many timers are set: a test that ends with some has found a leak. */
  get pending(): number {
    return this.#waiting.length;
  }

  /** Milliseconds until the next timer, undefined when none is set. */
  get nextIn(): number | undefined {
    const next = this.#waiting.reduce<number>((least, entry) => Math.min(least, entry.at), Infinity);
    return Number.isFinite(next) ? next - this.#now : undefined;
  }

  /** Lets `ms` pass. Promises settle before, between and after the timers, as they would in real time. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settle();
    for (;;) {
      const due = this.#waiting.filter((entry) => entry.at <= end).sort((a, b) => a.at - b.at)[0];
      if (!due) break;
      this.#waiting = this.#waiting.filter((entry) => entry !== due);
      this.#now = Math.max(this.#now, due.at);
      due.run();
      await settle();
    }
    this.#now = end;
    await settle();
  }
}

/** Gives every promise that can go on its turn. Async iteration takes a few turns per item, hence the number. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
}
