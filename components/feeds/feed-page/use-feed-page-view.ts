'use client';
import { useSearchParams } from 'next/navigation';
import { useCallback, useMemo } from 'react';
import { type FeedPageView, formatFeedPageUrl, parseFeedPageUrl } from '@/lib/contract/codec/feed-page-url';

/** Changes what is shown. `push`: Back undoes it; `replace`: one of many small steps. */
export type ShowFeedView = (change: (now: FeedPageView) => FeedPageView, how: 'push' | 'replace') => void;

/** What the page of a feed shows, which its address says, and how to change that. @param feed as the path names it */
export function useFeedPageView(feed: string) {
  const query = useSearchParams()?.toString() ?? '';
  const parsed = useMemo(() => parseFeedPageUrl(new URLSearchParams(query)), [query]);
  const show: ShowFeedView = useCallback(
    (change, how) => {
      const now = parseFeedPageUrl(new URLSearchParams(window.location.search)).view;
      const address = formatFeedPageUrl(feed, change(now));
      if (how === 'push') window.history.pushState(null, '', address);
      else window.history.replaceState(null, '', address);
    },
    [feed],
  );
  return { ...parsed, show };
}
