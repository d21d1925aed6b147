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
  readonly #refused = new Set<FeedId>();
  readonly #unsettled = new Set<FeedId>();
  #again: TimerHandle | undefined;
  #stopped = false;

  constructor(
    private readonly edges: InitialPricesEdges,
    private readonly listener: InitialPricesListener,
  ) {}

  /** Feeds that the service said it doesn't know. */
  get missing(): ReadonlySet<FeedId> {
    return this.#missing;
  }

  /** Those of them for which it refused a whole question: they may not stand in the next one of others. */
  get refused(): ReadonlySet<FeedId> {
    return this.#refused;
  }

  ask(ids: readonly FeedId[], priority: 'user' | 'background'): void {
    for (let from = 0; from < ids.length; from += MAX_FEEDS_PER_STREAM) {
      const some = ids.slice(from, from + MAX_FEEDS_PER_STREAM);
      this.#ask(some, priority).catch((error: unknown) => {
        this.edges.bug(error);
        this.#unanswered(some);
      });
    }
  }

  /**
   * Reads the ids out of a 404 of the service and marks them: `Price ids not found: <id>, <id>`. Gives what was marked
   * among `asked`; the others can be asked for without them.
   */
  markNamed(detail: string, asked: readonly FeedId[]): FeedId[] {
    const text = detail.toLowerCase();
    const named = asked.filter((id) => text.includes(id));
    for (const id of named) {
      this.#missing.add(id);
      this.#refused.add(id);
    }
    if (named.length > 0) {
      this.#askAgainLater();
      this.listener.settled(named, new Set(named));
    }
    return named;
  }

  /** An update of this feed came: it is not missing. Gives whether that is news. */
  came(id: FeedId): boolean {
    this.#unsettled.delete(id);
    this.#refused.delete(id);
    return this.#missing.delete(id);
  }

  forget(id: FeedId): void {
    this.#missing.delete(id);
    this.#refused.delete(id);
    this.#unsettled.delete(id);
  }

  stop(): void {
    this.#stopped = true;
    this.edges.timers.clear(this.#again);
    this.#again = undefined;
    this.#missing.clear();
    this.#refused.clear();
    this.#unsettled.clear();
  }

  async #ask(ids: readonly FeedId[], priority: 'user' | 'background'): Promise<void> {
    if (ids.length === 0) return;
    const outcome = await this.edges.latest(ids, priority);
    if (this.#stopped) return;
    if (outcome.ok) this.#answered(ids, outcome.value);
    else {
      const named = outcome.failure.kind === 'missing' ? this.markNamed(outcome.failure.detail, ids) : [];
      const rest = ids.filter((id) => !named.includes(id));
      // The text is cut at 500 characters, so it may name only some; each round leaves fewer.
      if (named.length > 0) return this.#ask(rest, priority);
      this.#unanswered(rest);
    }
  }

  #unanswered(ids: readonly FeedId[]): void {
    for (const id of ids) this.#unsettled.add(id);
    this.#askAgainLater();
    this.listener.settled(ids, new Set());
  }

  #answered(ids: readonly FeedId[], body: UpdateBody): void {
    const changed = new Set<FeedId>();
    const present = new Set<string>(body.updates.map((update) => update.id));
    // A row that can't be read is no proof that the feed doesn't exist.
    for (const { rawJson } of body.unreadable) for (const id of idsIn(rawJson)) present.add(id);
    for (const id of ids) {
      const shown = present.has(id);
      this.#unsettled.delete(id);
      if (shown) this.#refused.delete(id);
      if (!body.parsedPresent) this.#unsettled.add(id);
      else if (shown ? this.#missing.delete(id) : !this.#missing.has(id)) {
        changed.add(id);
        if (!shown) this.#missing.add(id);
      }
    }
    this.#askAgainLater();
    this.listener.body(body);
    this.listener.settled(ids, changed);
  }

  #askAgainLater(): void {
    if (this.#again || this.#stopped || this.#missing.size + this.#unsettled.size === 0) return;
    this.#again = this.edges.timers.after(ASK_AGAIN_MS, () => {
      this.#again = undefined;
      this.ask([...new Set([...this.#missing, ...this.#unsettled])], 'background');
      this.#askAgainLater();
    });
  }
}

/** What may be a feed id in a row that can't be read. Such rows may be many, so each is looked at once, not once per feed. */
function idsIn(rawJson: string): string[] {
  return rawJson.toLowerCase().match(/[0-9a-f]{64}/g) ?? [];
}
