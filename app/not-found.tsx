import { Title } from '@mantine/core';
import type { Metadata } from 'next';
import { BackButton, RequestedPath } from '@/components/shell/requested-path';
import classes from '@/components/shell/shell.module.css';
import { Icon } from '@/components/ui/icons';
import { Link } from '@/components/ui/link';
import { PAGES, SUBPAGES } from '@/components/ui/pages';

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
      <div className={classes.ways}>
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
        <BackButton />
      </div>
      <Title order={2}>Pages</Title>
      <ul className={classes.places}>
        {PAGES.map(({ href, label, description: about, keys }) => (
          <li key={href}>
            <p className={classes.place}>
              <Link href={href}>{label}</Link>
              {SUBPAGES.filter(({ of }) => of === href).map((page) => (
                <Link key={page.href} href={page.href} title={page.description}>
                  {page.label}
                </Link>
              ))}
              <span className={classes.keys}>
                {keys.split(' ').map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </span>
            </p>
            <p>{about}</p>
          </li>
        ))}
      </ul>
    </div>
  );
}
