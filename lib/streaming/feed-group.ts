import type { FeedId } from '@/lib/domain/feed';
import { type FeedNews, type FeedWatcher, Pending } from './feed-watcher';
import type { TimerHandle, Timers } from './timers';

export type GroupEvents = {
  /** Number of the newest update of the hub. */
  seq(): number;
  /** Bytes of one update event that brings its reader up to number `seq`. */
  update(seq: number, pending: Pending): Uint8Array;
};

/**
 * All watchers that want the same feeds at the same rate: whatever goes to them is encoded once. With a rate, the first
 * update goes out at once and the ones that follow within the interval are folded into the next event.
 */
export class FeedGroup {
  /** Up to this number its watchers have everything: the id of its events, from which a reader resumes. */
  sentSeq: number;
  /** Watchers that belong here, those included that wait for their snapshot. */
  readers = 0;
  #pending: Pending;
  #timer: TimerHandle | undefined;
  #lastSentMs = Number.NEGATIVE_INFINITY;
  readonly #members = new Set<FeedWatcher>();
  /** Joined while something was pending, which their snapshot holds already: what came after it, for each. */
  readonly #newcomers = new Map<FeedWatcher, Pending>();

  /** @param intervalMs least time between two update events; 0 sends every update */
  constructor(
    readonly key: string,
    readonly ids: readonly FeedId[],
    private readonly intervalMs: number,
    private readonly timers: Timers,
    private readonly events: GroupEvents,
  ) {
    this.sentSeq = events.seq();
    this.#pending = this.#nothing();
  }

  get members(): ReadonlySet<FeedWatcher> {
    return this.#members;
  }

  join(watcher: FeedWatcher): void {
    if (this.#members.size === 0 && this.#pending.empty) this.sentSeq = this.events.seq();
    this.#members.add(watcher);
    if (!this.#pending.empty) this.#newcomers.set(watcher, this.#nothing());
  }

  leave(watcher: FeedWatcher): void {
    this.#members.delete(watcher);
    this.#newcomers.delete(watcher);
    if (this.#members.size > 0) return;
    this.timers.clear(this.#timer);
    this.#timer = undefined;
    this.#pending = this.#nothing();
  }

  /** Takes an update of one of its feeds; nothing is sent before `commit`. */
  collect(news: FeedNews): void {
    this.#pending.add(news);
    for (const own of this.#newcomers.values()) own.add(news);
  }

  /** One upstream event is collected: sends, or waits for its turn. */
  commit(): void {
    if (this.#timer || this.#pending.empty) return;
    const waitMs = this.#lastSentMs + this.intervalMs - this.timers.now();
    if (waitMs <= 0) this.#send();
    else {
      this.#timer = this.timers.after(waitMs, () => {
        this.#timer = undefined;
        this.#send();
      });
    }
  }

  #send(): void {
    const pending = this.#pending;
    this.#pending = this.#nothing();
    this.#lastSentMs = this.timers.now();
    this.sentSeq = this.events.seq();
    const bytes = this.events.update(this.sentSeq, pending);
    for (const watcher of this.#members) {
      const own = this.#newcomers.get(watcher);
      if (!own) watcher.update(bytes, pending);
      else if (!own.empty) watcher.update(this.events.update(this.sentSeq, own), own);
    }
    this.#newcomers.clear();
  }

  #nothing(): Pending {
    return new Pending(this.intervalMs > 0 ? 'latest' : 'every');
  }
}
