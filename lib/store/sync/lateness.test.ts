import { expect, it } from 'vitest';
import type { Timers } from '@/lib/core/timers';
import { TimeSinceRead } from './lateness';

/** Time that the test advances. While the machine stands still, no timer fires. */
class HandTimers implements Timers {
  #nowMs = 0;
  #waiting: { at: number; run: () => void }[] = [];

  now = () => this.#nowMs;
  elapsed = () => this.#nowMs;

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.#nowMs + ms, run };
    this.#waiting.push(timer);
    return () => {
      this.#waiting = this.#waiting.filter((other) => other !== timer);
    };
  }

  pass(ms: number): void {
    for (let left = ms; left > 0; left -= 100) {
      this.standStill(100);
      this.fire();
    }
  }

  standStill(ms: number): void {
    this.#nowMs += ms;
  }

  fire(): void {
    for (const timer of this.#waiting.filter(({ at }) => at <= this.#nowMs)) {
      this.#waiting = this.#waiting.filter((other) => other !== timer);
      timer.run();
    }
  }
}

it('blames a keeper for the duration of its calls', () => {
  const timers = new HandTimers();
  const since = new TimeSinceRead(timers);
  timers.pass(10_000);
  since.callBegins();
  timers.pass(14_000);
  since.callEnds();
  since.callBegins();
  timers.pass(8000);
  expect(since.lateBy).toBe('keeper');
  since.callEnds();
  since.read();
  timers.pass(31_000);
  expect(since.lateBy).toBe('dashboard');
});

it('blames the dashboard for a call during which the process stood still, before and after its timers fire', () => {
  const timers = new HandTimers();
  const since = new TimeSinceRead(timers);
  timers.pass(2000);
  since.callBegins();
  timers.standStill(40_000);
  expect(since.lateBy).toBe('dashboard');
  timers.fire();
  since.callEnds();
  expect(since.lateBy).toBe('dashboard');
});
