'use client';
import { Group, Stack, Title } from '@mantine/core';
import { createContext, type ReactNode } from 'react';
import { useTicking } from '@/components/ui/clock';
import { Link } from '@/components/ui/link';
import { useNetwork } from '@/components/ui/networks';
import { useMomentWords } from '@/components/ui/time-style';
import type { OrderTarget } from '@/lib/alerts/acknowledge';
import { clipped } from '@/lib/core/text';
import { formatAge } from '@/lib/core/time';
import type { CauseGroup, Incident, Single } from '@/lib/pending/pending-response';
import classes from './pending.module.css';

/** Rows name their keeper only if there are several. */
export const SeveralKeepers = createContext(false);

type PageProps = { title: (typeof PAGES)[number]['title']; aside?: ReactNode; children: ReactNode };

const PAGES = [
  { href: '/pending', name: 'Pending', title: 'Pending requests' },
  { href: '/pending/history', name: 'History', title: 'History' },
  { href: '/pending/alerts', name: 'Alerts', title: 'Alerts' },
] as const;

export function PendingPage({ title, aside, children }: PageProps) {
  return (
    <Stack gap="md" maw="none" className={`page ${classes.screen}`}>
      <Group justify="space-between" gap="xs">
        <Group gap="4px var(--ks-gap-lg)">
          <Title order={1}>{title}</Title>
          <Group component="nav" gap={4} aria-label="Pages about pending requests" className={classes.pages}>
            {PAGES.map((page) =>
              page.title === title ? (
                <span key={page.href} aria-current="page">
                  {page.name}
                </span>
              ) : (
                <Link key={page.href} href={page.href}>
                  {page.name}
                </Link>
              ),
            )}
          </Group>
        </Group>
        {aside}
      </Group>
      {children}
    </Stack>
  );
}

export function NetworkText({ networkId }: { networkId: string }) {
  return <bdi>{clipped(useNetwork(networkId).name, 60)}</bdi>;
}

export function Age({ sinceMs }: { sinceMs: number }) {
  const text = useTicking((nowMs) => formatAge(nowMs - sinceMs));
  return <span className="num">{text}</span>;
}

export function MomentLabel({ ms }: { ms: number }) {
  const words = useMomentWords();
  return <time dateTime={new Date(ms).toISOString()}>{words(ms)}</time>;
}

export type PendingCase = {
  id: string;
  target: OrderTarget;
  /** `Base: 41 stuck, 12 senders, since 10:42:00 UTC`, `16 single requests: later ones completed`. */
  name: string;
  /** Sender, transaction or provider. */
  owner: { label: string; value: string } | undefined;
} & (
  | { kind: 'incident'; incident: Incident }
  | { kind: 'group'; group: CauseGroup }
  /** A request; if `single` is absent, only its key is known. */
  | { kind: 'request'; single?: Single | undefined }
);

/** Undefined for a request of which only the key is known. */
export function caseDetails(item: PendingCase) {
  if (item.kind === 'incident') return item.incident;
  if (item.kind === 'request') return item.single;
  return { ...item.group, networkId: item.group.networkIds[0] ?? '', keeper: '' };
}
