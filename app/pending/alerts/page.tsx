import type { Metadata } from 'next';
import { answerInTime } from '@/app/answer-in-time';
import { AlertsScreen } from '@/components/pending/alerts-screen';
import { requirePrincipal } from '@/lib/access/page-principal';
import { alertsAnswer, MAX_PAGE_WAIT_MS } from '@/lib/alerts/server/alerts-endpoint';
import { refreshKnown } from '@/lib/pending/server/chain-evidence';
import { offeredNetworks } from '@/lib/services/network-directory';

export const metadata: Metadata = { title: 'Alerts' };

export default async function AlertsPage() {
  await requirePrincipal();
  const [first, networks] = await Promise.all([
    answerInTime(refreshKnown()).then(() => alertsAnswer(MAX_PAGE_WAIT_MS)),
    offeredNetworks(),
  ]);
  return <AlertsScreen first={first} networks={networks} />;
}
