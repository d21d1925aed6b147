'use client';
import { Progress, Stack, Table, Text, Title } from '@mantine/core';
import { Icon, type IconName } from '@/components/ui/icons';
import { useSteadyWords } from '@/components/ui/time-style';
import { explainFailure } from '@/lib/core/explain-failure';
import { groupDigits } from '@/lib/core/numbers';
import type { KeeperStatus } from '@/lib/requests/keeper-status';
import { useRevision } from '@/lib/requests/use-revision';
import { Scroller } from './service-board';
import classes from './services.module.css';

const STATES: Record<KeeperStatus['state'], { text: string; icon: IconName; tone?: string }> = {
  live: { text: 'Live', icon: 'check', tone: 'good' },
  syncing: { text: 'Syncing history', icon: 'dotted' },
  stale: { text: 'Stale', icon: 'alert', tone: 'bad' },
  failing: { text: 'Failing', icon: 'alert', tone: 'bad' },
};

const STORAGE: Record<KeeperStatus['storage'], string> = {
  file: 'File',
  memory: 'Memory: lost when this server ends',
  'read-only': 'Read-only: nothing can be written now',
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
      <Scroller label="Request index, scrollable">
        <Table className={classes.table} verticalSpacing={6} aria-label="Request index">
          <Table.Thead>
            <Table.Tr>
              {COLUMNS.map((name) => (
                <Table.Th key={name} scope="col">
                  {name}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {index.map((status) => (
              <KeeperRow key={status.keeper} status={status} />
            ))}
          </Table.Tbody>
        </Table>
      </Scroller>
    </Stack>
  );
}

function KeeperRow({ status }: { status: KeeperStatus }) {
  const moment = useSteadyWords();
  const { keeper, state, rows, unreadable, gone, storage, notes, audit, syncedAtMs, failure } = status;
  const { text, icon, tone } = STATES[state];
  const told = failure === null ? undefined : explainFailure({ service: 'logs', ...failure }, keeper);
  const shown = [
    ...notes,
    ...(unreadable === 0 ? [] : [`${figure(unreadable)} unreadable`]),
    ...(gone === 0 ? [] : [`${figure(gone)} no longer served`]),
  ];
  return (
    <Table.Tr data-index={keeper}>
      <Table.Th scope="row">{keeper}</Table.Th>
      <Table.Td data-fact="sync">
        <Text c={tone && `var(--ks-${tone})`}>
          <Icon name={icon} size={14} /> {text}
        </Text>
        {told === undefined ? null : (
          <p role="alert" className="foreign">
            {told.title}. {told.todo}
          </p>
        )}
      </Table.Td>
      <Table.Td className="num" data-fact="rows">
        {figure(rows)}
      </Table.Td>
      <Table.Td className="num" data-fact="coverage">
        <Coverage status={status} />
      </Table.Td>
      <Table.Td className="num" data-fact="last-sync">
        {syncedAtMs === null ? 'Not synced yet' : moment(syncedAtMs)}
      </Table.Td>
      <Table.Td className="num" data-fact="audit">
        {audit === null ? (
          'Not compared yet'
        ) : (
          <Text
            c={`var(--ks-${audit.agrees ? 'good' : 'bad'})`}
            title={`${figure(audit.ours)} of ${figure(audit.theirs)}, ${moment(audit.atMs)}`}
          >
            {audit.agrees ? 'Matches the service' : 'Differs from the service'}
          </Text>
        )}
      </Table.Td>
      <Table.Td data-fact="storage">{STORAGE[storage]}</Table.Td>
      <Table.Td>
        {shown.map((note) => (
          <p key={note} className="foreign">
            {note}
          </p>
        ))}
      </Table.Td>
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
      <Progress aria-label="History read" value={(done / Math.max(1, expected)) * 100} />
    </>
  );
}

function figure(count: number): string {
  return groupDigits(String(count));
}
