import 'server-only';

export type BriefCacheOptions = {
  /** Milliseconds since some fixed moment. */
  elapsed: () => number;
  keptMs: number;
  /** What is kept, entries at most; those that were made first go first. */
  most: number;
  /** What is being made at a time, at most. */
  mostUnderWay: number;
};

/** What several viewers ask for within a short time is made once: while it is under way, and a moment after. */
export class BriefCache<T> {
  readonly #options: BriefCacheOptions;
  readonly #underWay = new Map<string, Promise<T>>();
  readonly #entries = new Map<string, { made: Promise<T>; untilMs: number }>();

  constructor(options: BriefCacheOptions) {
    this.#options = options;
  }

  /** Undefined while as many others are being made as may be. What rejects is made again the next time. */
  get(key: string, make: () => Promise<T>): Promise<T> | undefined {
    const known = this.#underWay.get(key) ?? this.#kept(key);
    if (known !== undefined) return known;
    if (this.#underWay.size >= this.#options.mostUnderWay) return undefined;
    const made = make();
    this.#underWay.set(key, made);
    made.then(
      () => {
        this.#underWay.delete(key);
        this.#keep(key, made);
      },
      () => this.#underWay.delete(key),
    );
    return made;
  }

  #kept(key: string): Promise<T> | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && this.#options.elapsed() < entry.untilMs ? entry.made : undefined;
  }

  #keep(key: string, made: Promise<T>): void {
    const { elapsed, keptMs, most } = this.#options;
    this.#entries.delete(key);
    this.#entries.set(key, { made, untilMs: elapsed() + keptMs });
    for (const [oldest] of this.#entries) {
      if (this.#entries.size <= most) break;
      this.#entries.delete(oldest);
    }
  }
}
