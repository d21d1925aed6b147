import type { FeedId, FeedUpdate } from '@/lib/domain/feed';
import type { GapFill } from './feed-marks';

/** What is known of one feed around a gap. Unix seconds. */
export type FeedGap = {
  /** Publish time of the last update before it; absent when there was none. */
  knownS?: number;
  /** The first update after it; absent when none has come yet. */
  first?: { publishS: number; previousS?: number };
};

/** The at-time route is asked for feeds of one stream at once; more would make the address too long. */
const MOST_IDS = 100;
/** Updates are received a second or two after they are published. */
const SLACK_S = 2;
/** No gap is filled further back than the memory of the feeds goes. */
export const FILLED_BACK_S = 30 * 60;
/** After so many seconds without any update the service is taken to have none of the feed in this gap. */
const MOST_MISSING = 3;

type Need = {
  /** The second that is asked for next. */
  nextS: number;
  /** What is at or before this is known, or is no matter of this gap. */
  knownS: number;
  /** Updates from here on are known. */
  beforeS: number;
  missing: number;
  /** Asked for by itself: the service fails a whole question for one feed. */
  alone: boolean;
};

/**
 * One gap of some feeds, from its end backwards: each update tells when the one before it was published, so that no
 * second is asked for in which there was none. A service that doesn't tell is asked for every second.
 */
export class GapJob {
  readonly #needs = new Map<FeedId, Need>();
  #filled = 0;
  #lacking = 0;

  constructor(
    readonly key: string,
    private readonly fromS: number,
    private readonly untilS: number,
    feeds: ReadonlyMap<FeedId, FeedGap>,
  ) {
    for (const [id, gap] of feeds) {
      const need = needOf(gap, fromS, untilS);
      if (need.nextS > need.knownS) this.#needs.set(id, need);
    }
  }

  /** Whether nothing is left to ask for. */
  get over(): boolean {
    return this.#needs.size === 0;
  }

  progress(): GapFill {
    const ofS = Math.max(1, this.untilS - this.fromS);
    const next = Math.max(this.fromS, ...[...this.#needs.values()].map(({ nextS }) => nextS));
    return { state: 'filling', doneS: Math.max(0, Math.min(ofS, this.untilS - next)), ofS };
  }

  /** How it ended: what is still needed counts as lacking. */
  end(): GapFill {
    const { doneS, ofS } = this.progress();
    const complete = this.#needs.size === 0 && this.#lacking === 0;
    if (complete) return { state: 'done', doneS: ofS, ofS };
    return { state: this.#filled > 0 ? 'partial' : 'impossible', doneS, ofS };
  }

  keepOnly(wanted: (id: FeedId) => boolean): void {
    for (const id of this.#needs.keys()) if (!wanted(id)) this.#needs.delete(id);
  }

  /** The next second to ask for, and the feeds that need it. Undefined when nothing is left, or only what is too old. */
  question(nowS: number): { second: number; ids: FeedId[] } | undefined {
    const newest = Math.max(...[...this.#needs.values()].map(({ nextS }) => nextS));
    if (this.#needs.size === 0 || newest < nowS - FILLED_BACK_S) return undefined;
    const ids = [...this.#needs].filter(([, { nextS }]) => nextS === newest);
    const single = ids.find(([, { alone }]) => alone);
    return { second: newest, ids: (single ? [single] : ids.slice(0, MOST_IDS)).map(([id]) => id) };
  }

  /** Takes an answer; gives the updates that were missing. */
  answered({ second, ids }: { second: number; ids: FeedId[] }, updates: readonly FeedUpdate[]): FeedUpdate[] {
    const news: FeedUpdate[] = [];
    for (const id of ids) {
      const need = this.#needs.get(id);
      const update = updates.find((one) => one.id === id);
      if (!need) continue;
      if (!update) this.#lacks(id, need, second);
      else {
        need.missing = 0;
        if (update.publishTime > need.knownS && update.publishTime < need.beforeS) news.push(update);
        need.beforeS = second;
        const before = update.prevPublishTime;
        // A time before that is not before is not believed: it would be asked for again and again.
        this.#goTo(id, need, before !== undefined && before < second ? before : second - 1);
      }
    }
    this.#filled += news.length;
    return news;
  }

  /** The service has nothing at that second, or refuses the question for one of the feeds. */
  missing({ second, ids }: { second: number; ids: FeedId[] }): void {
    for (const id of ids) {
      const need = this.#needs.get(id);
      if (!need) continue;
      if (ids.length > 1) need.alone = true;
      else this.#lacks(id, need, second);
    }
  }

  #lacks(id: FeedId, need: Need, second: number): void {
    need.missing += 1;
    if (need.missing < MOST_MISSING) this.#goTo(id, need, second - 1);
    else {
      this.#needs.delete(id);
      this.#lacking += 1;
    }
  }

  #goTo(id: FeedId, need: Need, nextS: number): void {
    need.nextS = nextS;
    if (nextS <= need.knownS) this.#needs.delete(id);
  }
}

function needOf({ knownS, first }: FeedGap, fromS: number, untilS: number): Need {
  const known = Math.max(knownS ?? 0, fromS - SLACK_S);
  const rest = { knownS: known, missing: 0, alone: false };
  if (!first) return { ...rest, nextS: untilS, beforeS: untilS + 1 };
  const { publishS, previousS } = first;
  // The first one that came may not be the first one of its second: then that one is missing too.
  if (previousS !== undefined && previousS >= publishS)
    return { ...rest, nextS: publishS, beforeS: publishS + 1 };
  return { ...rest, nextS: previousS ?? publishS - 1, beforeS: publishS };
}
