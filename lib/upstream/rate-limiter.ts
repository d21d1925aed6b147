import type { HostReport } from '@/lib/core/service-report';
import type { Timers } from '@/lib/core/timers';

/** `user`: a person is waiting. `background`: counters, directories, metrics. */
export type CallPriority = 'user' | 'background';

export type BudgetAnswer = { granted: true } | { granted: false; retryAfterS: number };

export type BudgetTicket = {
  answer: Promise<BudgetAnswer>;
  /** A user has joined the call, which moves behind the last waiting user call. */
  promote(): void;
  withdraw(): void;
};

export type BudgetUsage = Omit<HostReport['budget'], 'sharedWith'>;

type Waiter = { priority: CallPriority; deadline: number; settle: (answer: BudgetAnswer) => void };

const MAX_WAIT_MS = 10_000;
const BURST_SECONDS = 10;

/** A token bucket. User calls go first. No more calls of one priority wait than `MAX_WAIT_MS` can serve. */
export class RateLimiter {
  readonly #rate: number;
  readonly #burst: number;
  readonly #timers: Timers;
  #queue: Waiter[] = [];
  #tokens: number;
  #filledAt: number;
  #cancelAlarm = () => {};
  #granted = 0;
  #refused = 0;

  constructor({ callsPerSecond, timers }: { callsPerSecond: number; timers: Timers }) {
    this.#rate = callsPerSecond;
    this.#burst = Math.max(1, callsPerSecond * BURST_SECONDS);
    this.#timers = timers;
    this.#tokens = this.#burst;
    this.#filledAt = timers.elapsed();
  }

  acquire(priority: CallPriority): BudgetTicket {
    let settle: Waiter['settle'] = () => {};
    const answer = new Promise<BudgetAnswer>((resolve) => {
      settle = resolve;
    });
    const waiter: Waiter = { priority, deadline: this.#timers.elapsed() + MAX_WAIT_MS, settle };
    this.#queue.push(waiter);
    this.#serve();
    const maxWaiting = Math.max(1, Math.floor((this.#rate * MAX_WAIT_MS) / 1000));
    if (this.#waiting(waiter.priority) > maxWaiting && this.#remove(waiter)) this.#refuse(waiter);
    return {
      answer,
      promote: () => {
        if (waiter.priority === 'user' || !this.#remove(waiter)) return;
        waiter.priority = 'user';
        this.#queue.push(waiter);
      },
      withdraw: () => {
        if (!this.#remove(waiter)) return;
        settle(this.#refusal());
        this.#serve();
      },
    };
  }

  usage(): BudgetUsage {
    this.#fill();
    return {
      callsPerSecond: this.#rate,
      burst: this.#burst,
      used: Math.max(0, Math.ceil(this.#burst - this.#tokens)),
      waiting: { user: this.#waiting('user'), background: this.#waiting('background') },
      granted: this.#granted,
      refused: this.#refused,
    };
  }

  #waiting(priority: CallPriority): number {
    return this.#queue.filter((waiter) => waiter.priority === priority).length;
  }

  #remove(waiter: Waiter): boolean {
    const at = this.#queue.indexOf(waiter);
    if (at >= 0) this.#queue.splice(at, 1);
    return at >= 0;
  }

  #refuse(waiter: Waiter): void {
    this.#refused += 1;
    waiter.settle(this.#refusal());
  }

  #refusal(): BudgetAnswer {
    return { granted: false, retryAfterS: Math.max(1, Math.ceil((this.#queue.length + 1) / this.#rate)) };
  }

  #fill(): void {
    const now = this.#timers.elapsed();
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#filledAt) * this.#rate) / 1000);
    this.#filledAt = now;
  }

  #serve(): void {
    this.#fill();
    while (this.#queue.length > 0 && this.#tokens >= 1) {
      const next = this.#queue.find(({ priority }) => priority === 'user') ?? this.#queue[0];
      if (next === undefined || !this.#remove(next)) return;
      this.#tokens -= 1;
      this.#granted += 1;
      next.settle({ granted: true });
    }
    const now = this.#timers.elapsed();
    for (const late of this.#queue.filter(({ deadline }) => deadline <= now)) {
      this.#remove(late);
      this.#refuse(late);
    }
    this.#cancelAlarm();
    if (this.#queue.length === 0) return;
    const nextTokenMs = ((1 - this.#tokens) * 1000) / this.#rate;
    const nextDeadlineMs = Math.min(...this.#queue.map(({ deadline }) => deadline)) - now;
    // A timer that is rounded down would fire before its token is available, and fire again at once.
    const ms = Math.max(1, Math.ceil(Math.min(nextTokenMs, nextDeadlineMs)));
    this.#cancelAlarm = this.#timers.after(ms, () => this.#serve());
  }
}
