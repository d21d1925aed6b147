import type { FeedHistoryAnswer, FeedHistoryQuery } from '@/lib/contract/codec/feed-history';
import { MAX_HISTORY_FEEDS } from '@/lib/contract/codec/feed-history';

export type FillEdges = {
  /** Asks our server for what it remembers; undefined when it could not be had. */
  readonly askHistory?: (
    query: FeedHistoryQuery,
    signal: AbortSignal,
  ) => Promise<FeedHistoryAnswer | undefined>;
  readonly now: () => number;
  readonly setTimer: (run: () => void, ms: number) => unknown;
  readonly clearTimer: (timer: unknown) => void;
};

/** Charts that open together ask together. */
const GATHER_MS = 50;
/** A question that failed is asked once more, after this; the next gap asks anyway. */
const AGAIN_MS = 5_000;
const MOST_FAILURES = 1;

/** Fills charts with what our server remembers: when they open, and when the stream had a gap. */
export class FeedFill {
  /** Feeds that wait to be asked for, and from which unix second on. */
  readonly #waiting = new Map<string, number>();
  readonly #running = new Set<AbortController>();
  #options: FeedHistoryQuery['options'];
  #timer: unknown;

  /** @param points at most so many per feed; undefined: all */
  constructor(
    private readonly edges: FillEdges,
    private readonly points: number | undefined,
    private readonly take: (answer: FeedHistoryAnswer) => void,
  ) {}

  ask(ids: readonly string[], fromS: number, options?: FeedHistoryQuery['options']): void {
    if (this.edges.askHistory === undefined || ids.length === 0) return;
    this.#options = options;
    for (const id of ids) this.#waiting.set(id, Math.min(fromS, this.#waiting.get(id) ?? fromS));
    this.#timer ??= this.edges.setTimer(() => this.#send(), GATHER_MS);
  }

  /** Gives up what is asked and what waits. */
  stop(): void {
    this.edges.clearTimer(this.#timer);
    this.#timer = undefined;
    this.#waiting.clear();
    for (const one of this.#running) one.abort();
    this.#running.clear();
  }

  #send(): void {
    this.#timer = undefined;
    const ids = [...this.#waiting.keys()];
    const fromS = Math.min(...this.#waiting.values());
    const more = { points: this.points, options: this.#options };
    this.#waiting.clear();
    for (let at = 0; at < ids.length; at += MAX_HISTORY_FEEDS) {
      const some = ids.slice(at, at + MAX_HISTORY_FEEDS);
      this.#question({ ids: some, fromS, ...more }, 0);
    }
  }

  async #question(query: FeedHistoryQuery, failures: number): Promise<void> {
    const abort = new AbortController();
    this.#running.add(abort);
    const answer = await this.edges.askHistory?.(query, abort.signal);
    if (!this.#running.delete(abort)) return;
    if (answer !== undefined) this.take(answer);
    else if (failures < MOST_FAILURES) this.#again(query, failures + 1);
  }

  #again(query: FeedHistoryQuery, failures: number): void {
    const abort = new AbortController();
    this.#running.add(abort);
    const timer = this.edges.setTimer(() => {
      if (this.#running.delete(abort)) this.#question(query, failures);
    }, AGAIN_MS);
    abort.signal.addEventListener('abort', () => this.edges.clearTimer(timer));
  }
}
