import { Title } from '@mantine/core';
import type { Metadata, Route } from 'next';
import { BackButton, RequestedPath } from '@/components/shell/requested-path';
import classes from '@/components/shell/shell.module.css';
import { Icon } from '@/components/ui/icons';
import { Link } from '@/components/ui/link';
import { PAGES } from '@/components/ui/pages';

/** Pages that the navigation does not list. */
const SUBPAGES: readonly { href: Route; label: string; description: string }[] = [
  { href: '/pending/history', label: 'History', description: 'Past incidents and degraded networks' },
  { href: '/pending/alerts', label: 'Alerts', description: 'Rules, webhook and messages sent' },
  { href: '/prices?view=symbols', label: 'Symbols', description: 'Directory of price symbols and feed ids' },
  {
    href: '/prices?view=inspector',
    label: 'Inspector',
    description: 'Signed payloads decoded, byte by byte',
  },
];

export const metadata: Metadata = { title: 'Page not found' };

export default function NotFound() {
  return (
    <div className={`page ${classes.lost}`}>
      <div className={classes.lostHead}>
        <p className={classes.code} aria-hidden="true">
          404
        </p>
        <div>
          <Title order={1}>Page not found</Title>
          <RequestedPath />
        </div>
      </div>
      {/* A plain form works before the scripts of the page are loaded. */}
      <search>
        <form action="/requests" className={classes.find}>
          <input type="hidden" name="range" value="all" />
          <Icon name="search" />
          <input
            type="search"
            name="q"
            required
            aria-label="Search all requests"
            placeholder="Hash, address or sequence"
            spellCheck={false}
            autoComplete="off"
          />
          <button type="submit">Search requests</button>
        </form>
      </search>
      <div>
        <BackButton />
      </div>
      <Title order={2}>Pages</Title>
      <ul className={classes.places}>
        {PAGES.map(({ href, label, description: about, keys }) => (
          <li key={href}>
            <Link href={href}>{label}</Link>
            <kbd>{keys}</kbd>
            <p>{about}</p>
          </li>
        ))}
        {SUBPAGES.map(({ href, label, description: about }) => (
          <li key={href}>
            <Link href={href}>{label}</Link>
            <p>{about}</p>
          </li>
        ))}
      </ul>
    </div>
  );
}
