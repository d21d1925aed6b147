'use client';
import { Progress, Stack, Table, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon, type IconName } from '@/components/ui/icons';
import { useSteadyWords } from '@/components/ui/time-style';
import { explainFailure } from '@/lib/core/explain-failure';
import { groupDigits } from '@/lib/core/numbers';
import type { KeeperStatus } from '@/lib/requests/keeper-status';
import { useRevision } from '@/lib/requests/use-revision';
import { WideTable } from './service-board';

const STATES: Record<KeeperStatus['state'], { text: string; icon: IconName; tone?: string }> = {
  live: { text: 'Live', icon: 'check', tone: 'good' },
  syncing: { text: 'Syncing history', icon: 'dotted' },
  stale: { text: 'Stale', icon: 'alert', tone: 'bad' },
  failing: { text: 'Failing', icon: 'alert', tone: 'bad' },
};

const STORAGE: Record<KeeperStatus['storage'], string> = {
  file: 'File',
  postgres: 'PostgreSQL',
  memory: 'Memory: lost at restart',
  'read-only': 'Read-only',
};

const COLUMNS = ['Keeper', 'Sync', 'Rows', 'Coverage', 'Last sync', 'Audit', 'Storage', 'Notes'];

/** How far the index of each keeper reaches, how old it is, and whether it agrees with the service. */
export function IndexBoard({ first }: { first: readonly KeeperStatus[] }) {
  const index = useRevision()?.index ?? first;
  if (index.length === 0) return null;
  return (
    <Stack component="section" gap="sm" aria-labelledby="index-title">
      <Title order={2} id="index-title">
        Request index
      </Title>
      <WideTable label="Request index" columns={COLUMNS}>
        {index.map((status) => (
          <KeeperRow key={status.keeper} status={status} />
        ))}
      </WideTable>
    </Stack>
  );
}

function KeeperRow({ status }: { status: KeeperStatus }) {
  const moment = useSteadyWords();
  const { keeper, state, rows, unreadable, gone, storage, notes, audit, syncedAtMs, failure } = status;
  const { text, icon, tone } = STATES[state];
  const told = failure === null ? undefined : explainFailure({ service: 'logs', ...failure }, keeper);
  const compared = audit && `${figure(audit.ours)} of ${figure(audit.theirs)}, ${moment(audit.atMs)}`;
  const shown = [
    ...notes,
    ...(unreadable === 0 ? [] : [`${figure(unreadable)} unreadable`]),
    ...(gone === 0 ? [] : [`${figure(gone)} no longer served`]),
  ];
  const facts: Record<string, ReactNode> = {
    sync: (
      <>
        <Text c={tone && `var(--ks-${tone})`}>
          <Icon name={icon} size={14} /> {text}
        </Text>
        {told === undefined ? null : (
          <p role="alert" className="foreign">
            {told.title}. {told.todo}
          </p>
        )}
      </>
    ),
    rows: figure(rows),
    coverage: <Coverage status={status} />,
    'last-sync': syncedAtMs === null ? 'Not synced yet' : moment(syncedAtMs),
    audit: compared ? (
      <Text c={`var(--ks-${audit?.agrees ? 'good' : 'bad'})`} title={compared}>
        {audit?.agrees ? 'Counts match' : 'Counts differ'}
      </Text>
    ) : (
      'Not compared yet'
    ),
    storage: STORAGE[storage],
    notes: shown.map((note) => (
      <p key={note} className="foreign">
        {note}
      </p>
    )),
  };
  return (
    <Table.Tr data-index={keeper}>
      <Table.Th scope="row">{keeper}</Table.Th>
      {Object.entries(facts).map(([name, content]) => (
        <Table.Td key={name} className="num" data-fact={name}>
          {content}
        </Table.Td>
      ))}
    </Table.Tr>
  );
}

function Coverage({ status: { coversAll, coveredFromMs, history } }: { status: KeeperStatus }) {
  const day = coveredFromMs === null ? undefined : new Date(coveredFromMs).toISOString().slice(0, 10);
  const reach = day === undefined ? 'None yet' : coversAll ? `All since ${day}` : `Since ${day}`;
  if (history === null) return <>{reach}</>;
  const { done, expected } = history;
  return (
    <>
      {reach}; {figure(done)} of {figure(expected)}
      <Progress aria-label="History synced" value={(done / Math.max(1, expected)) * 100} />
    </>
  );
}

function figure(count: number): string {
  return groupDigits(String(count));
}
