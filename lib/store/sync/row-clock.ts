import { CLOCK_TOLERANCE_MS, isClockSkewed } from '@/lib/core/health';

/** A single odd row, or one that was logged late, decides nothing. */
const MAX_SAMPLES = 3;

/**
 * The dates of answers are not enough: a proxy may write them, and a database may date the rows. Rows are created
 * before they are read, so they give a lower bound of how far their clock is ahead.
 */
export class RowClock {
  /** Creation of the newest row minus the time of the call, in ms: of listings, and of those with a new row. */
  #listed: number[] = [];
  #fresh: number[] = [];

  /** @param requestedAtMs time of the call by our clock */
  listed(newestMs: number, requestedAtMs: number): void {
    // A row dated later than our clock is no evidence for a clock that is behind.
    if (newestMs - requestedAtMs > CLOCK_TOLERANCE_MS) return;
    this.#listed = [newestMs - requestedAtMs, ...this.#listed].slice(0, MAX_SAMPLES);
  }

  /** @param newestMs creation of the newest row that the previous read did not have */
  appeared(newestMs: number, requestedAtMs: number): void {
    this.#fresh = [newestMs - requestedAtMs, ...this.#fresh].slice(0, MAX_SAMPLES);
  }

  /** @param datedMs how far the clock is ahead by the dates of answers */
  aheadMs(datedMs: number): number {
    const ahead = this.#corrected(datedMs);
    const minFresh = this.#fresh.length < MAX_SAMPLES ? Number.NEGATIVE_INFINITY : Math.min(...this.#fresh);
    return minFresh > Math.max(0, ahead) + CLOCK_TOLERANCE_MS ? minFresh : ahead;
  }

  /** A value between the dates of answers and our clock, if rows contradict the dates. */
  #corrected(datedMs: number): number {
    if (!isClockSkewed(datedMs)) return datedMs;
    const isBehind = datedMs < 0;
    const samples =
      isBehind && this.#fresh.length < MAX_SAMPLES ? [...this.#listed, ...this.#fresh] : this.#fresh;
    if (samples.length === 0) return datedMs;
    const latest = Math.max(...samples);
    if (!isClockSkewed(latest - datedMs)) return datedMs;
    const between = isBehind
      ? Math.min(0, Math.max(datedMs, latest))
      : Math.max(0, Math.min(datedMs, latest));
    return isClockSkewed(between) ? between : 0;
  }
}
