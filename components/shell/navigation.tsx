import Link from 'next/link';
import type { ReactNode } from 'react';
import type { KnownIndex } from '@/lib/client/stuck-count';
import { BrandMark } from './brand-mark';
import { PageList } from './page-list';
import classes from './shell.module.css';

/** The pages that exist, and whatever else belongs into the same row. */
export function Navigation({ known, children }: { known: KnownIndex; children: ReactNode }) {
  return (
    <nav className={classes.nav} aria-label="Main">
      <Link href="/" className={classes.brand} prefetch={false}>
        <BrandMark />
        <span className={classes.brandName}>Keeperscope</span>
      </Link>
      <PageList known={known} />
      {children}
    </nav>
  );
}
