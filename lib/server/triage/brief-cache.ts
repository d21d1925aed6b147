import 'server-only';

export type BriefCacheOptions = {
  /** Milliseconds since some fixed moment. */
  elapsed: () => number;
  keptMs: number;
  /** Entries at most; those that were made first go first. */
  most: number;
};

/** What several viewers ask for within a short time is made once: while it is under way, and a moment after. */
export class BriefCache<T> {
  readonly #options: BriefCacheOptions;
  readonly #entries = new Map<string, { made: Promise<T>; untilMs: number }>();

  constructor(options: BriefCacheOptions) {
    this.#options = options;
  }

  /** What rejects is made again the next time. */
  get(key: string, make: () => Promise<T>): Promise<T> {
    const { elapsed, keptMs, most } = this.#options;
    const known = this.#entries.get(key);
    if (known !== undefined && elapsed() < known.untilMs) return known.made;
    const made = make();
    const entry = { made, untilMs: Number.POSITIVE_INFINITY };
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    made.then(
      () => {
        entry.untilMs = elapsed() + keptMs;
      },
      () => {
        if (this.#entries.get(key) === entry) this.#entries.delete(key);
      },
    );
    for (const [oldest] of this.#entries) {
      if (this.#entries.size <= most) break;
      this.#entries.delete(oldest);
    }
    return made;
  }
}
