import type { Metadata } from 'next';
import { PendingScreen } from '@/components/pending/pending-screen';
import { requirePrincipal } from '@/lib/access/page-principal';
import { initialTriage, knownIndex } from '@/lib/pending/server/triage';
import { offeredNetworks } from '@/lib/services/network-directory';
import { services } from '@/lib/services/services';

export const metadata: Metadata = { title: 'Pending' };

/** The state of things goes out with the page, from the index; the browser follows it from there. */
export default async function PendingPage() {
  await requirePrincipal();
  const [first, networks] = await Promise.all([initialTriage(), offeredNetworks()]);
  const { keepers } = services();
  return <PendingScreen first={first} known={knownIndex()} keepers={keepers} networks={networks} />;
}
