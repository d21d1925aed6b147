import type { FeedName } from '@/lib/client/feed-directory';
import { type FeedPageView, MOST_CHARTED_FEEDS } from '@/lib/contract/codec/feed-page-url';
import { type FeedReference, feedReferenceText } from '@/lib/contract/codec/feeds-url';
import { type FeedEntry, findFeed } from '@/lib/domain/feed';

/** The feeds of the chart, each once, by whatever name and however often the address has them. */
export function distinctFeeds(feeds: readonly FeedName[]): readonly FeedName[] {
  return feeds.filter(({ id }, at) => feeds.findIndex((one) => one.id === id) === at);
}

/** The references without those that mean a feed. One that means none at all stays: it is not at the feed's place. */
export function withoutFeed(compared: readonly FeedReference[], feed: FeedName): readonly FeedReference[] {
  return compared.filter((reference) => !means(reference, feed));
}

/**
 * The references with some feeds more. What names no feed of the chart makes room for them, or the address would be
 * full and what was added not there.
 * @param charted the feeds that are in the chart already
 */
export function withFeeds(
  compared: readonly FeedReference[],
  charted: readonly FeedName[],
  chosen: readonly FeedName[],
): readonly FeedReference[] {
  const shown = charted.flatMap((feed) => compared.find((reference) => means(reference, feed)) ?? []);
  const fresh = chosen
    .filter(({ id }) => charted.every((feed) => feed.id !== id))
    .map(({ id }) => ({ kind: 'id', id }) as const);
  const others = compared.filter((reference) => charted.every((feed) => !means(reference, feed)));
  return [...shown, ...fresh, ...others].slice(0, MOST_CHARTED_FEEDS - 1);
}

/**
 * Names of the feeds that the chart can't show. Of two axes it is known before anything is drawn, and said at once, so that
 * nothing moves when it is.
 * @param drawn those of the drawing; undefined before the first one
 */
export function leftOutNames(
  feeds: readonly FeedName[],
  mode: FeedPageView['mode'],
  drawn: readonly string[] | undefined,
): readonly string[] {
  return drawn ?? (mode === 'axes' ? feeds.slice(2).map(({ symbol }) => symbol) : []);
}

function means(reference: FeedReference, feed: FeedName): boolean {
  return findFeed([feed as FeedEntry], feedReferenceText(reference)) !== undefined;
}
