import type { Timers } from './timers';

/** Time passes only when a test advances it. Timers fire in order, including those set meanwhile. */
export class ManualTimers implements Timers {
  #alarms: { at: number; run: () => void }[] = [];

  constructor(public nowMs = 1_700_000_000_000) {}

  now(): number {
    return this.nowMs;
  }

  elapsed(): number {
    return this.nowMs;
  }

  after(ms: number, run: () => void): () => void {
    const alarm = { at: this.nowMs + Math.max(0, ms), run };
    this.#alarms.push(alarm);
    return () => {
      this.#alarms = this.#alarms.filter((other) => other !== alarm);
    };
  }

  /** A test that ends with any pending timer has found a leak. */
  get pending(): number {
    return this.#alarms.length;
  }

  /** Milliseconds. */
  get nextIn(): number | undefined {
    const [next] = this.#alarms.toSorted((a, b) => a.at - b.at);
    return next && next.at - this.nowMs;
  }

  pass(ms: number): void {
    const until = this.nowMs + ms;
    while (this.#ring(until));
    this.nowMs = until;
  }

  /** Lets promises settle before, between and after the timers, as in real time. */
  async advance(ms: number): Promise<void> {
    const until = this.nowMs + ms;
    await settle();
    while (this.#ring(until)) await settle();
    this.nowMs = until;
    await settle();
  }

  #ring(until: number): boolean {
    const [next] = this.#alarms.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at);
    if (next === undefined) return false;
    this.#alarms = this.#alarms.filter((other) => other !== next);
    this.nowMs = Math.max(this.nowMs, next.at);
    next.run();
    return true;
  }
}

/** Async iteration takes a few turns per item, hence the number of turns. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
}
