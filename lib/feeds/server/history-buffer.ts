import type { FeedUpdate } from '@/lib/core/feed';

/**
 * `older` and `duplicate` are counted and dropped: a price never goes back, and is never told twice. `misdated` ones are told
 * with a mark, and stand in no order.
 */
export type Novelty = 'new' | 'duplicate' | 'older' | 'misdated';

/** An update by its number in the hub's order, with its publish time (unix seconds) and its encoded text. */
export type KeptUpdate = { readonly seq: number; readonly publishS: number; readonly text: string };

/** Updates kept of a feed: at 2.5 a second the last ten minutes, some 500 kB. At the bound the oldest is forgotten. */
export const MAX_UPDATES_PER_FEED = 1_500;
/** Of many feeds less is kept of each, down to so many updates: enough for who lost the stream for a minute. */
const MIN_UPDATES_PER_FEED = 256;
const MAX_UPDATES = 100_000;
/** What was published longer ago is not given any more, seconds. */
const HISTORY_S = 30 * 60;

/** Different updates of one second that are told apart; at the bound the set starts over and a repeat may pass. */
const MAX_PER_SECOND = 1024;

export function keptOf(feeds: number): number {
  return Math.max(MIN_UPDATES_PER_FEED, Math.min(MAX_UPDATES_PER_FEED, Math.floor(MAX_UPDATES / feeds)));
}

/** The recent updates of one feed, for readers that come back and for charts that open, and what tells a repeat. */
export class HistoryBuffer {
  #last: FeedUpdate | undefined;
  #seen = new Set<string>();
  #misdated: { readonly key: string; readonly text: string } | undefined;
  /** Oldest first; only the last `most()` count, what is before them is cut off now and then. */
  #kept: KeptUpdate[] = [];
  #completeAfter: number;
  #sinceS: number | undefined;

  /** @param sinceSeq newest update of the hub. @param most how many updates are kept, as of now */
  constructor(
    sinceSeq: number,
    private readonly most: () => number,
  ) {
    this.#completeAfter = sinceSeq;
  }

  /** Publish time of the last update, unix seconds. */
  get lastS(): number | undefined {
    return this.#last?.publishTime;
  }

  /** A misdated update as it was encoded, while none came after it. */
  get misdatedText(): string | undefined {
    return this.#misdated?.text;
  }

  /** Gives whether it is another one than the last. */
  noteMisdated(update: FeedUpdate, text: string): boolean {
    const key = `${update.publishTime}|${figuresOf(update)}`;
    const isNew = this.#misdated?.key !== key;
    this.#misdated = { key, text };
    return isNew;
  }

  /** The last update turned out to be from the future: those to come are not measured by it. */
  forgetOrder(): void {
    this.#last = undefined;
    this.#seen.clear();
  }

  /** The last update as it was encoded; undefined before the first. */
  get lastText(): string | undefined {
    return this.#kept.at(-1)?.text;
  }

  get bytes(): number {
    return this.#kept.reduce((sum, { text }) => sum + text.length, 0);
  }

  /** A stream carries the feed from now on. */
  begin(nowMs: number): void {
    this.#sinceS ??= Math.ceil(nowMs / 1000);
  }

  /** By publish time, then by slot; of the same second and slot two are the same only when their figures are. */
  judge(update: FeedUpdate): Novelty {
    const { publishTime, slot } = update;
    const last = this.#last;
    if (!last || publishTime > last.publishTime) return 'new';
    const isOlderSlot = slot !== undefined && BigInt(slot) < BigInt(last.slot ?? 0);
    if (publishTime < last.publishTime || isOlderSlot) return 'older';
    return this.#seen.has(figuresOf(update)) ? 'duplicate' : 'new';
  }

  /** Keeps an update that was judged new, with its number in the hub's order and its encoded text. */
  keep(update: FeedUpdate, seq: number, text: string): void {
    this.#kept.push({ seq, publishS: update.publishTime, text });
    const most = this.most();
    // Cut off in pieces: moving all of them for each update would cost more than what is kept meanwhile.
    if (this.#kept.length >= most + Math.ceil(most / 8)) {
      const last = this.#kept.splice(0, this.#kept.length - most).at(-1);
      this.#completeAfter = last?.seq ?? seq;
      if (last && this.#sinceS !== undefined) this.#sinceS = Math.max(this.#sinceS, last.publishS + 1);
    }
    if (this.#last?.publishTime !== update.publishTime || this.#seen.size >= MAX_PER_SECOND)
      this.#seen.clear();
    this.#seen.add(figuresOf(update));
    this.#last = update;
    this.#misdated = undefined;
  }

  /** The updates after number `seq`, oldest first; undefined when they are not all kept. */
  after(seq: number): readonly KeptUpdate[] | undefined {
    if (seq < this.#completeAfter) return undefined;
    return this.#kept.slice(this.#kept.findLastIndex((one) => one.seq <= seq) + 1);
  }

  /** The updates of the last half an hour from a unix second on, oldest first, and from when on that is all. */
  from(fromS: number, nowMs: number): { updates: readonly KeptUpdate[]; completeSinceS: number | undefined } {
    const oldestS = Math.ceil(nowMs / 1000) - HISTORY_S;
    return {
      updates: this.#kept.filter(({ publishS }) => publishS >= Math.max(fromS, oldestS)),
      completeSinceS: this.#sinceS === undefined ? undefined : Math.max(this.#sinceS, oldestS),
    };
  }
}

function figuresOf({ slot, price, conf, ema }: FeedUpdate): string {
  return `${slot}|${price.mantissa}|${price.expo}|${conf.mantissa}|${ema?.price.mantissa}|${ema?.conf.mantissa}`;
}
