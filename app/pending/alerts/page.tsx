import type { Metadata } from 'next';
import { AlertsScreen } from '@/components/pending/alerts-screen';
import { requirePrincipal } from '@/lib/access/page-principal';
import { alertsSent } from '@/lib/alerts/server/webhook';

export const metadata: Metadata = { title: 'Alerts sent' };

/** What the webhook was told. */
export default async function AlertsPage() {
  await requirePrincipal();
  return <AlertsScreen sent={await alertsSent()} />;
}
