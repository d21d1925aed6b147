import type { Metadata } from 'next';
import { cookies } from 'next/headers';
import { type PageProps, urlParams } from '@/app/search-params';
import { RequestsScreen } from '@/components/requests/requests-screen';
import { requirePrincipal } from '@/lib/access/page-principal';
import { LAYOUT_COOKIE, readLayoutCookie } from '@/lib/requests/columns';
import { loadRequests } from '@/lib/requests/load';
import { listingText } from '@/lib/requests/server/requests-endpoint';
import { parseRequestsUrl } from '@/lib/requests/view-url';
import { offeredNetworks } from '@/lib/services/network-directory';
import { services } from '@/lib/services/services';

export const metadata: Metadata = { title: 'Requests' };

/** Rendered with the first rows from the index, so that a service that is down does not delay them. */
export default async function RequestsPage({ searchParams }: PageProps) {
  await requirePrincipal();
  const { view } = parseRequestsUrl(urlParams(await searchParams));
  const [initial, networks] = await Promise.all([
    loadRequests(view, Date.now(), (path) => listingText(new URLSearchParams(path.split('?')[1]))),
    offeredNetworks(),
  ]);
  return (
    <RequestsScreen
      initial={initial}
      keepers={services().keepers}
      networks={networks}
      remembered={readLayoutCookie((await cookies()).get(LAYOUT_COOKIE)?.value)}
    />
  );
}
