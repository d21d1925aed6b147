import type { Timers } from './timers';

/** Time that passes only when a test says so. */
export class ManualTimers implements Timers {
  #now = 0;
  #alarms: { at: number; run: () => void }[] = [];

  elapsed(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): () => void {
    const alarm = { at: this.#now + ms, run };
    this.#alarms.push(alarm);
    return () => {
      this.#alarms = this.#alarms.filter((other) => other !== alarm);
    };
  }

  /** Lets time pass; alarms ring in their order, those that they set included. */
  advance(ms: number): void {
    const until = this.#now + ms;
    for (let next = this.#next(until); next; next = this.#next(until)) {
      this.#alarms = this.#alarms.filter((other) => other !== next);
      this.#now = next.at;
      next.run();
    }
    this.#now = until;
  }

  /** Milliseconds until the next alarm. */
  get nextIn(): number | undefined {
    const next = this.#next(Number.POSITIVE_INFINITY);
    return next && next.at - this.#now;
  }

  /** How many alarms are set: none may be left behind by a finished call. */
  get pending(): number {
    return this.#alarms.length;
  }

  #next(until: number) {
    const due = this.#alarms.filter((alarm) => alarm.at <= until);
    return due.sort((a, b) => a.at - b.at)[0];
  }
}
