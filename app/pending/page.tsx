import type { Metadata } from 'next';
import { answerInTime } from '@/app/answer-in-time';
import { PendingScreen } from '@/components/pending/pending-screen';
import { requirePrincipal } from '@/lib/access/page-principal';
import { problemsNow } from '@/lib/insights/server/problems';
import { refreshKnown } from '@/lib/pending/server/chain-evidence';
import { initialTriage, renderedIndex } from '@/lib/pending/server/triage-answer';
import { offeredNetworks } from '@/lib/services/network-directory';
import { services } from '@/lib/services/services';

export const metadata: Metadata = { title: 'Pending' };

export default async function PendingPage() {
  await requirePrincipal();
  // If the chain's answer comes in time, it is part of the first state that is shown.
  const [first, problems, networks] = await Promise.all([
    answerInTime(refreshKnown()).then(() => initialTriage()),
    answerInTime(problemsNow()),
    offeredNetworks(),
  ]);
  const { keepers } = services();
  return (
    <PendingScreen
      first={first}
      problems={problems}
      rendered={renderedIndex()}
      keepers={keepers}
      networks={networks}
    />
  );
}
