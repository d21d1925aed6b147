import type { CompactFeed } from '@/lib/contract/codec/feed-stream';
import { updateKey } from './feed-history';
import { isNewer } from './feed-picture';
import { mayReach, type StreamPlace } from './feed-place';

/**
 * One stream taking over from another without losing or doubling an update. Both run for a moment: feeds that only the
 * new one has are told at once; for those of both the old one goes on until it has come as far as the new one began, and
 * what the new one brings of them meanwhile is put by.
 */
export class FeedHandover {
  /** Where the new stream began. */
  #begin: StreamPlace | undefined;
  readonly #putBy: CompactFeed[] = [];
  /** What the old stream told meanwhile, by feed. */
  readonly #told = new Map<string, Set<string>>();

  /** @param shared the feeds that the old stream carries */
  constructor(private readonly shared: ReadonlySet<string>) {}

  /** The new stream gave its snapshot; the feeds of it that may be told now. */
  begun(feeds: readonly CompactFeed[], place: StreamPlace | undefined): CompactFeed[] {
    this.#begin = place;
    this.#putBy.push(...feeds.filter(({ id }) => this.shared.has(id)));
    return feeds.filter(({ id }) => !this.shared.has(id));
  }

  /** The old stream told these, since the new one was asked for. */
  oldTold(feeds: readonly CompactFeed[]): void {
    for (const update of feeds) {
      const told = this.#told.get(update.id) ?? new Set();
      this.#told.set(update.id, told.add(momentKey(update)));
    }
  }

  /** The new stream brought these; those that may be told now. */
  newBrought(feeds: readonly CompactFeed[]): CompactFeed[] {
    this.#putBy.push(...feeds.filter(({ id }) => this.shared.has(id)));
    return feeds.filter(({ id }) => !this.shared.has(id));
  }

  /** Whether the old stream has come as far as the new one began. */
  isDone(old: StreamPlace | undefined): boolean {
    return !mayReach(old, this.#begin);
  }

  /** The old stream is closed: what was put by, and it had not told. */
  rest(latest: ReadonlyMap<string, CompactFeed>): CompactFeed[] {
    return this.untold(this.#putBy, latest);
  }

  /** Those of some updates of the new stream that the old one had not told already. */
  untold(feeds: readonly CompactFeed[], latest: ReadonlyMap<string, CompactFeed>): CompactFeed[] {
    return feeds.filter((update) => {
      if (!this.shared.has(update.id)) return true;
      if (this.#told.get(update.id)?.has(momentKey(update)) === true) return false;
      const last = latest.get(update.id);
      return last === undefined || (isNewer(update, last) && momentKey(update) !== momentKey(last));
    });
  }
}

/** The same update told twice has the same moment of receipt; two equal ones have not. */
function momentKey(update: CompactFeed): string {
  return `${update.r}|${updateKey(update)}`;
}
