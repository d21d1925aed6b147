import type { Metadata } from 'next';
import { PAGES } from '@/components/shell/pages';
import { RequestedPath } from '@/components/shell/requested-path';
import { Link } from '@/components/ui/link';
import { PageMessage } from '@/components/ui/page-message';

export const metadata: Metadata = { title: 'Page not found' };

export default function NotFound() {
  return (
    <PageMessage
      title="Page not found"
      text="The link may be incomplete, or belong to another version."
      detail={<RequestedPath />}
    >
      {PAGES.map(({ href, label }) => (
        <Link key={href} href={href}>
          {label}
        </Link>
      ))}
    </PageMessage>
  );
}
