'use client';
import { useCallback, useMemo } from 'react';
import { type HistoryStep, queryNow, useAddress } from '@/lib/client/use-address';
import { type FeedPageView, formatFeedPageUrl, parseFeedPageUrl } from '@/lib/contract/codec/feed-page-url';

/** Changes what is shown. */
export type ShowFeedView = (change: (now: FeedPageView) => FeedPageView, how: HistoryStep) => void;

/** What the page of a feed shows, which its address says, and how to change that. @param feed as the path names it */
export function useFeedPageView(feed: string) {
  const { query, show: showAddress } = useAddress();
  const parsed = useMemo(() => parseFeedPageUrl(new URLSearchParams(query)), [query]);
  const show: ShowFeedView = useCallback(
    (change, how) => {
      const now = parseFeedPageUrl(queryNow()).view;
      showAddress(formatFeedPageUrl(feed, change(now)), how);
    },
    [feed, showAddress],
  );
  return { ...parsed, show };
}
