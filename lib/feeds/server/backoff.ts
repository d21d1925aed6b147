export type BackoffSettings = {
  /** Delay of the first try, milliseconds. */
  firstMs: number;
  /** No delay grows beyond this (before jitter). */
  maxMs: number;
  /** 0 to 1, `Math.random` outside of tests. */
  random: () => number;
};

/**
 * Delays between attempts. Each is twice the one before, give or take a quarter, so that gaps always grow and a
 * thousand dashboards don't knock in step.
 */
export class Backoff {
  #failures = 0;

  constructor(private readonly settings: BackoffSettings) {}

  /** Milliseconds to wait before the next attempt. */
  next(): number {
    const { firstMs, maxMs, random } = this.settings;
    const plain = Math.min(maxMs, firstMs * 2 ** Math.min(this.#failures, 30));
    this.#failures += 1;
    return Math.round(plain * (0.75 + random() * 0.5));
  }

  /** The other side works again: start over. */
  reset(): void {
    this.#failures = 0;
  }
}
