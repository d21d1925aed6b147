'use client';
import { Badge, Button, Group, Text } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import type { Route } from 'next';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { announce } from '@/components/ui/announce';
import { type Column, DataTable } from '@/components/ui/data-table';
import { Link } from '@/components/ui/link';
import { useLive } from '@/components/ui/live-controls';
import { Soft } from '@/components/ui/text';
import { useMomentColumn, useMomentWords } from '@/components/ui/time-style';
import { type AlertsSent, type Facts, readAlertTest } from '@/lib/alerts/notices';
import { explainFailure } from '@/lib/core/explain-failure';
import { AnswerFailed, postForAnswer } from '@/lib/core/gateway';
import type { Notice } from '@/lib/core/incident-record';
import classes from './pending.module.css';
import { ALERTS, PastPage } from './pending-context';

const STATES: Record<Notice['state'], { label: string; color: string }> = {
  waiting: { label: 'Waiting', color: 'wait' },
  sent: { label: 'Sent', color: 'good' },
  dropped: { label: 'Acknowledged', color: 'idle' },
  'given-up': { label: 'Gave up', color: 'bad' },
};

const REFRESH_MS = 15_000;

/** What was sent to the webhook, and a way to try it. */
export function AlertsScreen({ sent: { format, origin, notices } }: { sent: AlertsSent }) {
  const moments = useMomentColumn();
  const router = useRouter();
  useInterval(() => router.refresh(), REFRESH_MS, { autoInvoke: true });
  const columns: Column<Notice>[] = [
    { name: moments.header('Time'), kind: 'head', cell: ({ atMs }) => moments.text(atMs) },
    { name: 'Alert', cell: What },
    {
      name: moments.header('Since'),
      isWide: true,
      cell: ({ sinceMs }) => (sinceMs === null ? '—' : moments.text(sinceMs)),
    },
    { name: 'Status', cell: (one) => <Status of={one} /> },
  ];
  return (
    <PastPage title={ALERTS} aside={format && <SendTest />}>
      <Soft>
        {format === undefined
          ? 'No webhook. Set ALERT_WEBHOOK_URL in .env.local and start again.'
          : `Webhook format: ${format}. Links: ${origin ?? 'none, ALLOWED_HOSTS names no host'}`}
      </Soft>
      {notices.length === 0 ? (
        format && <Soft>Nothing sent.</Soft>
      ) : (
        <DataTable
          label="Alerts sent"
          columns={columns}
          rows={notices}
          rowProps={({ id, kind, state }) => ({ key: id, 'data-notice': kind, 'data-state': state })}
        />
      )}
    </PastPage>
  );
}

function What({ title, facts }: Notice) {
  const { affected, cause, path } = JSON.parse(facts) as Facts;
  return (
    <div className={classes.wrapped}>
      <Link href={path as Route} className="foreign">
        {title}
      </Link>
      <Soft className="foreign">{[affected, cause].filter(Boolean).join(' · ')}</Soft>
    </div>
  );
}

function Status({ of }: { of: Notice }) {
  const moment = useMomentWords();
  const { state, attempts, sentMs, nextMs, error } = of;
  const { label, color } = STATES[state];
  const when = state === 'sent' && sentMs !== null ? ` ${moment(sentMs)}` : '';
  const next = state === 'waiting' && attempts > 0 ? `, retrying ${moment(nextMs)}` : '';
  return (
    <>
      <Badge color={color}>{label}</Badge>
      {when}
      {error === null ? null : (
        <Soft>
          {error}
          {next}
        </Soft>
      )}
    </>
  );
}

function SendTest() {
  const live = useLive();
  const router = useRouter();
  const [isBusy, setBusy] = useState(false);
  const [said, setSaid] = useState<{ text: string; isBad: boolean }>();
  const send = async () => {
    setBusy(true);
    try {
      const { state, error } = await postForAnswer('/api/view/alerts/test', readAlertTest, 30_000);
      const text = state === 'sent' ? 'Test sent' : `Test failed: ${error}`;
      setSaid({ text, isBad: state !== 'sent' });
      announce(text);
    } catch (error) {
      if (!(error instanceof AnswerFailed)) throw error;
      setSaid({ text: explainFailure(error.failure).title, isBad: true });
    }
    setBusy(false);
    router.refresh();
  };
  return (
    <Group gap="xs">
      {said === undefined ? null : (
        <Text role={said.isBad ? 'alert' : 'status'} c={said.isBad ? 'var(--ks-bad)' : 'dimmed'}>
          {said.text}
        </Text>
      )}
      <Button disabled={!live || isBusy} onClick={() => void send()}>
        Send test
      </Button>
    </Group>
  );
}
