import { type PageProps, urlParams } from '@/app/search-params';
import { OverviewScreen } from '@/components/overview/overview-screen';
import { requirePrincipal } from '@/lib/access/page-principal';
import { insightsOf } from '@/lib/insights/server/insights-endpoint';
import { problemsNow } from '@/lib/insights/server/problems';
import { formatInsightsQuery, type InsightsView, parseInsightsUrl } from '@/lib/insights/view';
import { offeredNetworks } from '@/lib/services/network-directory';
import { services } from '@/lib/services/services';

/** Longest wait for a panel while the page renders. The browser requests what took longer, so a busy index delays no page. */
const MAX_WAIT_MS = 800;

function soon<T>(answer: Promise<T>): Promise<T | undefined> {
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, MAX_WAIT_MS));
  return Promise.race([answer.catch(() => undefined), late]);
}

async function firstFigures(view: InsightsView) {
  const { keepers } = services();
  if (keepers.length === 0 || view.keepers.some((keeper) => !keepers.includes(keeper))) return undefined;
  const answer = await insightsOf(view, ['figures']);
  return answer.ok ? { query: formatInsightsQuery(view), answer: answer.value } : undefined;
}

/** Problems and figures go out with the page, from the index and from what is known of the services: nothing is called. */
export default async function OverviewPage({ searchParams }: PageProps) {
  await requirePrincipal();
  const { view } = parseInsightsUrl(urlParams(await searchParams));
  const [figures, problems, networks] = await Promise.all([
    soon(firstFigures(view)),
    soon(problemsNow()),
    offeredNetworks(),
  ]);
  return (
    <OverviewScreen keepers={services().keepers} networks={networks} problems={problems} figures={figures} />
  );
}
