'use client';
import type { Route } from 'next';
import Link from 'next/link';
import { usePathname } from 'next/navigation';
import type { ReactNode } from 'react';
import classes from './shell.module.css';

const PAGES: { href: Route; label: string }[] = [
  { href: '/', label: 'Overview' },
  { href: '/requests', label: 'Requests' },
  { href: '/feeds', label: 'Feeds' },
];

function isCurrent(pathname: string, href: string): boolean {
  return href === '/' ? pathname === '/' : pathname === href || pathname.startsWith(`${href}/`);
}

/** The pages that exist, and whatever else belongs into the same row. */
export function Navigation({ children }: { children: ReactNode }) {
  const pathname = usePathname() ?? '';
  return (
    <nav className={classes.nav} aria-label="Main">
      <Link href="/" className={classes.brand} prefetch={false}>
        <svg aria-hidden="true" width="22" height="22" viewBox="0 0 32 32">
          <rect width="32" height="32" rx="7" fill="#2a54cc" />
          <circle cx="16" cy="16" r="8.5" fill="none" stroke="#fff" strokeWidth="2.6" />
          <path
            d="M16 3.5v6M16 22.5v6M3.5 16h6M22.5 16h6"
            stroke="#fff"
            strokeWidth="2.6"
            strokeLinecap="round"
          />
          <circle cx="16" cy="16" r="2.6" fill="#ffc53d" />
        </svg>
        <span className={classes.brandName}>Keeperscope</span>
      </Link>
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
            </Link>
          </li>
        ))}
      </ul>
      {children}
    </nav>
  );
}
