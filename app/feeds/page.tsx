import type { Metadata } from 'next';
import { FeedBoard } from '@/components/feeds/feed-board';
import { requirePrincipal } from '@/lib/access/page-principal';
import { parseFeedsUrl, urlParamsOf } from '@/lib/feeds/board-url';
import { feedsInitialData } from '@/lib/feeds/server/feed-directory';
import { services } from '@/lib/server/services';

export const metadata: Metadata = { title: 'Feeds' };

type SearchParams = Record<string, string | string[] | undefined>;

/** The board with the last prices in it; from then on the browser's own stream carries it. */
export default async function FeedsPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  await requirePrincipal();
  const { view } = parseFeedsUrl(urlParamsOf(await searchParams));
  const { defaults, names, seeds } = await feedsInitialData(view.feeds);
  const { feedLateS, feedStaleS } = services().settings;
  return (
    <FeedBoard
      defaults={defaults}
      names={names}
      seeds={seeds}
      times={{ writtenAtMs: Date.now(), floors: { lateS: feedLateS, staleS: feedStaleS } }}
    />
  );
}
