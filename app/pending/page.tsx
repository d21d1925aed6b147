import type { Metadata } from 'next';
import { PendingScreen } from '@/components/pending/pending-screen';
import { offeredNetworks } from '@/lib/server/network-directory';
import { requireVisitor } from '@/lib/server/page-visitor';
import { pendingFirstLook } from '@/lib/server/pending-first-look';
import { services } from '@/lib/server/services';

export const metadata: Metadata = { title: 'Pending' };

/** The state that all viewers share goes out with the page, whatever it holds by then; the browser asks on. */
export default async function PendingPage() {
  await requireVisitor();
  const [first, networks] = await Promise.all([pendingFirstLook(), offeredNetworks()]);
  return (
    <PendingScreen first={first} keepers={services().keepers} networks={networks} renderedAtMs={Date.now()} />
  );
}
