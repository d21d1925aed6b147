'use client';
import { ActionIcon } from '@mantine/core';
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
  none: 'Set an alert',
  set: 'Alerts',
  raised: 'Alert triggered',
};

export function AlertButton({ feed }: { feed: FeedName }) {
  const [opened, { open, close }] = useDisclosure(false);
  const [isUsed, setUsed] = useState(false);
  const phase = useFeedAlerts(feed.id);
  const label = BELL_LABELS[phase];
  return (
    <>
      <ActionIcon
        color={phase === 'raised' ? 'var(--ks-warn)' : 'var(--ks-text-faint)'}
        data-alert={phase}
        aria-haspopup="dialog"
        aria-label={`${label}: ${feed.symbol}`}
        title={label}
        onClick={() => {
          setUsed(true);
          open();
        }}
      >
        <AlertBell phase={phase} />
      </ActionIcon>
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
