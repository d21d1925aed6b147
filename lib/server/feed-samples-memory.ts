import 'server-only';

/**
 * What is known of one feed at one moment: its update as `CompactFeed` text, or none (`undefined`), until when that is to
 * be believed (milliseconds; infinite for what can't change any more).
 */
type Known = { readonly text: string | undefined; readonly untilMs: number };

/**
 * Samples that were asked for before, the most lately used ones: about 300 bytes each, so 12 MB at the bound. Beyond it the
 * one that was not looked at for longest goes.
 */
export const MOST_KEPT_SAMPLES = 40_000;

/** A bounded memory of samples by feed and moment. */
export class FeedSamplesMemory {
  readonly #known = new Map<string, Known>();
  readonly #most: number;
  readonly #now: () => number;

  constructor(now: () => number, most = MOST_KEPT_SAMPLES) {
    this.#now = now;
    this.#most = most;
  }

  /** Undefined: has to be asked for. */
  get(id: string, t: number): Known | undefined {
    const key = keyOf(id, t);
    const known = this.#known.get(key);
    if (known === undefined) return undefined;
    this.#known.delete(key);
    if (known.untilMs <= this.#now()) return undefined;
    this.#known.set(key, known);
    return known;
  }

  keep(id: string, t: number, text: string | undefined, forMs: number): void {
    const key = keyOf(id, t);
    this.#known.delete(key);
    this.#known.set(key, { text, untilMs: this.#now() + forMs });
    for (const [oldest] of this.#known) {
      if (this.#known.size <= this.#most) break;
      this.#known.delete(oldest);
    }
  }
}

function keyOf(id: string, t: number): string {
  return `${id} ${t}`;
}
