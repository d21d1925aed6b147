'use client';
import { Paper } from '@mantine/core';
import type { Route } from 'next';
import { useContext } from 'react';
import { type Column, DataTable } from '@/components/ui/data-table';
import { Icon } from '@/components/ui/icons';
import { Link } from '@/components/ui/link';
import { useNetworkName } from '@/components/ui/networks';
import { Muted, MutedInline, Section, SmallButton } from '@/components/ui/text';
import { useMomentColumn } from '@/components/ui/time-style';
import { clipped } from '@/lib/core/text';
import { ANOMALY_TITLES, anomalyLimit, anomalyText, withinLimits } from '@/lib/insights/anomaly';
import type { useProblems } from '@/lib/insights/client/use-problems';
import type { Problem } from '@/lib/insights/problem';
import type { Severity } from '@/lib/pending/pending-response';
import { Owner, VerdictText } from './case-table';
import cases from './cases.module.css';
import { Opener } from './opener';
import classes from './pending.module.css';
import { Age, NetworkText, SeveralKeepers } from './pending-context';
import { SeverityMark } from './severity';

export const SEVERITY_OF: Record<Problem['level'], Severity> = {
  bad: 'critical',
  warning: 'warning',
  notice: 'notice',
};

export type DegradedNetwork = Problem & { unusual: NonNullable<Problem['unusual']> };

/** Problems of the overview, with the same severities. */
export const findDegraded = (problems: readonly Problem[] = []): DegradedNetwork[] =>
  problems.filter((problem): problem is DegradedNetwork => problem.unusual !== undefined);

type Props = ReturnType<typeof useProblems> & {
  /** True beside an open panel, with fewer columns. */
  isNarrow: boolean;
  openId: string | undefined;
  onToggle: (problem: DegradedNetwork) => void;
};

export function Degraded({ answer, trouble, ...table }: Props) {
  const rows = findDegraded(answer?.problems);
  return (
    <Section title="Degraded networks" isRegion className={`${classes.degraded} ${cases.degraded}`}>
      {rows.length > 0 ? (
        <DegradedTable rows={rows} {...table} />
      ) : (
        <Paper withBorder radius="lg" px="sm" className={classes.none}>
          {trouble !== undefined ? (
            <Muted>Unknown. {trouble.title}.</Muted>
          ) : answer === undefined ? (
            <Muted>Comparing networks with their last 7 days…</Muted>
          ) : answer.compared === null ? (
            <Muted>Networks not compared at the moment.</Muted>
          ) : answer.compared.networks === 0 ? (
            <Muted>
              No network has enough requests in the last hour to be compared with its last 7 days.
            </Muted>
          ) : (
            <span>
              <Icon name="check" size={14} />{' '}
              <MutedInline title={LIMITS}>{withinLimits(answer.compared)}</MutedInline>
            </span>
          )}
        </Paper>
      )}
    </Section>
  );
}

const LIMITS = (['failing', 'callbacks-failing', 'slow'] as const).map(anomalyLimit).join('\n');

const ENDS_BY_ITSELF = 'Ends once the last hour is usual again, so it is not acknowledged';

type TableProps = Pick<Props, 'isNarrow' | 'openId' | 'onToggle'> & { rows: readonly DegradedNetwork[] };

function DegradedTable({ rows, isNarrow, openId, onToggle }: TableProps) {
  const hasSeveralKeepers = useContext(SeveralKeepers);
  const nameOf = useNetworkName();
  const moments = useMomentColumn();
  const columns: Column<DegradedNetwork>[] = [
    {
      name: 'Severity',
      kind: 'icon',
      cell: ({ level }) => <SeverityMark severity={SEVERITY_OF[level]} />,
    },
    {
      name: 'Network',
      kind: 'head',
      cell: (problem) => (
        <Opener
          id={problem.id}
          name={nameOfProblem(problem, nameOf)}
          isOpen={problem.id === openId}
          onToggle={() => onToggle(problem)}
        >
          <NetworkText networkId={problem.networks[0] ?? ''} />
        </Opener>
      ),
    },
    ...(hasSeveralKeepers && !isNarrow
      ? [
          {
            name: 'Keeper',
            isWide: 'md',
            cell: (problem: DegradedNetwork) => problem.unusual.keeper,
          } as const,
        ]
      : []),
    {
      name: 'Verdict',
      kind: 'rest',
      // The sender has a column.
      cell: ({ detail, next, unusual }) => (
        <VerdictText
          title={ANOMALY_TITLES[unusual.kind]}
          headline={`${anomalyText({ ...unusual, sender: null }).text}. ${detail}`}
          next={next}
        />
      ),
    },
    ...(isNarrow
      ? []
      : [
          {
            name: 'Affected',
            cell: ({ unusual: { sender } }: DegradedNetwork) =>
              sender === null ? null : (
                <>
                  <Owner label="Sender" value={clipped(sender, 80)} />
                  <Muted size="sm" visibleFrom="sm">
                    Nearly all failures
                  </Muted>
                </>
              ),
          },
        ]),
    {
      name: moments.header('Since'),
      isWide: true,
      cell: ({ sinceMs }) => (sinceMs === null ? <MutedInline>—</MutedInline> : moments.text(sinceMs)),
    },
    {
      name: 'Age',
      cell: ({ sinceMs }) => (sinceMs === null ? null : <Age sinceMs={sinceMs} />),
    },
    ...(isNarrow
      ? []
      : [
          {
            name: 'Action',
            cell: ({ href }: DegradedNetwork) => (
              <>
                <SmallButton component={Link} href={href as Route}>
                  View requests
                </SmallButton>
                <Muted size="sm" title={ENDS_BY_ITSELF}>
                  Ends by itself
                </Muted>
              </>
            ),
          },
        ]),
  ];
  return (
    <DataTable
      label="Degraded networks"
      className={`${classes.stacked} ${cases.cases} ${cases.withoutPending}`}
      columns={columns}
      rows={rows}
      onRow={onToggle}
      rowProps={({ id, level }) => ({
        key: id,
        'data-degraded': id,
        'data-level': level,
      })}
    />
  );
}

export const nameOfProblem = (
  { networks: [networkId = ''], text }: Problem,
  nameOf: (id: string) => string,
) => `${clipped(nameOf(networkId), 60)}: ${text}`;
