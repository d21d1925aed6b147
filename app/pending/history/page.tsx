import type { Metadata } from 'next';
import type { PageProps } from '@/app/search-params';
import { HistoryScreen } from '@/components/pending/history-screen';
import { requirePrincipal } from '@/lib/access/page-principal';
import { incidentHistory } from '@/lib/alerts/server/history';
import { services } from '@/lib/services/services';

export const metadata: Metadata = { title: 'Incident history' };

/** Incidents of the last 90 days, and the figures of each week. */
export default async function HistoryPage({ searchParams }: PageProps) {
  await requirePrincipal();
  const { network: networks, keeper: keepers } = await searchParams;
  const [network, keeper] = [networks, keepers].map((values) => [values].flat()[0] || undefined);
  return <HistoryScreen history={await incidentHistory({ network, keeper })} keepers={services().keepers} />;
}
