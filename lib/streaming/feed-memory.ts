import type { FeedUpdate } from '@/lib/domain/feed';

/** `older` and `duplicate` are counted and dropped: a price never goes back, and is never told twice. */
export type Novelty = 'new' | 'duplicate' | 'older';

/**
 * Updates kept per feed for readers that come back: at 2.5 a second the last 100 seconds. At the bound the oldest is
 * forgotten, and a reader from before it gets a snapshot instead.
 */
export const KEPT_UPDATES = 256;

/** Different updates of one second that are told apart; at the bound the set starts over and a repeat may pass. */
const MOST_PER_SECOND = 1024;

/** What is remembered of one feed: the last update, the recent ones, and what it takes to recognise a repeat. */
export class FeedMemory {
  #last: FeedUpdate | undefined;
  #lastText: string | undefined;
  #seen = new Set<string>();
  /** Ring of the recent updates: `#next` is where the next one goes. */
  readonly #ring: { seq: number; text: string }[] = [];
  #next = 0;
  /** Everything after this number is in the ring. */
  #completeAfter: number;

  constructor(sinceSeq: number) {
    this.#completeAfter = sinceSeq;
  }

  /** The last update as it was encoded; undefined before the first. */
  get lastText(): string | undefined {
    return this.#lastText;
  }

  /** Publish time of the last update, unix seconds; undefined before the first. */
  get lastPublishS(): number | undefined {
    return this.#last?.publishTime;
  }

  /**
   * Judges an update against the ones before. Order is by publish time, then by slot. A service publishes several
   * updates within one second, so two of the same second and slot are the same only when their figures are.
   */
  judge(update: FeedUpdate): Novelty {
    const last = this.#last;
    if (!last || update.publishTime > last.publishTime) return 'new';
    if (update.publishTime < last.publishTime) return 'older';
    if (update.slot !== undefined && last.slot !== undefined && update.slot !== last.slot) {
      if (isSmaller(update.slot, last.slot)) return 'older';
    }
    return this.#seen.has(figuresOf(update)) ? 'duplicate' : 'new';
  }

  /** Keeps an update that was judged new, with its number in the hub's order and its encoded text. */
  keep(update: FeedUpdate, seq: number, text: string): void {
    this.#remember(seq, text);
    const sameSecond = this.#last?.publishTime === update.publishTime;
    if (!sameSecond || this.#seen.size >= MOST_PER_SECOND) this.#seen.clear();
    this.#seen.add(figuresOf(update));
    this.#last = update;
    this.#lastText = text;
  }

  /** Keeps an update that is older than the last one, where readers asked for those too: the last one stays. */
  keepLate(seq: number, text: string): void {
    this.#remember(seq, text);
  }

  #remember(seq: number, text: string): void {
    const dropped = this.#ring[this.#next];
    if (dropped) this.#completeAfter = dropped.seq;
    this.#ring[this.#next] = { seq, text };
    this.#next = (this.#next + 1) % KEPT_UPDATES;
  }

  /** The updates after number `seq`, oldest first; undefined when they are not all remembered. */
  after(seq: number): { seq: number; text: string }[] | undefined {
    if (seq < this.#completeAfter) return undefined;
    const newer: { seq: number; text: string }[] = [];
    for (let back = 1; back <= this.#ring.length; back += 1) {
      const entry = this.#ring[(this.#next - back + KEPT_UPDATES) % KEPT_UPDATES];
      if (!entry || entry.seq <= seq) break;
      newer.push(entry);
    }
    return newer.reverse();
  }
}

function figuresOf({ slot, price, conf, ema }: FeedUpdate): string {
  return `${slot}|${price.mantissa}|${price.expo}|${conf.mantissa}|${ema?.price.mantissa}|${ema?.conf.mantissa}`;
}

/** Compares canonical decimal texts of any length. */
function isSmaller(a: string, b: string): boolean {
  return a.length === b.length ? a < b : a.length < b.length;
}
