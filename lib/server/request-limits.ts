import 'server-only';

/**
 * A board of 60 feeds, a live table and triage ask a few times a second together. This is room for a hundred such
 * browsers behind one address, and an end to a loop gone wild.
 */
const PER_SECOND = 100;
const BURST = 1000;

/** Clients whose counts are kept; over it the one that asked longest ago is forgotten. */
const MOST_CLIENTS = 20_000;

type Bucket = { left: number; atMs: number };

/** Counts requests by client: so many per second, and a burst of ten seconds' worth. `now` is unix milliseconds. */
export class RequestLimits {
  readonly #buckets = new Map<string, Bucket>();

  constructor(private readonly now: () => number = Date.now) {}

  /**
   * Takes a request out of the purse of each key; none is taken when one of them has not enough.
   * @param cost how many ordinary requests it is worth
   * @returns the whole seconds to wait when one is, undefined when the request may go on
   */
  take(keys: readonly string[], cost = 1): number | undefined {
    const now = this.now();
    const purses = keys.map((key) => [key, this.#filled(key, now)] as const);
    const least = Math.min(...purses.map(([, left]) => left));
    if (least < cost) return waitS(cost - least);
    for (const [key, left] of purses) {
      this.#buckets.delete(key);
      this.#buckets.set(key, { left: left - cost, atMs: now });
    }
    this.#forget();
    return undefined;
  }

  #filled(key: string, now: number): number {
    const bucket = this.#buckets.get(key);
    if (bucket === undefined) return BURST;
    return Math.min(BURST, bucket.left + (Math.max(0, now - bucket.atMs) / 1000) * PER_SECOND);
  }

  #forget(): void {
    for (const key of this.#buckets.keys()) {
      if (this.#buckets.size <= MOST_CLIENTS) return;
      this.#buckets.delete(key);
    }
  }
}

function waitS(lacking: number): number {
  return Math.max(1, Math.ceil(lacking / PER_SECOND));
}
