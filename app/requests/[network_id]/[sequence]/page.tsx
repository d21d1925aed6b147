import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { type ReactNode, Suspense } from 'react';
import { type PageProps, urlParams } from '@/app/search-params';
import { RequestPage, RequestPageSkeleton } from '@/components/requests/request-page';
import { PageMessage } from '@/components/ui/page-message';
import { requirePrincipal } from '@/lib/access/page-principal';
import { explainFailure } from '@/lib/core/explain-failure';
import { type Failure, FailureError } from '@/lib/core/outcome';
import { type RequestLocator, readLocator } from '@/lib/requests/request-address';
import { lookUpRequest } from '@/lib/requests/server/request';
import { networksFor } from '@/lib/services/network-directory';

type Props = PageProps & { params: Promise<{ network_id: string; sequence: string }> };

async function locatorOf({ params, searchParams }: Props): Promise<RequestLocator | undefined> {
  const { network_id, sequence } = await params;
  return readLocator(network_id, sequence, urlParams(await searchParams));
}

export async function generateMetadata(props: Props): Promise<Metadata> {
  await requirePrincipal();
  const locator = await locatorOf(props);
  const [network] = locator === undefined ? [] : networksFor([locator.networkId]);
  return {
    title: locator === undefined ? 'Page not found' : `Request ${locator.sequence} on ${network?.name}`,
  };
}

/** A request in the index is part of the first bytes; another one is streamed after a call to the service. */
export default async function RequestDetailPage(props: Props) {
  await requirePrincipal();
  const locator = await locatorOf(props);
  if (locator === undefined) notFound();
  const indexed = await indexedRequest(locator);
  const networks = networksFor([locator.networkId]);
  if ('kind' in indexed) {
    const { title, nextStep, quote } = explainFailure(indexed);
    return <PageMessage title={title} text={quote ?? ''} detail={nextStep} />;
  }
  const page = (text: string) => <RequestPage locator={locator} first={text} networks={networks} />;
  if (indexed.complete) return page(indexed.text);
  return (
    <Suspense fallback={<RequestPageSkeleton locator={locator} networks={networks} />}>
      <FromServices locator={locator} page={page} />
    </Suspense>
  );
}

async function indexedRequest(
  locator: RequestLocator,
): Promise<Awaited<ReturnType<typeof lookUpRequest>> | Failure> {
  try {
    return await lookUpRequest(locator, 'index');
  } catch (error) {
    if (error instanceof FailureError) return error.failure;
    throw error;
  }
}

async function FromServices({ locator, page }: { locator: RequestLocator; page(text: string): ReactNode }) {
  const { text } = await lookUpRequest(locator, 'services');
  return page(text);
}
