import type { FeedUpdate } from '@/lib/core/feed';

/**
 * `older` and `duplicate` updates are counted and dropped, because a price never goes back and is never sent twice.
 * `misdated` updates are sent with a mark and have no place in the order.
 */
export type Novelty = 'new' | 'duplicate' | 'older' | 'misdated';

/** An update with its number in the hub's order, its publish time (unix seconds) and its encoded text. */
export type BufferedUpdate = { readonly seq: number; readonly publishS: number; readonly text: string };

/** Capacity for one feed: ten minutes at 2.5 updates a second, some 500 kB. */
const MAX_UPDATES_PER_FEED = 1_500;
/** Capacity for each feed if there are many: enough for a client that lost the stream for a minute. */
const MIN_UPDATES_PER_FEED = 256;
const MAX_UPDATES = 100_000;
/** Maximum age of updates for clients, seconds. */
const HISTORY_S = 30 * 60;

/** Updates of one second remembered to detect duplicates. Beyond it, they are forgotten. */
const MAX_PER_SECOND = 1024;

export function capacityPerFeed(feeds: number): number {
  return Math.max(MIN_UPDATES_PER_FEED, Math.min(MAX_UPDATES_PER_FEED, Math.floor(MAX_UPDATES / feeds)));
}

/** Recent updates of one feed, for clients that resume and charts that open. Also detects duplicates. */
export class HistoryBuffer {
  #last: FeedUpdate | undefined;
  #seen = new Set<string>();
  #misdated: { readonly key: string; readonly text: string } | undefined;
  /** Oldest first. Eviction is in batches, so there may be more than `capacity()`. */
  #updates: BufferedUpdate[] = [];
  #completeAfter: number;
  #sinceS: number | undefined;

  /** @param sinceSeq number of the hub's newest update */
  constructor(
    sinceSeq: number,
    private readonly capacity: () => number,
  ) {
    this.#completeAfter = sinceSeq;
  }

  /** Unix seconds. */
  get lastS(): number | undefined {
    return this.#last?.publishTime;
  }

  /** Set only while the misdated update is the newest of its feed. */
  get misdatedText(): string | undefined {
    return this.#misdated?.text;
  }

  /** Returns whether the update differs from the previous misdated one. */
  noteMisdated(update: FeedUpdate, text: string): boolean {
    const key = `${update.publishTime}|${figuresOf(update)}`;
    const isNew = this.#misdated?.key !== key;
    this.#misdated = { key, text };
    return isNew;
  }

  /** Called when the last update proved to be from the future. Later updates are not compared with it. */
  forgetOrder(): void {
    this.#last = undefined;
    this.#seen.clear();
  }

  get lastText(): string | undefined {
    return this.#updates.at(-1)?.text;
  }

  /** Last updates of any age, oldest first. */
  lastTexts(count: number): string[] {
    return this.#updates.slice(-count).map(({ text }) => text);
  }

  get bytes(): number {
    return this.#updates.reduce((sum, { text }) => sum + text.length, 0);
  }

  /** Marks the moment from which a stream carries the feed. */
  begin(nowMs: number): void {
    this.#sinceS ??= Math.ceil(nowMs / 1000);
  }

  /** Orders by publish time, then slot. Updates equal in both are duplicates only if their figures are equal. */
  judge(update: FeedUpdate): Novelty {
    const { publishTime, slot } = update;
    const last = this.#last;
    if (!last || publishTime > last.publishTime) return 'new';
    const isOlderSlot = slot !== undefined && BigInt(slot) < BigInt(last.slot ?? 0);
    if (publishTime < last.publishTime || isOlderSlot) return 'older';
    return this.#seen.has(figuresOf(update)) ? 'duplicate' : 'new';
  }

  add(update: FeedUpdate, seq: number, text: string): void {
    this.#updates.push({ seq, publishS: update.publishTime, text });
    const capacity = this.capacity();
    // Eviction happens in batches: moving the array for each update would cost more than the extra memory.
    if (this.#updates.length >= capacity + Math.ceil(capacity / 8)) {
      const last = this.#updates.splice(0, this.#updates.length - capacity).at(-1);
      this.#completeAfter = last?.seq ?? seq;
      if (last && this.#sinceS !== undefined) this.#sinceS = Math.max(this.#sinceS, last.publishS + 1);
    }
    if (this.#last?.publishTime !== update.publishTime || this.#seen.size >= MAX_PER_SECOND)
      this.#seen.clear();
    this.#seen.add(figuresOf(update));
    this.#last = update;
    this.#misdated = undefined;
  }

  /** Oldest first; undefined if some of the updates after `seq` were evicted. */
  after(seq: number): readonly BufferedUpdate[] | undefined {
    if (seq < this.#completeAfter) return undefined;
    return this.#updates.slice(this.#updates.findLastIndex((update) => update.seq <= seq) + 1);
  }

  /** Updates of the last half hour from a unix second on, oldest first, and the second from which they are complete. */
  from(
    fromS: number,
    nowMs: number,
  ): { updates: readonly BufferedUpdate[]; completeSinceS: number | undefined } {
    const oldestS = Math.ceil(nowMs / 1000) - HISTORY_S;
    return {
      updates: this.#updates.filter(({ publishS }) => publishS >= Math.max(fromS, oldestS)),
      completeSinceS: this.#sinceS === undefined ? undefined : Math.max(this.#sinceS, oldestS),
    };
  }
}

function figuresOf({ slot, price, conf, ema }: FeedUpdate): string {
  return `${slot}|${price.mantissa}|${price.expo}|${conf.mantissa}|${ema?.price.mantissa}|${ema?.conf.mantissa}`;
}
