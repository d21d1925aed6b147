import type { Metadata } from 'next';
import { Link } from '@/components/ui/link';
import { PageMessage } from '@/components/ui/page-message';

export const metadata: Metadata = { title: 'Page not found' };

export default function NotFound() {
  return (
    <PageMessage title="Page not found" text="The link may be incomplete, or belong to another version.">
      <Link href="/">Overview</Link>
      <Link href="/requests">Requests</Link>
      <Link href="/feeds">Feeds</Link>
    </PageMessage>
  );
}
