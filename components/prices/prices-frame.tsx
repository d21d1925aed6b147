import Link from 'next/link';
import type { ReactNode } from 'react';
import classes from './prices-frame.module.css';

const VIEWS = [
  { view: 'lookup', label: 'Lookup', href: '/prices' },
  { view: 'symbols', label: 'Symbols', href: '/prices?view=symbols' },
] as const;

/** What both views of the page have in common: its name and the way from one to the other. */
export function PricesFrame({ view, children }: { view: 'lookup' | 'symbols'; children: ReactNode }) {
  return (
    <div className={classes.page}>
      <header className={classes.top}>
        <h1 className={classes.title}>Prices</h1>
        <nav aria-label="Prices" className={classes.views}>
          {VIEWS.map((one) => (
            <Link
              key={one.view}
              href={one.href}
              prefetch={false}
              className={classes.view}
              aria-current={one.view === view ? 'page' : undefined}
            >
              {one.label}
            </Link>
          ))}
        </nav>
      </header>
      {children}
    </div>
  );
}
