'use client';
import { useQuery } from '@tanstack/react-query';
import { parseFeedId } from '@/lib/core/feed';
import type { FeedName } from '@/lib/feeds/board-url';

/** The answer of `/api/view/feeds`: every feed that can be chosen, sorted by symbol, and who named them. */
export type FeedDirectoryAnswer = {
  readonly feeds: readonly FeedName[];
  readonly source: 'updates' | 'router' | 'built-in';
};

/** The feeds that can be chosen, fetched once somebody looks for one. */
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
    refetchOnWindowFocus: false,
  });
}

/** Where a word was found, best first; undefined when it was not. */
function rankOf(feed: FeedName, word: string): number | undefined {
  const symbol = feed.symbol.toLowerCase();
  const pair = symbol.slice(symbol.indexOf('.') + 1);
  if (pair === word || symbol === word || pair.startsWith(`${word}/`)) {
    return 0;
  }
  if (pair.startsWith(word)) {
    return 1;
  }
  if (symbol.includes(word)) {
    return 2;
  }
  if (feed.assetType.toLowerCase().startsWith(word)) {
    return 3;
  }
  if (feed.description?.toLowerCase().includes(word)) {
    return 4;
  }
  return word.length >= 4 && feed.id.startsWith(word.replace(/^0x/, '')) ? 5 : undefined;
}

/**
 * The feeds in which every word of the text occurs (in symbol, asset class, description, or at the start of the id),
 * best match first, in their own order where equal. All of them for an empty text.
 */
export function searchFeeds(feeds: readonly FeedName[], text: string): FeedName[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found: { feed: FeedName; rank: number }[] = [];
  for (const feed of feeds) {
    const ranks = words.map((word) => rankOf(feed, word));
    if (ranks.every((rank) => rank !== undefined)) {
      found.push({ feed, rank: ranks.reduce((sum, rank) => sum + rank, 0) });
    }
  }
  return found.sort((a, b) => a.rank - b.rank).map(({ feed }) => feed);
}

/** The ids in a text that consists of nothing else (pasted, separated by spaces, commas or line breaks). */
export function pastedIds(text: string): FeedName['id'][] {
  const parts = text.split(/[\s,;]+/).filter(Boolean);
  const ids = parts.flatMap((part) => parseFeedId(part) ?? []);
  return ids.length === parts.length ? ids : [];
}
