import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { type ReactNode, Suspense } from 'react';
import { type PageProps, urlParams } from '@/app/search-params';
import { RequestPage, RequestPageSkeleton } from '@/components/requests/request-page';
import { requirePrincipal } from '@/lib/access/page-principal';
import { type AskedRequest, readAsked } from '@/lib/requests/request-address';
import { lookUpOne } from '@/lib/requests/server/request';
import { networksFor } from '@/lib/server/network-directory';

type Props = PageProps & { params: Promise<{ network_id: string; sequence: string }> };

async function askedOf({ params, searchParams }: Props): Promise<AskedRequest | undefined> {
  const { network_id, sequence } = await params;
  return readAsked(network_id, sequence, urlParams(await searchParams));
}

export async function generateMetadata(props: Props): Promise<Metadata> {
  await requirePrincipal();
  const asked = await askedOf(props);
  const [network] = asked === undefined ? [] : await networksFor([asked.networkId]);
  return { title: asked === undefined ? 'Page not found' : `Request ${asked.sequence} on ${network?.name}` };
}

/** What the index holds goes out with the first bytes; only what it may lack waits for a service. */
export default async function OneRequestPage(props: Props) {
  await requirePrincipal();
  const asked = await askedOf(props);
  if (asked === undefined) notFound();
  const [held, networks] = await Promise.all([lookUpOne(asked, 'index'), networksFor([asked.networkId])]);
  const page = (text: string) => <RequestPage asked={asked} first={text} networks={networks} />;
  if (held.complete) return page(held.text);
  return (
    <Suspense fallback={<RequestPageSkeleton asked={asked} networks={networks} />}>
      <FromServices asked={asked} page={page} />
    </Suspense>
  );
}

async function FromServices({ asked, page }: { asked: AskedRequest; page(text: string): ReactNode }) {
  const { text } = await lookUpOne(asked, 'services');
  return page(text);
}
