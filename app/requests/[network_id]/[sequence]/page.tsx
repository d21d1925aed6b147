import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { type ReactNode, Suspense } from 'react';
import { type PageProps, urlParams } from '@/app/search-params';
import { RequestPage, RequestPageSkeleton } from '@/components/requests/request-page';
import { PageMessage } from '@/components/ui/page-message';
import { requirePrincipal } from '@/lib/access/page-principal';
import { explainFailure } from '@/lib/core/explain-failure';
import { type Failure, FailureError } from '@/lib/core/outcome';
import { type AskedRequest, readAsked } from '@/lib/requests/request-address';
import { lookUpOne } from '@/lib/requests/server/request';
import { networksFor } from '@/lib/services/network-directory';

type Props = PageProps & { params: Promise<{ network_id: string; sequence: string }> };

async function askedOf({ params, searchParams }: Props): Promise<AskedRequest | undefined> {
  const { network_id, sequence } = await params;
  return readAsked(network_id, sequence, urlParams(await searchParams));
}

export async function generateMetadata(props: Props): Promise<Metadata> {
  await requirePrincipal();
  const asked = await askedOf(props);
  const [network] = asked === undefined ? [] : networksFor([asked.networkId]);
  return { title: asked === undefined ? 'Page not found' : `Request ${asked.sequence} on ${network?.name}` };
}

/** A request found in the index is in the first bytes of the page; one that the index may lack is streamed after a call to the service. */
export default async function OneRequestPage(props: Props) {
  await requirePrincipal();
  const asked = await askedOf(props);
  if (asked === undefined) notFound();
  const held = await indexedRequest(asked);
  const networks = networksFor([asked.networkId]);
  if ('kind' in held) {
    const { title, todo, said } = explainFailure(held);
    return <PageMessage title={title} text={said ?? ''} detail={todo} />;
  }
  const page = (text: string) => <RequestPage asked={asked} first={text} networks={networks} />;
  if (held.complete) return page(held.text);
  return (
    <Suspense fallback={<RequestPageSkeleton asked={asked} networks={networks} />}>
      <FromServices asked={asked} page={page} />
    </Suspense>
  );
}

/** Looks the request up in the index, or returns why the index can't be read. */
async function indexedRequest(asked: AskedRequest): Promise<Awaited<ReturnType<typeof lookUpOne>> | Failure> {
  try {
    return await lookUpOne(asked, 'index');
  } catch (error) {
    if (error instanceof FailureError) return error.failure;
    throw error;
  }
}

async function FromServices({ asked, page }: { asked: AskedRequest; page(text: string): ReactNode }) {
  const { text } = await lookUpOne(asked, 'services');
  return page(text);
}
