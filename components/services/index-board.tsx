'use client';
import { Box, Progress, Text } from '@mantine/core';
import { serverTime, useNow } from '@/components/ui/clock';
import { type Column, DataTable } from '@/components/ui/data-table';
import { Icon, type IconName } from '@/components/ui/icons';
import { Muted, Section } from '@/components/ui/text';
import { useSteadyWords } from '@/components/ui/time-style';
import { explainFailure } from '@/lib/core/explain-failure';
import { groupDigits } from '@/lib/core/numbers';
import { formatUtcSeconds } from '@/lib/core/time';
import { useRevision } from '@/lib/requests/client/revision-stream';
import type { KeeperStatus } from '@/lib/requests/keeper-status';
import { auditLabel } from './audit-label';
import classes from './services.module.css';

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

export function IndexBoard({ first }: { first: readonly KeeperStatus[] }) {
  const update = useRevision();
  const index = update?.index ?? first;
  const clockMs = useNow();
  const nowMs = update && serverTime(clockMs, update);
  const moment = useSteadyWords();
  if (index.length === 0) return null;
  type Status = Column<KeeperStatus>;
  const fact = (fact: string, name: string, cell: Status['cell'], isWide = false): Status => {
    return { name, cell, isWide, mark: () => ({ 'data-fact': fact }) };
  };
  return (
    <Section title="Request index" isRegion gap="sm">
      <DataTable
        label="Request index"
        variant="text"
        miw="58rem"
        className={classes.index}
        columns={[
          { name: 'Keeper', kind: 'head', cell: ({ keeper }) => keeper },
          fact('sync', 'Sync', (status) => <Sync status={status} />),
          fact('rows', 'Rows', ({ rows }) => groupDigits(rows), true),
          fact('coverage', 'Coverage', (status) => <Coverage status={status} />),
          fact(
            'last-sync',
            'Last sync',
            ({ syncedAtMs }) => (syncedAtMs === null ? 'Not synced yet' : moment(syncedAtMs)),
            true,
          ),
          fact('audit', 'Audit', ({ audit }) => <Audit audit={audit} nowMs={nowMs} moment={moment} />, true),
          fact('storage', 'Storage', ({ storage }) => <Storage storage={storage} />, true),
        ]}
        rows={index}
        rowProps={({ keeper }) => ({ key: keeper, 'data-index': keeper })}
        below={(status) => {
          const notes = notesOf(status, moment);
          return notes.length === 0 ? undefined : (
            <ul className="foreign" data-notes={status.keeper}>
              {notes.map((note) => (
                <li key={note}>{note}</li>
              ))}
            </ul>
          );
        }}
      />
    </Section>
  );
}

const notesOf = (
  { notes, unreadable, gone, lost, vanished }: KeeperStatus,
  moment: (ms: number) => string,
): string[] => [
  ...notes,
  ...(lost === null ? [] : [lostText(lost, moment)]),
  ...(vanished === null ? [] : [vanishedText(vanished, moment)]),
  ...(unreadable === 0 ? [] : [`${groupDigits(unreadable)} unreadable`]),
  ...(gone === 0 ? [] : [`${groupDigits(gone)} no longer served`]),
];

const lostText = (
  { theirs, ours, sinceMs }: NonNullable<KeeperStatus['lost']>,
  moment: (ms: number) => string,
) =>
  `answered ${groupDigits(theirs)} of ${groupDigits(ours)} requests ${moment(sinceMs)}: its store was emptied, replaced or damaged`;

const vanishedText = (
  { rows, left, sinceMs }: NonNullable<KeeperStatus['vanished']>,
  moment: (ms: number) => string,
) =>
  `${groupDigits(rows)} requests vanished from the index, noticed ${moment(sinceMs)}; ${groupDigits(left)} still missing`;

function Sync({ status: { state, failure, late, keeper } }: { status: KeeperStatus }) {
  const { text, icon, tone } = STATES[state];
  const explained = failure && explainFailure({ service: 'logs', ...failure }, keeper);
  return (
    <>
      <Text c={tone && `var(--ks-${tone})`}>
        <Icon name={icon} size={14} /> {text}
      </Text>
      {late === null ? null : <p>{late === 'keeper' ? 'Slow to answer' : 'Dashboard is busy'}</p>}
      {explained === null ? null : (
        <p role="alert" className="foreign">
          {explained.title}. {explained.nextStep}
        </p>
      )}
    </>
  );
}

function Storage({ storage }: Pick<KeeperStatus, 'storage'>) {
  return <Text c={storage === 'memory' ? 'var(--ks-warn)' : undefined}>{STORAGE[storage]}</Text>;
}

type AuditProps = Pick<KeeperStatus, 'audit'> & {
  nowMs: number | undefined;
  moment: (ms: number) => string;
};

function Audit({ audit, nowMs, moment }: AuditProps) {
  const { text, tone } = auditLabel(audit, nowMs);
  return (
    <>
      <Text c={tone && `var(--ks-${tone})`}>{text}</Text>
      {audit === null ? null : (
        <Muted title={`${groupDigits(audit.ours)} of ${groupDigits(audit.theirs)}`}>
          as of {moment(audit.atMs)}
        </Muted>
      )}
    </>
  );
}

function Coverage({ status: { coversAll, coveredFromMs, history } }: { status: KeeperStatus }) {
  const day = coveredFromMs === null ? undefined : formatUtcSeconds(coveredFromMs).slice(0, 10);
  const reach =
    day === undefined ? (
      'None yet'
    ) : (
      <>
        {coversAll ? 'All since' : 'Since'} {day}
        <Text span visibleFrom="sm">
          {' '}
          UTC
        </Text>
      </>
    );
  if (history === null) return <>{reach}</>;
  const { done, expected } = history;
  return (
    <Box pos="relative">
      {reach}
      <Text span visibleFrom="sm">
        ; {groupDigits(done)}
        {expected === null ? '' : ` of ${groupDigits(expected)}`}
      </Text>
      {/* Drawn over the edge of the row, which has the same height without it. */}
      {expected === null ? null : (
        <Progress
          aria-label="History synced"
          value={(done / Math.max(1, expected)) * 100}
          size={3}
          pos="absolute"
          inset="100% 0 auto"
        />
      )}
    </Box>
  );
}
