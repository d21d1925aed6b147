import {
  type FeedReference,
  feedReferenceText,
  formatFeedsUrl,
  parseFeedsUrl,
} from '@/lib/contract/codec/feeds-url';
import type { FeedId } from '@/lib/domain/feed';

/** More feeds than this a board does not show. */
export const MOST_BOARD_FEEDS = 100;

/** What a board's address becomes, or why it can't: `usual` names no feeds, and which these are only the board knows. */
export type BoardAdding =
  | { readonly result: 'added'; readonly url: string; readonly count: number }
  | { readonly result: 'known' | 'full' | 'usual' };

/** The address of a board of these feeds. */
export function boardOfFeeds(ids: readonly FeedId[]): '/feeds' | `/feeds?${string}` {
  return formatFeedsUrl(parseFeedsUrl(new URLSearchParams([['ids', ids.join(',')]])).view);
}

/**
 * The address of a board with more feeds at its end.
 * @param url `/feeds?ids=…`. @param symbols of the same feeds: a board may name a feed by its symbol
 */
export function withFeeds(url: string, ids: readonly FeedId[], symbols: readonly string[]): BoardAdding {
  const params = new URLSearchParams(url.split('?')[1] ?? '');
  if (!params.has('ids')) return { result: 'usual' };
  const { view } = parseFeedsUrl(params);
  const known = new Set(view.feeds.map((feed) => feedReferenceText(feed).toLowerCase()));
  const fresh = ids.filter((id, at) => !known.has(id) && !known.has((symbols[at] ?? '').toLowerCase()));
  if (fresh.length === 0) return { result: 'known' };
  if (view.feeds.length + fresh.length > MOST_BOARD_FEEDS) return { result: 'full' };
  const added = fresh.map((id): FeedReference => ({ kind: 'id', id }));
  return {
    result: 'added',
    url: formatFeedsUrl({ ...view, feeds: [...view.feeds, ...added] }),
    count: fresh.length,
  };
}
