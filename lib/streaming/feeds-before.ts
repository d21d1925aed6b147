import type { FeedId } from '@/lib/domain/feed';
import type { FeedPast } from './feed-past';

/** A server that takes over stands by then; who lost a stream longer ago gets the samples that every chart begins with. */
export const MOST_BEFORE_S = 120;

type Fill = (fromMs: number, untilMs: number, firstS: ReadonlyMap<FeedId, number | undefined>) => void;

/**
 * What readers lost before our memory began: their stream was another server's, which has ended or was replaced. It is
 * filled in once for each feed, as far back as whoever comes first lacks it.
 */
export class FeedsBefore {
  /** Feeds whose stream does not stand yet, and the unix second since which they are lacked. */
  readonly #waiting = new Map<FeedId, number>();
  readonly #dealtWith = new WeakSet<FeedPast>();

  constructor(
    private readonly pastOf: (id: FeedId) => FeedPast | undefined,
    private readonly fill: Fill,
  ) {}

  /** Somebody has nothing of these feeds since a unix second. */
  lacked(ids: readonly FeedId[], fromS: number): void {
    for (const id of ids) {
      const past = this.pastOf(id);
      if (!past || this.#dealtWith.has(past)) continue;
      this.#waiting.set(id, Math.min(fromS, this.#waiting.get(id) ?? fromS));
    }
    this.settle();
  }

  /** A stream stands: asks for what is lacked of the feeds on it. */
  settle(): void {
    const firstS = new Map<FeedId, number | undefined>();
    const since: number[] = [];
    const from: number[] = [];
    for (const [id, fromS] of this.#waiting) {
      const past = this.pastOf(id);
      const sinceS = past?.completeSinceS;
      if (past && sinceS === undefined) continue;
      this.#waiting.delete(id);
      if (!past || sinceS === undefined) continue;
      this.#dealtWith.add(past);
      if (fromS >= sinceS || sinceS - fromS > MOST_BEFORE_S) continue;
      firstS.set(id, past.from(sinceS)[0]?.publishS);
      since.push(sinceS);
      from.push(fromS);
    }
    if (firstS.size > 0) this.fill(Math.min(...from) * 1000, Math.max(...since) * 1000, firstS);
  }

  clear(): void {
    this.#waiting.clear();
  }
}
