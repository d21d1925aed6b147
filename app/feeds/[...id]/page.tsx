import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { type PageProps, urlParams } from '@/app/search-params';
import { FeedPage } from '@/components/feeds/feed-page';
import { requirePrincipal } from '@/lib/access/page-principal';
import { type FeedReference, feedReferenceText, findFeed, parseFeedReference } from '@/lib/core/feed';
import { parseFeedPageUrl } from '@/lib/feeds/page-url';
import { feedsInitialData } from '@/lib/feeds/server/feed-directory';

type Props = PageProps & { params: Promise<{ id: string[] }> };

/** The id or symbol in the path. The slash of a symbol needs no escape: `/feeds/Crypto.BTC/USD`. */
async function referenceOf({ params }: Props): Promise<FeedReference | undefined> {
  const { id } = await params;
  try {
    return parseFeedReference(id.map((part) => decodeURIComponent(part)).join('/'));
  } catch {
    // The path has a percent sign that begins no character.
    return undefined;
  }
}

export async function generateMetadata(props: Props): Promise<Metadata> {
  await requirePrincipal();
  const reference = await referenceOf(props);
  if (reference === undefined) return { title: 'Page not found' };
  const text = feedReferenceText(reference);
  const { names } = await feedsInitialData([reference]);
  return { title: findFeed(names, text)?.symbol ?? text.slice(0, 40) };
}

/** Rendered with the last price; after that, the browser's own stream brings updates. */
export default async function FeedDetailPage(props: Props) {
  await requirePrincipal();
  const reference = await referenceOf(props);
  if (reference === undefined) notFound();
  const { view } = parseFeedPageUrl(urlParams(await props.searchParams));
  return <FeedPage feed={reference} {...(await feedsInitialData([reference, ...view.compared]))} />;
}
