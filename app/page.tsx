import { OverviewScreen } from '@/components/overview/overview-screen';
import { StuckIncidents } from '@/components/pending/pending-status';
import { requirePrincipal } from '@/lib/access/page-principal';
import { OVERVIEW_INCIDENTS } from '@/lib/pending/answers';
import { initialTriage } from '@/lib/pending/server/triage';
import { offeredNetworks } from '@/lib/server/network-directory';
import { overviewCounts } from '@/lib/server/overview-reply';
import { currentHealth } from '@/lib/server/service-report';
import { services } from '@/lib/server/services';

/** All of it comes from the index and from what is known of the services: nothing is called. */
export default async function OverviewPage() {
  await requirePrincipal();
  const { keepers } = services();
  const renderedAtMs = Date.now();
  const [counts, networks, stuck] = await Promise.all([
    overviewCounts(),
    offeredNetworks(),
    initialTriage(OVERVIEW_INCIDENTS),
  ]);
  return (
    <OverviewScreen
      keepers={keepers}
      stuck={<StuckIncidents first={stuck} networks={networks} />}
      first={counts}
      health={currentHealth()}
      renderedAtMs={renderedAtMs}
    />
  );
}
