import type { CompactFeed, FeedDelta } from '@/lib/contract/codec/feed-stream';
import { isNewer } from './feed-picture';

type PaceEdges = {
  readonly now: () => number;
  readonly setTimer: (run: () => void, ms: number) => unknown;
  readonly clearTimer: (timer: unknown) => void;
};

/**
 * The rate of one reader: an update goes on at once when the last one is long enough ago, else it waits for its moment.
 * Of each feed the latest waits, and what it replaced is counted.
 */
export class FeedPace {
  readonly #waiting = new Map<string, CompactFeed>();
  #folded = 0;
  #timer: unknown;
  #sentAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly edges: PaceEdges,
    private readonly send: (delta: FeedDelta) => void,
  ) {}

  /** @param everyMs 0: nothing waits */
  take(feeds: readonly CompactFeed[], folded: number, everyMs: number): void {
    this.#folded += folded;
    if (everyMs === 0) {
      this.flush();
      if (feeds.length > 0) this.#tell([...feeds]);
      return;
    }
    for (const update of feeds) this.#hold(update);
    const dueMs = this.#sentAtMs + everyMs - this.edges.now();
    if (dueMs <= 0) this.flush();
    else this.#timer ??= this.edges.setTimer(() => this.flush(), dueMs);
  }

  /** Sends at once what waits. */
  flush(): void {
    this.edges.clearTimer(this.#timer);
    this.#timer = undefined;
    const feeds = [...this.#waiting.values()];
    this.#waiting.clear();
    if (feeds.length > 0) this.#tell(feeds);
  }

  /** Forgets what waits. */
  stop(): void {
    this.edges.clearTimer(this.#timer);
    this.#timer = undefined;
    this.#waiting.clear();
    this.#folded = 0;
  }

  #hold(update: CompactFeed): void {
    const before = this.#waiting.get(update.id);
    if (before !== undefined) this.#folded += 1;
    if (isNewer(update, before)) this.#waiting.set(update.id, update);
  }

  #tell(feeds: CompactFeed[]): void {
    const folded = this.#folded;
    this.#folded = 0;
    this.#sentAtMs = this.edges.now();
    this.send(folded > 0 ? { feeds, folded } : { feeds });
  }
}
