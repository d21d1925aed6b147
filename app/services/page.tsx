import type { Metadata } from 'next';
import { redirect } from 'next/navigation';
import type { PageProps } from '@/app/search-params';
import { ServicesScreen } from '@/components/services/services-screen';
import { requirePrincipal } from '@/lib/access/page-principal';
import { INSPECTOR_PATH } from '@/lib/core/payload-link';
import { openHub } from '@/lib/feeds/server/process-hub';
import { currentServicesReport } from '@/lib/services/service-report';
import { services } from '@/lib/services/services';

export const metadata: Metadata = { title: 'Services' };

export default async function ServicesPage({ searchParams }: PageProps) {
  await requirePrincipal();
  const { upgrade, upgradeat, inspect } = await searchParams;
  if (upgrade !== undefined) redirect(comparisonLink(upgrade, upgradeat));
  // The payload inspector was once a part of this page, so old links lead here.
  if (inspect !== undefined)
    redirect(`${INSPECTOR_PATH}&${new URLSearchParams({ inspect: [inspect].flat()[0] ?? '' })}`);
  return (
    <ServicesScreen first={currentServicesReport(openHub()?.connection)} index={services().index.status()} />
  );
}

/** Target of old links to the upgrade check. */
function comparisonLink(feeds: string | string[], at: string | string[] | undefined): `/prices?${string}` {
  const query = new URLSearchParams({ ids: [feeds].flat().join(','), sources: 'updates,upgraded' });
  if (at !== undefined) query.set('at', [at].flat()[0] ?? '');
  return `/prices?${query}`;
}
