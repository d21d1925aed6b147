'use client';
import { Button } from '@mantine/core';
import type { Route } from 'next';
import { usePathname, useRouter } from 'next/navigation';
import { Icon } from '@/components/ui/icons';
import { Link } from '@/components/ui/link';
import { PAGES, SUBPAGES } from '@/components/ui/pages';
import { recogniseQuery } from '@/lib/core/log-query';
import { clipped, shortenHex } from '@/lib/core/text';

/** The path is shown as text, with a link to what was probably meant. */
export function RequestedPath() {
  const path = usePathname() ?? '';
  const meant = likelyPlace(path);
  return (
    <>
      <p style={{ overflowWrap: 'anywhere' }}>
        Nothing is at <code className="foreign">{clipped(path, 200)}</code>
      </p>
      {meant === undefined ? null : (
        <p>
          Did you mean <Link href={meant.href as Route}>{meant.label}</Link>?
        </p>
      )}
    </>
  );
}

/** A new tab has no previous page, so the button leads to the overview. */
export function BackButton() {
  const router = useRouter();
  const back = () => (window.history.length > 1 ? router.back() : router.push('/'));
  return (
    <Button leftSection={<Icon name="left" size={14} />} onClick={back}>
      Back
    </Button>
  );
}

/** Letters at the start that the name of a page and a mistyped one must have in common. */
const COMMON_LETTERS = 3;

/** A request whose hash or sequence ends the path, or the page whose name begins like the path. */
function likelyPlace(path: string): { href: string; label: string } | undefined {
  const parts = path.split('/').filter(Boolean);
  const query = recogniseQuery(parts.at(-1) ?? '');
  if ('canonical' in query) {
    const { kind, canonical } = query;
    const shown = kind === 'sequence' ? canonical : shortenHex(canonical);
    // Written by hand, because the codec of views would be in the scripts of every page.
    return { href: `/requests?range=all&q=${canonical}`, label: `${kind} ${shown}` };
  }
  const start = (text: string) => text.slice(0, COMMON_LETTERS).toLowerCase();
  const starts = parts.filter(({ length }) => length >= COMMON_LETTERS).map(start);
  return [...SUBPAGES, ...PAGES].find(({ label }) => starts.includes(start(label)));
}
