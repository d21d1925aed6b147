import 'server-only';
import { type CompactFeed, compactFeedText } from '@/lib/contract/codec/feed-stream';
import { type FeedReference, feedReferenceText, parseFeedReference } from '@/lib/contract/codec/feeds-url';
import { type FeedEntry, type FeedUpdate, findFeed } from '@/lib/domain/feed';
import { builtInFeeds } from '@/lib/domain/feed-registry';
import { services } from '@/lib/server/services';
import { within } from '@/lib/server/within';
import { feedDirectory } from './feed-directory';

/** What the feeds page holds when it leaves the server; the stream brings the rest. */
export type FeedsFirstLook = {
  /** The feeds on the board when the URL names none (setting `FEEDS`). */
  defaults: FeedReference[];
  /** Names of the feeds on the board, as far as they are known. */
  names: FeedEntry[];
  /** Last updates of these feeds; empty when the service took too long. `rhythmMs`: since the update before. */
  seeds: { update: CompactFeed; rhythmMs?: number }[];
};

/** Longest that a page waits for numbers: it is better shown without them, since the stream brings them at once. */
const NUMBERS_WAIT_MS = 150;

/** Longest that a page waits for names; the built-in ones do meanwhile. */
const NAMES_WAIT_MS = 150;

/** The names and last prices of the board that is asked for: of `chosen`, or of the default board where that is undefined. */
export async function feedsFirstLook(chosen: readonly FeedReference[] | undefined): Promise<FeedsFirstLook> {
  const defaults = services().settings.feeds.flatMap((text) => parseFeedReference(text) ?? []);
  const references = chosen ?? defaults;
  const directory = await within(NAMES_WAIT_MS, feedDirectory());
  const all = directory?.feeds ?? builtInFeeds();
  const names = [...references, ...defaults].flatMap((reference) => {
    return findFeed(all, feedReferenceText(reference)) ?? [];
  });
  const ids = references.flatMap((reference) => {
    return reference.kind === 'id' ? reference.id : (findFeed(names, reference.symbol)?.id ?? []);
  });
  const seeds = ids.length === 0 ? undefined : await within(NUMBERS_WAIT_MS, lastUpdates(ids));
  return { defaults, names: [...new Set(names)], seeds: seeds ?? [] };
}

async function lastUpdates(ids: readonly string[]): Promise<FeedsFirstLook['seeds']> {
  const query = new URLSearchParams(ids.map((id) => ['ids[]', id]));
  // One unknown feed must not cost the others their first price.
  query.set('ignore_invalid_price_ids', 'true');
  const answer = await services().updates?.latest(query.toString(), 'user');
  return answer?.ok ? answer.value.updates.map((update) => seedOf(update, Date.now())) : [];
}

function seedOf(update: FeedUpdate, receivedAtMs: number): FeedsFirstLook['seeds'][number] {
  const compact = JSON.parse(compactFeedText(update, receivedAtMs)) as CompactFeed;
  const pauseS = update.publishTime - (update.prevPublishTime ?? update.publishTime);
  return pauseS > 0 ? { update: compact, rhythmMs: pauseS * 1000 } : { update: compact };
}
