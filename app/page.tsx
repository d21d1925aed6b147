import { OverviewScreen } from '@/components/overview/overview-screen';
import { countStates } from '@/lib/client/state-counts';
import { OVERVIEW_INCIDENTS } from '@/lib/client/triage';
import { pendingFirstLook } from '@/lib/pending/server/first-look';
import { currentHealth } from '@/lib/server/health';
import { firstLogsText, soonOrLater } from '@/lib/server/logs-first-look';
import { offeredNetworks } from '@/lib/server/network-directory';
import { requireVisitor } from '@/lib/server/page-visitor';
import { services } from '@/lib/server/services';

/** The counts go out with the page when the log services are quick, else after it in the same response. */
export default async function OverviewPage() {
  await requireVisitor();
  const { keepers } = services();
  const renderedAtMs = Date.now();
  const [answer, networks, stuck] = await Promise.all([
    soonOrLater(countStates(keepers, renderedAtMs, firstLogsText)),
    offeredNetworks(),
    pendingFirstLook(OVERVIEW_INCIDENTS),
  ]);
  return (
    <OverviewScreen
      keepers={keepers}
      networks={networks}
      stuck={stuck}
      first={'later' in answer ? answer.later : answer}
      health={currentHealth()}
      renderedAtMs={renderedAtMs}
    />
  );
}
