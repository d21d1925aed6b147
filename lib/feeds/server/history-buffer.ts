import type { FeedUpdate } from '@/lib/core/feed';

/**
 * `older` and `duplicate` updates are counted and dropped, because a price never goes back and is never sent twice.
 * `misdated` updates are sent with a mark and have no place in the order.
 */
export type Novelty = 'new' | 'duplicate' | 'older' | 'misdated';

/** An update with its number in the hub's order, its publish time (unix seconds) and its encoded text. */
export type BufferedUpdate = { readonly seq: number; readonly publishS: number; readonly text: string };

/**
 * Capacity for one feed. At 2.5 updates a second it holds the last ten minutes, some 500 kB. The oldest are evicted.
 */
const MAX_UPDATES_PER_FEED = 1_500;
/** Capacity for each feed if there are many: enough for a client that lost the stream for a minute. */
const MIN_UPDATES_PER_FEED = 256;
const MAX_UPDATES = 100_000;
/** Maximum age of updates that are given to clients, seconds. */
const HISTORY_S = 30 * 60;

/**
 * Maximum number of updates of one second that are remembered to detect duplicates. Beyond it, the memory is cleared.
 */
const MAX_PER_SECOND = 1024;

export function capacityPerFeed(feeds: number): number {
  return Math.max(MIN_UPDATES_PER_FEED, Math.min(MAX_UPDATES_PER_FEED, Math.floor(MAX_UPDATES / feeds)));
}

/** Recent updates of one feed, for clients that resume and charts that open. Also detects duplicates. */
export class HistoryBuffer {
  #last: FeedUpdate | undefined;
  #seen = new Set<string>();
  #misdated: { readonly key: string; readonly text: string } | undefined;
  /** Oldest first. Those beyond the last `capacity()` are evicted in batches, so some older ones are kept for a while. */
  #updates: BufferedUpdate[] = [];
  #completeAfter: number;
  #sinceS: number | undefined;

  /** @param sinceSeq number of the hub's newest update @param capacity returns the current limit of buffered updates */
  constructor(
    sinceSeq: number,
    private readonly capacity: () => number,
  ) {
    this.#completeAfter = sinceSeq;
  }

  /** Publish time of the last update, unix seconds. */
  get lastS(): number | undefined {
    return this.#last?.publishTime;
  }

  /** The encoded text of the misdated update, if that is the newest of its feed. */
  get misdatedText(): string | undefined {
    return this.#misdated?.text;
  }

  /** Stores a misdated update. Returns whether it differs from the previous misdated one. */
  noteMisdated(update: FeedUpdate, text: string): boolean {
    const key = `${update.publishTime}|${figuresOf(update)}`;
    const isNew = this.#misdated?.key !== key;
    this.#misdated = { key, text };
    return isNew;
  }

  /** Forgets the order after the last update proved to be from the future. Later updates are not compared with it. */
  forgetOrder(): void {
    this.#last = undefined;
    this.#seen.clear();
  }

  /** Encoded text of the last update; undefined before the first. */
  get lastText(): string | undefined {
    return this.#updates.at(-1)?.text;
  }

  /** Encoded texts of the last updates of any age, oldest first. */
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

  /**
   * Compares an update with the last one. The order is publish time, then slot. Updates of the same second and slot are
   * duplicates only if their figures are equal.
   */
  judge(update: FeedUpdate): Novelty {
    const { publishTime, slot } = update;
    const last = this.#last;
    if (!last || publishTime > last.publishTime) return 'new';
    const isOlderSlot = slot !== undefined && BigInt(slot) < BigInt(last.slot ?? 0);
    if (publishTime < last.publishTime || isOlderSlot) return 'older';
    return this.#seen.has(figuresOf(update)) ? 'duplicate' : 'new';
  }

  /** Buffers an update that was judged new. */
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

  /** Updates after number `seq`, oldest first; undefined if some of them were evicted. */
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
