'use client';
import { Paper } from '@mantine/core';
import type { Route } from 'next';
import { useContext } from 'react';
import { type Column, DataTable } from '@/components/ui/data-table';
import { Icon } from '@/components/ui/icons';
import { Link } from '@/components/ui/link';
import { Muted, MutedInline, Section } from '@/components/ui/text';
import { useMomentColumn } from '@/components/ui/time-style';
import type { useProblems } from '@/lib/insights/client';
import type { Problem } from '@/lib/insights/problem';
import type { Severity } from '@/lib/pending/pending-response';
import { SeverityMark } from './diagnosis';
import classes from './pending.module.css';
import { Age, NetworkName, SeveralKeepers } from './pending-context';

const SEVERITY_OF: Record<Problem['level'], Severity> = {
  bad: 'critical',
  warning: 'warning',
  notice: 'notice',
};

/** Networks on which more fails, or takes longer, than usual: the problems of the overview, as severe as there. */
export const degradedOf = (problems: readonly Problem[] = []) =>
  problems.filter(({ kind, networks }) => kind === 'network' && networks.length > 0);

type Props = ReturnType<typeof useProblems> & { isNarrow: boolean };

/** Degraded networks, each with its next step and a link to the rows that show it; one line where there are none. */
export function Degraded({ answer, trouble, isNarrow }: Props) {
  const rows = degradedOf(answer?.problems);
  return (
    <Section title="Degraded networks" isRegion className={classes.degraded}>
      {rows.length > 0 ? (
        <DegradedTable rows={rows} isNarrow={isNarrow} />
      ) : (
        <Paper withBorder radius="lg" px="sm" className={classes.none}>
          {trouble !== undefined ? (
            <Muted>Unknown. {trouble.title}.</Muted>
          ) : answer === undefined ? (
            <Muted>Comparing networks with their last 7 days…</Muted>
          ) : (
            <span>
              <Icon name="check" size={14} />{' '}
              <MutedInline>On no network more fails, or takes longer, than in its last 7 days.</MutedInline>
            </span>
          )}
        </Paper>
      )}
    </Section>
  );
}

function DegradedTable({ rows, isNarrow }: { rows: readonly Problem[]; isNarrow: boolean }) {
  const hasSeveralKeepers = useContext(SeveralKeepers);
  const moments = useMomentColumn();
  const columns: Column<Problem>[] = [
    {
      name: 'Severity',
      kind: 'icon',
      cell: ({ level }) => <SeverityMark severity={SEVERITY_OF[level]} />,
    },
    {
      name: 'Network',
      kind: 'head',
      cell: ({ networks: [networkId = ''], href }) => (
        <Link href={href as Route} className={classes.place}>
          <NetworkName networkId={networkId} />
        </Link>
      ),
    },
    ...(hasSeveralKeepers && !isNarrow
      ? [{ name: 'Keeper', isWide: 'md', cell: ({ id }: Problem) => id.split('/')[1] } as const]
      : []),
    {
      name: 'Verdict',
      kind: 'rest',
      cell: ({ text, detail, next }) => (
        <div className={classes.verdict}>
          <div>
            <strong>{text}</strong> <MutedInline>{detail}</MutedInline>
          </div>
          {next === undefined ? null : <Muted size="sm">Next: {next}</Muted>}
        </div>
      ),
    },
    {
      name: 'Requests',
      isWide: true,
      cell: ({ href }) => <Link href={href as Route}>View requests</Link>,
    },
    {
      name: moments.header('Since'),
      isWide: true,
      cell: ({ sinceMs }) => (sinceMs === null ? <MutedInline>—</MutedInline> : moments.text(sinceMs)),
    },
    {
      name: 'Age',
      isWide: true,
      cell: ({ sinceMs }) => (sinceMs === null ? null : <Age sinceMs={sinceMs} />),
    },
  ];
  return (
    <DataTable
      label="Degraded networks"
      className={classes.stacked}
      columns={isNarrow ? columns.filter(({ name }) => name !== 'Age') : columns}
      rows={rows}
      rowProps={({ id, level }) => ({
        key: id,
        'data-degraded': id,
        'data-level': level,
      })}
    />
  );
}
