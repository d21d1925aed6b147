import type { Metadata } from 'next';
import { type PageProps, urlParams } from '@/app/search-params';
import { FeedBoard } from '@/components/feeds/feed-board';
import { requirePrincipal } from '@/lib/access/page-principal';
import { parseFeedsUrl } from '@/lib/feeds/board-url';
import { feedsInitialData } from '@/lib/feeds/server/feed-directory';

export const metadata: Metadata = { title: 'Feeds' };

/** Rendered with the last prices; after that, the browser's own stream brings updates. */
export default async function FeedsPage({ searchParams }: PageProps) {
  await requirePrincipal();
  const { view } = parseFeedsUrl(urlParams(await searchParams));
  return <FeedBoard {...(await feedsInitialData(view.feeds))} />;
}
