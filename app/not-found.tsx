import { Title } from '@mantine/core';
import type { Metadata } from 'next';
import { PAGES } from '@/components/shell/pages';
import { RequestedPath } from '@/components/shell/requested-path';
import classes from '@/components/shell/shell.module.css';
import { Link } from '@/components/ui/link';

export const metadata: Metadata = { title: 'Page not found' };

export default function NotFound() {
  return (
    <div className="page">
      <Title order={1}>Page not found</Title>
      <RequestedPath />
      <ul className={classes.places}>
        {PAGES.map(({ href, label, about }) => (
          <li key={href}>
            <Link href={href}>{label}</Link>
            <p>{about}</p>
          </li>
        ))}
      </ul>
    </div>
  );
}
