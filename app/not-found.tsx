import type { Metadata } from 'next';
import Link from 'next/link';
import { PageMessage } from '@/components/ui/page-message';

export const metadata: Metadata = { title: 'No such page' };

export default function NotFound() {
  return (
    <PageMessage
      title="No such page"
      text="Nothing is served at this address. A link may be cut off, or the page belongs to a newer version."
    >
      <Link href="/">Overview</Link>
      <Link href="/requests">Requests</Link>
      <Link href="/feeds">Feeds</Link>
    </PageMessage>
  );
}
