/** Floors below which no feed is called late or stale, in seconds (settings `FEED_LATE_S` and `FEED_STALE_S`). */
export type FreshnessFloors = { readonly lateS: number; readonly staleS: number };

const RHYTHM_SAMPLES = 20;

/** Learns the usual pause of a feed from the publish times that follow one another. */
export class FeedRhythm {
  #pauses: number[] = [];

  /** Notes a pause between two publish times, ms. Zero (several updates in one second) says nothing and is left out. */
  note(pauseMs: number): void {
    if (pauseMs <= 0) {
      return;
    }
    this.#pauses.push(pauseMs);
    if (this.#pauses.length > RHYTHM_SAMPLES) {
      this.#pauses.shift();
    }
  }

  /** The upper quartile of the last pauses: a single outage among them does not move it. Undefined before the first. */
  usualPauseMs(): number | undefined {
    const sorted = this.#pauses.toSorted((a, b) => a - b);
    return sorted[Math.floor((sorted.length - 1) * 0.75)];
  }
}

/** Publish times are whole seconds and travel; a difference within these bounds is ordinary and not corrected. */
const ORDINARY_BEHIND_MS = 30_000;
const ORDINARY_AHEAD_MS = 5_000;

/**
 * The difference between the receiving and the publishing clock, from the last live updates of some feeds: `lagsMs` is
 * time of receipt minus publish time of each. The smallest counts, since delay only ever adds. 0 while it is ordinary;
 * positive when the publishing clock (or the service) is behind, negative when it is ahead.
 */
export function clockSkewMs(lagsMs: readonly number[]): number {
  const smallest = lagsMs.length === 0 ? 0 : Math.min(...lagsMs);
  return smallest > ORDINARY_BEHIND_MS || smallest < -ORDINARY_AHEAD_MS ? smallest : 0;
}
