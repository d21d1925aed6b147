import type { FeedId, UpdateBody } from '@/lib/core/feed';
import type { Outcome } from '@/lib/core/outcome';
import type { TimerHandle, Timers } from './timers';
import { MAX_FEEDS_PER_STREAM } from './upstream-streams';

export type InitialPricesEdges = {
  /** The latest update of each feed; feeds that the service doesn't know are left out of the answer. */
  latest(ids: readonly FeedId[], priority: 'user' | 'background'): Promise<Outcome<UpdateBody>>;
  timers: Timers;
  bug(error: unknown): void;
};

export type InitialPricesListener = {
  /** The service answered: what it sent. */
  body(body: UpdateBody): void;
  /** The question is settled for these feeds, answered or not. `changed`: those that went missing or are known again. */
  settled(ids: readonly FeedId[], changed: ReadonlySet<FeedId>): void;
};

/** Feeds without a value are asked for again this often, as long as someone watches them. */
const ASK_AGAIN_MS = 30_000;

/**
 * Asks the service for the latest update of feeds: when they are first watched, after an outage, and again and again for
 * those that it doesn't know, because a feed may appear later. It is also how a feed is known to be missing.
 */
export class InitialPrices {
  readonly #missing = new Set<FeedId>();
  readonly #unanswered = new Set<FeedId>();
  #again: TimerHandle | undefined;
  #stopped = false;

  constructor(
    private readonly edges: InitialPricesEdges,
    private readonly listener: InitialPricesListener,
  ) {}

  /** Feeds that the service said it doesn't know: they may not stand in a question for others, which it might refuse as a whole. */
  get missing(): ReadonlySet<FeedId> {
    return this.#missing;
  }

  ask(ids: readonly FeedId[], priority: 'user' | 'background'): void {
    for (let from = 0; from < ids.length; from += MAX_FEEDS_PER_STREAM) {
      const some = ids.slice(from, from + MAX_FEEDS_PER_STREAM);
      this.#ask(some, priority).catch((error: unknown) => {
        this.edges.bug(error);
        this.#settle(some, [], some);
      });
    }
  }

  /** Marks the ids that a 404 of the service names: `Price ids not found: <id>, <id>`. Gives those among `asked`. */
  markNamed(detail: string, asked: readonly FeedId[]): FeedId[] {
    const text = detail.toLowerCase();
    const named = asked.filter((id) => text.includes(id));
    if (named.length > 0) this.#settle(named, named, []);
    return named;
  }

  /** An update of this feed came: it is not missing. Gives whether that is news. */
  came(id: FeedId): boolean {
    this.#unanswered.delete(id);
    return this.#missing.delete(id);
  }

  forget(id: FeedId): void {
    this.came(id);
  }

  stop(): void {
    this.#stopped = true;
    this.edges.timers.clear(this.#again);
    this.#missing.clear();
    this.#unanswered.clear();
  }

  async #ask(ids: readonly FeedId[], priority: 'user' | 'background'): Promise<void> {
    if (ids.length === 0) return;
    const outcome = await this.edges.latest(ids, priority);
    if (this.#stopped) return;
    if (!outcome.ok) {
      const named = outcome.failure.kind === 'missing' ? this.markNamed(outcome.failure.detail, ids) : [];
      const rest = ids.filter((id) => !named.includes(id));
      // The text is cut at 500 characters, so it may name only some; each round leaves fewer.
      if (named.length > 0) return this.#ask(rest, priority);
      return this.#settle(rest, [], rest);
    }
    const { updates, unreadable, parsedPresent } = outcome.value;
    const present = new Set<string>(updates.map(({ id }) => id));
    // A row that can't be read is no proof that the feed doesn't exist.
    for (const { rawJson } of unreadable)
      for (const id of rawJson.toLowerCase().match(/[0-9a-f]{64}/g) ?? []) present.add(id);
    const lacking = ids.filter((id) => !present.has(id));
    const changed = ids.filter((id) => present.has(id) && this.#missing.has(id));
    this.listener.body(outcome.value);
    this.#settle(ids, parsedPresent ? lacking : [], parsedPresent ? [] : lacking, changed);
  }

  #settle(
    ids: readonly FeedId[],
    missing: readonly FeedId[],
    unanswered: readonly FeedId[],
    found: readonly FeedId[] = [],
  ): void {
    const changed = new Set([...found, ...missing.filter((id) => !this.#missing.has(id))]);
    for (const id of ids) this.#unanswered.delete(id);
    for (const id of found) this.#missing.delete(id);
    for (const id of missing) this.#missing.add(id);
    for (const id of unanswered) this.#unanswered.add(id);
    this.#askAgainLater();
    this.listener.settled(ids, changed);
  }

  #askAgainLater(): void {
    if (this.#again || this.#stopped || this.#missing.size + this.#unanswered.size === 0) return;
    this.#again = this.edges.timers.after(ASK_AGAIN_MS, () => {
      this.#again = undefined;
      this.ask([...new Set([...this.#missing, ...this.#unanswered])], 'background');
      this.#askAgainLater();
    });
  }
}
