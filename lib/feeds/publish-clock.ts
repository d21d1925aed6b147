import { type FeedUpdate, readUpdateBody } from '@/lib/core/feed';

/** Why a publish time can't be right: beyond the present, far behind an earlier update, or not in seconds. */
export const MISDATINGS = ['ahead', 'behind', 'ms', 'us', 'ns'] as const;
export type Misdating = (typeof MISDATINGS)[number];

/** Publish times are whole seconds and clocks differ a little: up to this is ordinary. */
const MAX_AHEAD_MS = 5_000;
/** An update this far behind the feed's last one was not merely overtaken on its way. */
const MAX_BEHIND_S = 60;

export function isAhead(publishS: number, nowMs: number): boolean {
  return publishS * 1000 - nowMs > MAX_AHEAD_MS;
}

/** @param nowMs present of the publishing clock @param lastS publish time of the feed's last update */
export function misdatingOf(
  publishS: number,
  nowMs: number,
  lastS: number | undefined,
): Misdating | undefined {
  if (isAhead(publishS, nowMs)) return 'ahead';
  return lastS !== undefined && lastS - publishS > MAX_BEHIND_S ? 'behind' : undefined;
}

/** Units by the digits of a present-day time. */
const UNITS: readonly { unit: Misdating; digits: number }[] = [
  { unit: 'ms', digits: 13 },
  { unit: 'us', digits: 16 },
  { unit: 'ns', digits: 19 },
];
const PUBLISH_TIME = /("publish_time"\s*:\s*)"?(\d{13,19})"?/g;

/** An unreadable row whose publish time is in another unit than seconds: the update it would be, and the unit. */
export function readWrongUnit(rawJson: string): { update: FeedUpdate; unit: Misdating } | undefined {
  const [[, , digits = ''] = []] = rawJson.matchAll(PUBLISH_TIME);
  const unit = UNITS.find((one) => one.digits === digits.length)?.unit;
  if (unit === undefined) return undefined;
  const inSeconds = rawJson.replaceAll(
    PUBLISH_TIME,
    (_, name: string, time: string) => name + time.slice(0, 10),
  );
  const body = readUpdateBody(`{"parsed":[${inSeconds}]}`);
  const update = body.ok ? body.value.updates[0] : undefined;
  return update && { update, unit };
}

/** Without dates of the service, updates that are this late on average tell of clocks that differ. */
const MAX_BEHIND_MS = 30_000;
/** Only feeds that moved this recently tell something about the clocks. */
const MEMORY_MS = 60_000;
const RECKON_EVERY_MS = 1_000;
/** One feed alone proves nothing about the clock. */
const MIN_FEEDS = 2;

/** The present by which publish times are judged: our clock, corrected by the dates of the service and the median feed. */
export class PublishClock {
  readonly #heard = new Map<string, { readonly offsetMs: number; readonly atMs: number }>();
  #offsetMs = 0;
  #reckonedAtMs = Number.NEGATIVE_INFINITY;

  /** @param datedMs how far the service’s clock is ahead of ours by the dates of its answers, where known */
  constructor(
    private readonly now: () => number,
    private readonly datedMs: () => number | undefined,
  ) {}

  heard(feedId: string, publishS: number): void {
    const atMs = this.now();
    this.#heard.set(feedId, { offsetMs: publishS * 1000 - atMs, atMs });
  }

  nowMs(): number {
    const now = this.now();
    if (Math.abs(now - this.#reckonedAtMs) >= RECKON_EVERY_MS) {
      this.#reckonedAtMs = now;
      this.#offsetMs = this.#reckon(now);
    }
    return now + this.#offsetMs;
  }

  #reckon(now: number): number {
    for (const [id, { atMs }] of this.#heard) if (Math.abs(now - atMs) > MEMORY_MS) this.#heard.delete(id);
    const dated = this.datedMs();
    const offsetMs = medianOf([...this.#heard.values()].map((one) => one.offsetMs - (dated ?? 0)));
    // While the service dates its answers, feeds that are all late are late. A price from the future proves a clock.
    const isOff = offsetMs > MAX_AHEAD_MS || (dated === undefined && offsetMs < -MAX_BEHIND_MS);
    return (dated ?? 0) + (isOff ? Math.round(offsetMs / 1000) * 1000 : 0);
  }
}

/** Of two in the middle the smaller one: it corrects less. 0 for fewer than `MIN_FEEDS`. */
function medianOf(offsets: readonly number[]): number {
  if (offsets.length < MIN_FEEDS) return 0;
  const sorted = offsets.toSorted((a, b) => a - b);
  const middle = [sorted[(sorted.length - 1) >> 1] ?? 0, sorted[sorted.length >> 1] ?? 0];
  return Math.abs(middle[0] ?? 0) <= Math.abs(middle[1] ?? 0) ? (middle[0] ?? 0) : (middle[1] ?? 0);
}
