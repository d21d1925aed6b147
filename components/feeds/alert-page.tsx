'use client';
import type { ReactNode } from 'react';
import { AlertWatchProvider, useNewAlertWatch } from '@/lib/client/alert-hooks';
import { useAlertBook } from '@/lib/client/alert-of-browser';
import type { FeedName } from '@/lib/client/feed-directory';
import type { FreshnessFloors } from '@/lib/client/feed-freshness';
import { useFeedStore } from '@/lib/client/feed-hooks';

/** Watches the alerts of this browser over the feeds of the page that it stands around. Once per page. */
export function AlertPage({
  floors,
  feeds,
  children,
}: {
  floors: FreshnessFloors;
  /** The feeds of the page: a feed whose market is closed is not stale. */
  feeds: readonly FeedName[];
  children: ReactNode;
}) {
  const { book } = useAlertBook();
  const watch = useNewAlertWatch(useFeedStore(), book, { floors, feeds });
  return <AlertWatchProvider value={watch}>{children}</AlertWatchProvider>;
}
