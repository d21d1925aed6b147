'use client';
import { useQuery } from '@tanstack/react-query';
import { parseFeedId } from '@/lib/core/feed';
import { stripWrapping, visibleText } from '@/lib/core/pasted';
import type { FeedDirectoryAnswer, FeedName } from '@/lib/feeds/board-url';

export function useFeedDirectory(isWanted: boolean) {
  return useQuery({
    queryKey: ['feed-directory'],
    queryFn: async ({ signal }) => {
      const response = await fetch('/api/view/feeds', { signal });
      if (!response.ok) throw new Error(`the feed directory answered ${response.status}`);
      return (await response.json()) as FeedDirectoryAnswer;
    },
    enabled: isWanted,
    staleTime: 10 * 60_000,
    // The server tries a list that failed again after as long.
    refetchInterval: ({ state }) => (state.data?.isWhole === false ? 30_000 : false),
    refetchOnWindowFocus: false,
  });
}

type Searched = Pick<FeedName, 'symbol' | 'assetType' | 'description'> & {
  readonly id?: string | undefined;
  readonly feedId?: string | undefined;
  readonly routerId?: string | undefined;
  readonly name?: string;
};

/** The lowest rank is the best; `NaN` if there is no match. */
function rankOf(feed: Searched, word: string): number {
  const symbol = feed.symbol.toLowerCase();
  const pair = symbol.slice(symbol.indexOf('.') + 1);
  const name = feed.name?.toLowerCase() ?? '';
  if (feed.routerId === word || pair === word || symbol === word || pair.startsWith(`${word}/`)) return 0;
  if (pair.startsWith(word) || name === word) return 1;
  if (symbol.includes(word) || name.includes(word)) return 2;
  if (feed.assetType.toLowerCase().startsWith(word)) return 3;
  if (feed.description?.toLowerCase().includes(word)) return 4;
  // Shorter prefixes of a hex id would match by chance.
  const digits = word.replace(/^0x/, '');
  return digits.length >= 4 && (feed.id ?? feed.feedId)?.startsWith(digits) ? 5 : Number.NaN;
}

/** Feeds that contain every word, best match first. Without any word, all in the same order. */
export function searchFeeds<T extends Searched>(feeds: readonly T[], text: string): readonly T[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return feeds;
  return feeds
    .map((feed) => ({ feed, rank: words.reduce((sum, word) => sum + rankOf(feed, word), 0) }))
    .filter(({ rank }) => !Number.isNaN(rank))
    .sort((a, b) => a.rank - b.rank)
    .map(({ feed }) => feed);
}

/** Ids in a text of nothing else: pasted from a page, a JSON list or a URL (`ids[]=…&ids[]=…`). */
export function pastedIds(text: string): FeedName['id'][] {
  const parts = visibleText(text)
    .split(/[\s,;&]+/)
    .map((part) => stripWrapping(part.replace(/^(?:.*\?)?ids(?:\[\]|%5B%5D)?=/i, '')))
    .filter(Boolean);
  const ids = parts.flatMap((part) => parseFeedId(part) ?? []);
  return ids.length === parts.length ? ids : [];
}
