import type { Metadata } from 'next';
import { ServicesScreen } from '@/components/services/services-screen';
import { requireVisitor } from '@/lib/server/page-visitor';
import { currentServicesReport } from '@/lib/server/service-report';

export const metadata: Metadata = { title: 'Services' };

/** The report costs no call to a service, so it goes out with the page. */
export default async function ServicesPage() {
  await requireVisitor();
  return <ServicesScreen first={currentServicesReport()} />;
}
