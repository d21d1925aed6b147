/** At so many the oldest go, whatever the window: a feed of hundreds of updates a second must not cost memory. */
const MOST_KEPT = 4_096;

/**
 * The smallest of the values of the last while. Only those are kept that may still become the smallest, so adding one
 * costs the same however long the window is.
 */
export class RunningMinimum {
  /** Ascending in both time and value. */
  #kept: { readonly atMs: number; readonly value: number }[] = [];

  constructor(private readonly windowMs: number) {}

  /** Times do not go back; one that does counts as the time of the one before. */
  add(atMs: number, value: number): void {
    const nowMs = Math.max(atMs, this.#kept.at(-1)?.atMs ?? atMs);
    while ((this.#kept.at(-1)?.value ?? -Infinity) >= value) this.#kept.pop();
    this.#kept.push({ atMs: nowMs, value });
    const oldestMs = nowMs - this.windowMs;
    const stale = this.#kept.findIndex((one) => one.atMs >= oldestMs);
    const drop = Math.max(stale, this.#kept.length - MOST_KEPT);
    if (drop > 0) this.#kept.splice(0, drop);
  }

  /** Undefined before the first. */
  value(): number | undefined {
    return this.#kept[0]?.value;
  }
}
