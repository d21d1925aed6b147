'use client';
import { Badge, Button, Group, Text } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import type { Route } from 'next';
import { useRouter } from 'next/navigation';
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
  const test = useMutation({
    mutationFn: () => postForAnswer('/api/view/alerts/test', readAlertTest, 30_000),
    networkMode: 'always',
    onSuccess: (answer) => announce(textOf(answer)),
    onSettled: () => router.refresh(),
  });
  const { data, error } = test;
  const failed = error instanceof AnswerFailed ? explainFailure(error.failure).title : undefined;
  const said = data ? textOf(data) : failed;
  const isBad = data?.state !== 'sent';
  return (
    <Group gap="xs">
      {said === undefined ? null : (
        <Text role={isBad ? 'alert' : 'status'} c={isBad ? 'var(--ks-bad)' : 'dimmed'}>
          {said}
        </Text>
      )}
      <Button disabled={!live || test.isPending} onClick={() => test.mutate()}>
        Send test
      </Button>
    </Group>
  );
}

const textOf = ({ state, error }: { state: string; error: string | null }) =>
  state === 'sent' ? 'Test sent' : `Test failed: ${error}`;
