'use client';
import { ActionIcon, Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import { LatePopover } from '@/components/ui/late-popover';
import { noticeOnFailure } from '@/components/ui/part-not-loaded';
import type { FeedName } from '@/lib/feeds/board-url';
import { type AlertPhaseOfFeed, useFeedAlerts, usePage } from '@/lib/feeds/client/hooks';
import { useStoredValue } from '@/lib/watches/client/stored-value';
import { type FeedAlert, watchList } from '@/lib/watches/client/watch-list';
import { AlertBell } from './alert-bell';

const AlertDialog = dynamic(
  () => noticeOnFailure(import('./alert-editor').then((part) => part.AlertDialog)),
  { ssr: false },
);
const AlertList = dynamic(() => noticeOnFailure(import('./alert-editor').then((part) => part.AlertList)), {
  ssr: false,
});

const BELL_LABELS: Record<AlertPhaseOfFeed, string> = {
  none: 'Set alert',
  set: 'Alerts',
  raised: 'Alert triggered',
};

/** An icon on a board, where a hundred texts would be noise. */
export function AlertButton({ feed, hasText = false }: { feed: FeedName; hasText?: boolean }) {
  const [opened, { open, close }] = useDisclosure(false);
  const [isUsed, setUsed] = useState(false);
  const phase = useFeedAlerts(feed.id);
  const label = BELL_LABELS[phase];
  const button = {
    'data-alert': phase,
    'aria-haspopup': 'dialog',
    'aria-label': `${label}: ${feed.symbol}`,
    onClick: () => {
      setUsed(true);
      open();
    },
  } as const;
  return (
    <>
      {hasText ? (
        <Button
          size="xs"
          color={phase === 'raised' ? 'var(--ks-warn)' : undefined}
          leftSection={<AlertBell phase={phase} />}
          {...button}
        >
          {label}
        </Button>
      ) : (
        <ActionIcon
          color={phase === 'raised' ? 'var(--ks-warn)' : 'var(--ks-text-faint)'}
          title={label}
          {...button}
        >
          <AlertBell phase={phase} />
        </ActionIcon>
      )}
      {isUsed && <AlertDialog {...{ feed, opened, onClose: close }} />}
    </>
  );
}

export function AlertMenu() {
  const [opened, { set }] = useDisclosure(false);
  const { alerts } = useStoredValue(watchList);
  const { alertStates: states } = usePage();
  const isRaised = ({ id }: FeedAlert) => states.get(id)?.phase === 'raised';
  const raised = alerts.filter(isRaised);
  const phase = raised.length > 0 ? 'raised' : alerts.length > 0 ? 'set' : 'none';
  return (
    <LatePopover
      width="min(26rem, calc(100vw - 1.5rem))"
      opened={opened}
      onChange={set}
      buttonProps={{
        size: 'xs',
        leftSection: <AlertBell phase={phase} />,
        children: raised.length > 0 ? `Alerts: ${raised.length} raised` : 'Alerts',
      }}
    >
      <AlertList alerts={[...raised, ...alerts.filter((alert) => !isRaised(alert))]} />
    </LatePopover>
  );
}
