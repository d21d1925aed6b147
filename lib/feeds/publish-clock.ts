import { type FeedUpdate, readUpdateBody } from '@/lib/core/feed';
import { MINUTE_MS } from '@/lib/core/time';

/** Wrong publish times: in the future, far behind an earlier update, or not in seconds. */
export const MISDATINGS = ['ahead', 'behind', 'ms', 'us', 'ns'] as const;
export type Misdating = (typeof MISDATINGS)[number];

/** Tolerance for whole seconds and slightly different clocks. */
const MAX_AHEAD_MS = 5_000;
/** Seconds behind the feed's last update that no reordering in transit explains. */
const MAX_BEHIND_S = 60;

export function isAhead(publishS: number, nowMs: number): boolean {
  return publishS * 1000 - nowMs > MAX_AHEAD_MS;
}

/** @param nowMs now by the publishing clock @param lastS publish time of the feed's last update */
export function findMisdating(
  publishS: number,
  nowMs: number,
  lastS: number | undefined,
): Misdating | undefined {
  if (isAhead(publishS, nowMs)) return 'ahead';
  return lastS !== undefined && lastS - publishS > MAX_BEHIND_S ? 'behind' : undefined;
}

/** Other units, recognised by the number of digits of a present-day time. */
const UNITS: readonly { unit: Misdating; digits: number }[] = [
  { unit: 'ms', digits: 13 },
  { unit: 'us', digits: 16 },
  { unit: 'ns', digits: 19 },
];
const PUBLISH_TIME = /("publish_time"\s*:\s*)"?(\d{13,19})"?/g;

/** A row whose publish time is in another unit. Returns the update in seconds, and the unit. */
export function readWrongUnit(rawJson: string): { update: FeedUpdate; unit: Misdating } | undefined {
  const [[, , digits = ''] = []] = rawJson.matchAll(PUBLISH_TIME);
  const unit = UNITS.find((unit) => unit.digits === digits.length)?.unit;
  if (unit === undefined) return undefined;
  const inSeconds = rawJson.replaceAll(
    PUBLISH_TIME,
    (_, name: string, time: string) => name + time.slice(0, 10),
  );
  const body = readUpdateBody(`{"parsed":[${inSeconds}]}`);
  const update = body.ok ? body.value.updates[0] : undefined;
  return update && { update, unit };
}

/** Median delay that indicates differing clocks if the service sends no `Date`. */
const MAX_BEHIND_MS = 30_000;
/** Feeds without an update for longer don't count. */
const MAX_SAMPLE_AGE_MS = MINUTE_MS;
const ESTIMATE_EVERY_MS = 1_000;
/** A single feed proves nothing about the clock. */
const MIN_FEEDS = 2;

/** Our clock, corrected by the service's `Date` and by the median feed. */
export class PublishClock {
  readonly #samples = new Map<string, { readonly offsetMs: number; readonly atMs: number }>();
  #offsetMs = 0;
  #estimatedAtMs = Number.NEGATIVE_INFINITY;

  /** @param datedMs the service's clock minus ours by its `Date` headers, ms; undefined if unknown */
  constructor(
    private readonly now: () => number,
    private readonly datedMs: () => number | undefined,
  ) {}

  observe(feedId: string, publishS: number): void {
    const atMs = this.now();
    this.#samples.set(feedId, { offsetMs: publishS * 1000 - atMs, atMs });
  }

  nowMs(): number {
    const now = this.now();
    if (Math.abs(now - this.#estimatedAtMs) >= ESTIMATE_EVERY_MS) {
      this.#estimatedAtMs = now;
      this.#offsetMs = this.#estimate(now);
    }
    return now + this.#offsetMs;
  }

  #estimate(now: number): number {
    for (const [id, { atMs }] of this.#samples)
      if (Math.abs(now - atMs) > MAX_SAMPLE_AGE_MS) this.#samples.delete(id);
    const dated = this.datedMs();
    const offsets = [...this.#samples.values()].map((sample) => sample.offsetMs - (dated ?? 0));
    const offsetMs = medianOf(offsets);
    // With a `Date`, or one current feed, late feeds are really late, for example because markets are closed.
    // A price from the future always proves a wrong clock.
    const isConfirmed = dated !== undefined || offsets.some((ms) => Math.abs(ms) <= MAX_BEHIND_MS);
    const isOff = offsetMs > MAX_AHEAD_MS || (!isConfirmed && offsetMs < -MAX_BEHIND_MS);
    return (dated ?? 0) + (isOff ? Math.round(offsetMs / 1000) * 1000 : 0);
  }
}

/** Median correction; of two middle values the smaller one. 0 for fewer than `MIN_FEEDS`. */
function medianOf(offsets: readonly number[]): number {
  if (offsets.length < MIN_FEEDS) return 0;
  const sorted = offsets.toSorted((a, b) => a - b);
  const middle = [sorted[(sorted.length - 1) >> 1] ?? 0, sorted[sorted.length >> 1] ?? 0];
  return Math.abs(middle[0] ?? 0) <= Math.abs(middle[1] ?? 0) ? (middle[0] ?? 0) : (middle[1] ?? 0);
}
