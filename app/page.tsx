import { answerInTime } from '@/app/answer-in-time';
import { type PageProps, urlParams } from '@/app/search-params';
import { OverviewScreen } from '@/components/overview/overview-screen';
import { requirePrincipal } from '@/lib/access/page-principal';
import { viewInsights } from '@/lib/insights/server/insights-endpoint';
import { problemsNow } from '@/lib/insights/server/problems';
import { formatInsightsQuery, type InsightsView, parseInsightsUrl } from '@/lib/insights/view';
import { refreshKnown } from '@/lib/pending/server/chain-evidence';
import { offeredNetworks } from '@/lib/services/network-directory';
import { services } from '@/lib/services/services';

async function firstFigures(view: InsightsView) {
  const { keepers } = services();
  if (keepers.length === 0 || view.keepers.some((keeper) => !keepers.includes(keeper))) return undefined;
  const answer = await viewInsights(view, ['figures']);
  return answer.ok ? { query: formatInsightsQuery(view), answer: answer.value } : undefined;
}

/**
 * Rendered from the index and from what is already known about the services. Only the chain is waited for, shortly, so
 * that the cause of an incident is the one that `/pending` names.
 */
export default async function OverviewPage({ searchParams }: PageProps) {
  await requirePrincipal();
  const { view } = parseInsightsUrl(urlParams(await searchParams));
  const [figures, problems, networks] = await Promise.all([
    answerInTime(firstFigures(view)),
    answerInTime(refreshKnown()).then(() => answerInTime(problemsNow())),
    offeredNetworks(),
  ]);
  return (
    <OverviewScreen keepers={services().keepers} networks={networks} problems={problems} figures={figures} />
  );
}
