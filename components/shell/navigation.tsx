import Link from 'next/link';
import type { ReactNode } from 'react';
import type { KnownIndex } from '@/lib/pending/client';
import { BrandMark } from './brand-mark';
import { PageList } from './page-list';
import classes from './shell.module.css';

/** The pages that exist, and whatever else belongs into the same row; `beside` stands beside the name. */
export function Navigation({
  known,
  beside,
  children,
}: {
  known: KnownIndex;
  beside: ReactNode;
  children: ReactNode;
}) {
  return (
    <nav className={classes.nav} aria-label="Main">
      <Link href="/" className={classes.brand} prefetch={false}>
        <BrandMark />
        <span className={classes.brandName}>Keeperscope</span>
      </Link>
      {beside}
      <PageList known={known} />
      {children}
    </nav>
  );
}
