import Link from 'next/link';
import type { ReactNode } from 'react';
import { BrandMark } from './brand-mark';
import { PageList } from './page-list';
import classes from './shell.module.css';

/** The pages that exist, and whatever else belongs into the same row. */
export function Navigation({ children }: { children: ReactNode }) {
  return (
    <nav className={classes.nav} aria-label="Main">
      <Link href="/" className={classes.brand} prefetch={false}>
        <BrandMark />
        <span className={classes.brandName}>Keeperscope</span>
      </Link>
      <PageList />
      {children}
    </nav>
  );
}
