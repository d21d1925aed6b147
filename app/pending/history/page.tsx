import type { Metadata } from 'next';
import { answerInTime } from '@/app/answer-in-time';
import type { PageProps } from '@/app/search-params';
import { HistoryScreen } from '@/components/pending/history-screen';
import { Refreshing } from '@/components/pending/refreshing';
import { requirePrincipal } from '@/lib/access/page-principal';
import { HISTORY_RANGES } from '@/lib/alerts/history';
import { incidentHistory } from '@/lib/alerts/server/history';
import { MINUTE_MS, SECOND_MS } from '@/lib/core/time';
import { refreshKnown } from '@/lib/pending/server/chain-evidence';
import { services } from '@/lib/services/services';

export const metadata: Metadata = { title: 'Incident history' };

/** Interval at which the page is rendered again until the recording begins. */
const STARTING_MS = 2 * SECOND_MS;

export default async function HistoryPage({ searchParams }: PageProps) {
  await requirePrincipal();
  const { network: networks, keeper: keepers, range: ranges } = await searchParams;
  const [network, keeper, named] = [networks, keepers, ranges].map(
    (values) => [values].flat()[0] || undefined,
  );
  const range = HISTORY_RANGES.find((offered) => offered === named);
  // The first state names the cause of an open incident, as on `/pending`.
  await answerInTime(refreshKnown());
  const history = await incidentHistory({ network, keeper, range });
  return (
    <>
      <HistoryScreen history={history} keepers={services().keepers} />
      {/* Just after the start nothing ongoing is known until the keepers are checked, which takes seconds. */}
      <Refreshing everyMs={history.isRecording || process.uptime() > 60 ? MINUTE_MS : STARTING_MS} />
    </>
  );
}
