import { type FeedId, type FeedUpdate, readUpdateBody, type UpdateBody } from '@/lib/domain/feed';
import type { FeedHubEdges } from './feed-hub-edges';
import type { FeedNews } from './feed-watcher';
import type { WatchedFeed } from './watched-feeds';

/** What the intake asks and tells. */
export type FeedIntakeEnds = {
  /** Undefined for a feed that nobody watches. */
  feed(id: FeedId): WatchedFeed | undefined;
  /** A feed brought an update: whether it had been missing. */
  came(id: FeedId): boolean;
  /** How an update stands to what is known of its feed, before it is kept. */
  judged(update: FeedUpdate, novelty: ReturnType<WatchedFeed['memory']['judge']>): void;
  /** What is new for the readers; `seq` is its number already. */
  news(news: readonly FeedNews[]): void;
  /** Feeds that had been missing and are there again. */
  cameBack(ids: ReadonlySet<FeedId>): void;
};

/** Takes in what a stream, a first look and the filling of gaps bring: counts it, keeps it, and says what of it is news. */
export class FeedIntake {
  readonly counts = { updates: 0, duplicates: 0, older: 0, unreadable: 0, filled: 0 };
  #seq = 0;

  constructor(
    private readonly edges: Pick<FeedHubEdges, 'timers' | 'codec' | 'order'>,
    private readonly ends: FeedIntakeEnds,
  ) {}

  /** The number of the last event that brought news. */
  get seq(): number {
    return this.#seq;
  }

  /** Reads one upstream event. Gives whether it brought a price; one that can't be read is counted and skipped. */
  read(text: string): boolean {
    const body = readUpdateBody(text);
    if (!body.ok) {
      this.counts.unreadable += 1;
      return false;
    }
    return this.take(body.value);
  }

  /** Takes the updates of a body that was read. Gives whether there are any. */
  take(body: UpdateBody): boolean {
    this.counts.unreadable += body.unreadable.length;
    const receivedAtMs = this.edges.timers.now();
    const cameBack = new Set<FeedId>();
    const news: FeedNews[] = [];
    const seq = this.#seq + 1;
    for (const update of body.updates) {
      const feed = this.ends.feed(update.id);
      if (!feed) continue;
      if (this.ends.came(update.id)) cameBack.add(update.id);
      news.push(...this.#keep(feed, update, seq, receivedAtMs));
    }
    this.counts.updates += news.length;
    if (news.length > 0) {
      this.#seq = seq;
      this.ends.news(news);
    }
    if (cameBack.size > 0) this.ends.cameBack(cameBack);
    return body.updates.length > 0;
  }

  /** An update that was missed: it stands in the charts, and is no news. */
  fill(update: FeedUpdate): void {
    const text = this.edges.codec.feed(update, this.edges.timers.now(), 'filled');
    if (this.ends.feed(update.id)?.past.fill(update, text)) this.counts.filled += 1;
  }

  /** Remembers an update, and gives what the readers are told of it: nothing when it is no news. */
  #keep(feed: WatchedFeed, update: FeedUpdate, seq: number, receivedAtMs: number): FeedNews[] {
    const novelty = feed.memory.judge(update);
    this.ends.judged(update, novelty);
    const late = novelty === 'older' && this.edges.order === 'any';
    if (novelty === 'duplicate') this.counts.duplicates += 1;
    else if (novelty === 'older' && !late) this.counts.older += 1;
    else {
      const text = this.edges.codec.feed(update, receivedAtMs);
      feed.past.add(update, text);
      if (!late) feed.memory.keep(update, seq, text);
      else feed.memory.keepLate(seq, text);
      return [late ? { id: update.id, text, late: 'late' } : { id: update.id, text }];
    }
    return [];
  }
}
