import type { FeedId, UpdateBody } from '@/lib/core/feed';
import type { Outcome } from '@/lib/core/outcome';
import type { TimerHandle, Timers } from './timers';
import { MAX_FEEDS_PER_STREAM } from './upstream-streams';

export type InitialPricesEdges = {
  /** The latest update of each feed; feeds that the service doesn't know are left out of the answer. */
  latest(ids: readonly FeedId[], priority: 'user' | 'background'): Promise<Outcome<UpdateBody>>;
  timers: Timers;
  bug(error: unknown): void;
  /** The service answered: what it sent. */
  body(body: UpdateBody): void;
  /** A question is settled, answered or not. `changed`: feeds that went missing or are known again. */
  settled(changed: ReadonlySet<FeedId>): void;
};

/** Feeds without a value are asked for again this often, as long as someone watches them. */
const ASK_AGAIN_MS = 30_000;

/** Asks for the latest update: at first, after an outage, and every 30 s of feeds that the service doesn't know. */
export class InitialPrices {
  /** Feeds without a price: the first question is under way, it was not answered, or the service doesn't know them. */
  readonly #lacking = new Map<FeedId, 'asked' | 'unanswered' | 'missing'>();
  #again: TimerHandle | undefined;
  #stopped = false;

  constructor(private readonly edges: InitialPricesEdges) {}

  /** Whether the service doesn't know it: it must not be in a question for others, which might be refused as a whole. */
  isMissing(id: FeedId): boolean {
    return this.#lacking.get(id) === 'missing';
  }

  isAsked(id: FeedId): boolean {
    return this.#lacking.get(id) === 'asked';
  }

  /** @param priority `user`: somebody waits for their first price */
  ask(ids: readonly FeedId[], priority: 'user' | 'background'): void {
    if (priority === 'user') for (const id of ids) this.#lacking.set(id, 'asked');
    for (let from = 0; from < ids.length; from += MAX_FEEDS_PER_STREAM) {
      const some = ids.slice(from, from + MAX_FEEDS_PER_STREAM);
      this.#ask(some, priority).catch((error: unknown) => {
        this.edges.bug(error);
        this.#settle(some, 'unanswered');
      });
    }
  }

  /** Marks the ids that a 404 of the service names: `Price ids not found: <id>, <id>`. Gives those among `asked`. */
  markNamed(detail: string, asked: readonly FeedId[]): FeedId[] {
    const text = detail.toLowerCase();
    const named = asked.filter((id) => text.includes(id));
    if (named.length > 0) this.#settle(named, 'missing');
    return named;
  }

  /** An update of this feed came, or nobody wants it any more. Gives whether it was missing. */
  came(id: FeedId): boolean {
    const wasMissing = this.isMissing(id);
    this.#lacking.delete(id);
    return wasMissing;
  }

  stop(): void {
    this.#stopped = true;
    this.edges.timers.clear(this.#again);
    this.#lacking.clear();
  }

  async #ask(ids: readonly FeedId[], priority: 'user' | 'background'): Promise<void> {
    if (ids.length === 0) return;
    const outcome = await this.edges.latest(ids, priority);
    if (this.#stopped) return;
    if (!outcome.ok) {
      const named = outcome.failure.kind === 'missing' ? this.markNamed(outcome.failure.detail, ids) : [];
      const rest = ids.filter((id) => !named.includes(id));
      // The text is cut at 500 characters, so it may name only some; each round leaves fewer.
      return named.length > 0 ? this.#ask(rest, priority) : this.#settle(rest, 'unanswered');
    }
    const { updates, unreadable, parsedPresent } = outcome.value;
    // A row that can't be read is no proof that the feed doesn't exist.
    const unread = unreadable.flatMap(({ rawJson }) => rawJson.toLowerCase().match(/[0-9a-f]{64}/g) ?? []);
    const present = new Set<string>([...updates.map(({ id }) => id), ...unread]);
    const found = ids.filter((id) => present.has(id) && this.isMissing(id));
    this.edges.body(outcome.value);
    for (const id of ids) if (present.has(id)) this.came(id);
    const lacking = ids.filter((id) => !present.has(id));
    this.#settle(lacking, parsedPresent ? 'missing' : 'unanswered', found);
  }

  #settle(ids: readonly FeedId[], as: 'unanswered' | 'missing', found: readonly FeedId[] = []): void {
    const lost = ids.filter((id) => as === 'missing' && !this.isMissing(id));
    for (const id of ids) this.#lacking.set(id, as);
    this.#askAgainLater();
    this.edges.settled(new Set([...found, ...lost]));
  }

  #askAgainLater(): void {
    if (this.#again || this.#stopped || this.#lacking.size === 0) return;
    this.#again = this.edges.timers.after(ASK_AGAIN_MS, () => {
      this.#again = undefined;
      this.ask([...this.#lacking.keys()], 'background');
      this.#askAgainLater();
    });
  }
}
