'use client';
import { Link } from '@/components/ui/link';
import { useMoment, useRelative } from '@/components/ui/time-style';
import { shareText } from '@/lib/core/span-figures';
import { countText } from '@/lib/insights/format';

export const MAX_SHOWN = 8;
/** CSS height of a table, or of cards on a phone: its head, rows, and button if it has more rows than are shown. */
export const rowsHeight = (rows: number) =>
  rows > MAX_SHOWN
    ? `calc(${MAX_SHOWN} * var(--overview-row) + 33px + var(--mantine-spacing-xs) + 22px)`
    : `calc(${rows} * var(--overview-row) + 33px)`;
/** @param count null if the keeper was not queried for them yet */
export function Rows({ count, href }: { count: number | null; href: Parameters<typeof Link>[0]['href'] }) {
  if (count === null) {
    return (
      <span title="Not counted yet">
        <span aria-hidden="true">–</span>
        <span className="sr-only">not counted yet</span>
      </span>
    );
  }
  return count === 0 ? '0' : <Link href={href}>{countText(count)}</Link>;
}

export function Seen({ us }: { us: number }) {
  const { text, title } = useMoment(Math.floor(us / 1000));
  return <span title={title}>{text}</span>;
}

/** An age in one unit. Its width is reserved, so that columns keep their place. */
export function Ago({ us }: { us: number }) {
  const ms = Math.floor(us / 1000);
  const { title } = useMoment(ms);
  return (
    <span title={title} style={{ display: 'inline-block', minWidth: '5.5rem' }}>
      {useRelative(ms)}
    </span>
  );
}

export const share = (part: number, of: number) => (of === 0 ? '–' : shareText(part / of));
