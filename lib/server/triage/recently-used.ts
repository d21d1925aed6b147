import 'server-only';
import type { Timers } from '@/lib/upstream/timers';

export type RecentlyUsedOptions = {
  timers: Timers;
  /** Entries at most; those that were not used for longest go first. */
  most: number;
  /** An entry that was not used for so long goes. */
  idleMs: number;
};

/** What is made once and shared while somebody uses it, and let go some time after. */
export class RecentlyUsed<T> {
  readonly #options: RecentlyUsedOptions;
  /** Those used last stand last. */
  readonly #entries = new Map<string, { value: T; usedAt: number }>();
  #isSweepPlanned = false;

  constructor(options: RecentlyUsedOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#entries.size;
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  /** The entry of this key, made when it is new. */
  get(key: string, make: () => T): T {
    const value = this.#entries.get(key)?.value ?? make();
    this.#entries.delete(key);
    this.#entries.set(key, { value, usedAt: this.#options.timers.elapsed() });
    for (const [oldest] of this.#entries) {
      if (this.#entries.size <= this.#options.most) break;
      this.#entries.delete(oldest);
    }
    this.#planSweep();
    return value;
  }

  /** For the moment when the one that was not used for longest is to go, unless it is used again meanwhile. */
  #planSweep(): void {
    const [oldest] = this.#entries.values();
    if (this.#isSweepPlanned || oldest === undefined) return;
    this.#isSweepPlanned = true;
    const { timers, idleMs } = this.#options;
    timers.after(oldest.usedAt + idleMs - timers.elapsed(), () => {
      this.#isSweepPlanned = false;
      this.#sweep();
      this.#planSweep();
    });
  }

  #sweep(): void {
    const { timers, idleMs } = this.#options;
    for (const [key, { usedAt }] of this.#entries) {
      if (timers.elapsed() - usedAt < idleMs) return;
      this.#entries.delete(key);
    }
  }
}
