import type { FeedId } from '@/lib/domain/feed';
import { FeedMemory } from './feed-memory';
import { FeedPast, type PastBudget } from './feed-past';
import type { TimerHandle, Timers } from './timers';

/** The upstream streams outlive the last watcher by this, so that a reload of the page finds them open. */
export const LINGER_MS = 30_000;

/** `memory`: for readers that come back within a minute or two. `past`: for charts. */
export type WatchedFeed = { memory: FeedMemory; past: FeedPast; watchers: number; idleSinceMs: number };

/** The feeds that anyone watches, or did until a moment ago, and what is remembered of each. */
export class WatchedFeeds {
  readonly #feeds = new Map<FeedId, WatchedFeed>();
  #sweep: TimerHandle | undefined;

  /** @param swept hears of the feeds that nobody has watched for a while, after they were forgotten */
  constructor(
    private readonly timers: Timers,
    private readonly budget: PastBudget,
    private readonly swept: (ids: readonly FeedId[]) => void,
  ) {}

  get size(): number {
    return this.#feeds.size;
  }

  get ids(): FeedId[] {
    return [...this.#feeds.keys()];
  }

  get(id: FeedId): WatchedFeed | undefined {
    return this.#feeds.get(id);
  }

  /** The last update of each feed that has one, as it was encoded. */
  *lastTexts(): Generator<[FeedId, string]> {
    for (const [id, { memory }] of this.#feeds) {
      if (memory.lastText !== undefined) yield [id, memory.lastText];
    }
  }

  /** One more watcher. @param seq number of the newest update */
  use(id: FeedId, seq: number): void {
    const feed = this.#feeds.get(id);
    if (feed) feed.watchers += 1;
    else {
      const past = new FeedPast(this.budget);
      this.#feeds.set(id, { memory: new FeedMemory(seq), past, watchers: 1, idleSinceMs: 0 });
    }
  }

  /** One watcher less. */
  release(ids: readonly FeedId[]): void {
    for (const id of ids) {
      const feed = this.#feeds.get(id);
      if (!feed) continue;
      feed.watchers -= 1;
      if (feed.watchers === 0) feed.idleSinceMs = this.timers.now();
    }
    this.#sweepIn(LINGER_MS);
  }

  clear(): void {
    this.timers.clear(this.#sweep);
    this.#sweep = undefined;
    for (const { past } of this.#feeds.values()) past.clear();
    this.#feeds.clear();
  }

  #sweepIn(ms: number): void {
    if (this.#sweep) return;
    this.#sweep = this.timers.after(ms, () => {
      this.#sweep = undefined;
      const now = this.timers.now();
      const forgotten: FeedId[] = [];
      let nextMs = Number.POSITIVE_INFINITY;
      for (const [id, feed] of this.#feeds) {
        if (feed.watchers > 0) continue;
        const leftMs = feed.idleSinceMs + LINGER_MS - now;
        if (leftMs > 0) nextMs = Math.min(nextMs, leftMs);
        else {
          feed.past.clear();
          this.#feeds.delete(id);
          forgotten.push(id);
        }
      }
      this.swept(forgotten);
      if (Number.isFinite(nextMs)) this.#sweepIn(nextMs);
    });
  }
}
