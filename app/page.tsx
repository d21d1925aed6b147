import { OverviewScreen } from '@/components/overview/overview-screen';
import { countStates } from '@/lib/client/state-counts';
import { currentHealth } from '@/lib/server/health';
import { firstLogsText, soonOrLater } from '@/lib/server/logs-first-look';
import { services } from '@/lib/server/services';

/** The counts go out with the page when the log services are quick, else after it in the same response. */
export default async function OverviewPage() {
  const { keepers } = services();
  const renderedAtMs = Date.now();
  const answer = await soonOrLater(countStates(keepers, renderedAtMs, firstLogsText));
  return (
    <OverviewScreen
      keepers={keepers}
      first={'later' in answer ? answer.later : answer}
      health={currentHealth()}
      renderedAtMs={renderedAtMs}
    />
  );
}
