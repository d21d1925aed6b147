import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { Suspense } from 'react';
import { RequestPage } from '@/components/requests/request-page';
import { RequestPageSkeleton } from '@/components/requests/request-page-skeleton';
import { keepersAsked, lookUpRequest, type RequestLook } from '@/lib/client/request-lookup';
import { type AskedRequest, readAsked } from '@/lib/requests/request-address';
import { firstLogsText, soonOrLater } from '@/lib/server/logs-first-look';
import { networksFor } from '@/lib/server/network-directory';
import { requireVisitor } from '@/lib/server/page-visitor';
import { services } from '@/lib/server/services';

type SearchParams = Record<string, string | string[] | undefined>;
type Props = {
  params: Promise<{ network_id: string; sequence: string }>;
  searchParams: Promise<SearchParams>;
};

async function askedOf({ params, searchParams }: Props): Promise<AskedRequest | undefined> {
  const { network_id, sequence } = await params;
  const pairs = Object.entries(await searchParams).flatMap(([name, value]) =>
    [value ?? []].flat().map((one) => [name, one]),
  );
  return readAsked(network_id, sequence, new URLSearchParams(pairs));
}

export async function generateMetadata(props: Props): Promise<Metadata> {
  await requireVisitor();
  const asked = await askedOf(props);
  const [network] = asked === undefined ? [] : await networksFor([asked.networkId]);
  return { title: asked === undefined ? 'No such page' : `Request ${asked.sequence} on ${network?.name}` };
}

/** The answer goes out with the page; when the service is slow, the frame goes first and the request follows. */
export default async function OneRequestPage(props: Props) {
  await requireVisitor();
  const asked = await askedOf(props);
  if (asked === undefined) notFound();
  const { keepers } = services();
  const [look, networks] = await Promise.all([
    soonOrLater(lookUpRequest(asked, keepersAsked(asked, keepers), Date.now(), firstLogsText)),
    networksFor([asked.networkId]),
  ]);
  const page = (first: RequestLook) => (
    <RequestPage asked={asked} first={first} keepers={keepers} networks={networks} />
  );
  if (!('later' in look)) return page(look);
  return (
    <Suspense fallback={<RequestPageSkeleton asked={asked} networks={networks} />}>
      <Later look={look.later} page={page} />
    </Suspense>
  );
}

async function Later({
  look,
  page,
}: {
  look: Promise<RequestLook>;
  page: (first: RequestLook) => React.ReactNode;
}) {
  return page(await look);
}
