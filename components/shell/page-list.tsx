'use client';
import Link from 'next/link';
import { usePathname } from 'next/navigation';
import type { KnownIndex } from '@/lib/pending/client';
import { PAGES } from './pages';
import { PendingCount } from './pending-count';
import classes from './shell.module.css';

function isCurrent(pathname: string, href: string): boolean {
  return href === '/' ? pathname === '/' : pathname === href || pathname.startsWith(`${href}/`);
}

/** The pages that exist, and which of them this is. */
export function PageList({ known }: { known: KnownIndex }) {
  const pathname = usePathname() ?? '';
  return (
    <ul className={classes.pages}>
      {PAGES.map((page) => (
        <li key={page.href}>
          <Link
            href={page.href}
            prefetch={false}
            className={classes.page}
            aria-current={isCurrent(pathname, page.href) ? 'page' : undefined}
          >
            {page.label}
            {page.href === '/pending' ? <PendingCount first={known} /> : null}
          </Link>
        </li>
      ))}
    </ul>
  );
}
