'use client';
import Link from 'next/link';
import { usePathname } from 'next/navigation';
import type { ReactNode } from 'react';
import { groupDigits } from '@/lib/core/numbers';
import { type KnownIndex, useStuckCount } from '@/lib/pending/client';
import { PAGES } from './pages';
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
  const pathname = usePathname() ?? '';
  const isCurrent = (href: string) => pathname === href || (href !== '/' && pathname.startsWith(`${href}/`));
  return (
    <nav className={classes.nav} aria-label="Main">
      <Link href="/" className={classes.brand} prefetch={false}>
        <BrandMark />
        <span className={classes.brandName}>Keeperscope</span>
      </Link>
      {beside}
      <ul className={classes.pages}>
        {PAGES.map(({ href, label }) => (
          <li key={href}>
            <Link
              href={href}
              prefetch={false}
              className={classes.page}
              aria-current={isCurrent(href) ? 'page' : undefined}
            >
              {label}
              {href === '/pending' ? <PendingCount first={known} /> : null}
            </Link>
          </li>
        ))}
      </ul>
      {children}
    </nav>
  );
}

/** The mark of the product; the name stands beside it. */
export function BrandMark() {
  return (
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
  );
}

/** More than this is shown as `999+`: the page has the figure. */
const MOST_SHOWN = 999;

/**
 * How many requests are stuck, in the corner of the link so that it moves nothing; a question mark when that is not known.
 * Nothing is shown when nothing is stuck, before the first sync, and where no log service is configured.
 */
function PendingCount({ first }: { first: KnownIndex }) {
  const count = useStuckCount(first);
  if (count.kind !== 'stuck' && count.kind !== 'not-known') return null;
  const stuck = count.kind === 'stuck' ? count.stuck : undefined;
  const words =
    stuck === undefined
      ? 'stuck: unknown'
      : `${count.kind === 'stuck' && count.isWhole ? '' : 'at least '}${groupDigits(String(stuck))} ${stuck === 1 ? 'request is' : 'requests are'} stuck`;
  const shown =
    stuck === undefined ? '?' : stuck > MOST_SHOWN ? `${MOST_SHOWN}+` : groupDigits(String(stuck));
  return (
    <span className={classes.count} data-standing={stuck === undefined ? 'unknown' : 'stuck'} title={words}>
      <span aria-hidden="true">{shown}</span>
      <span className="sr-only">, {words}</span>
    </span>
  );
}
