'use client';
import { Badge, Box, Group, Text } from '@mantine/core';
import { type ReactNode, useContext } from 'react';
import { Acknowledge, AcknowledgedBadge, AcknowledgedMark } from '@/components/alerts/acknowledge';
import { CopyButton } from '@/components/ui/copy-button';
import { type Column, DataTable } from '@/components/ui/data-table';
import { Link } from '@/components/ui/link';
import { useNetworkName } from '@/components/ui/networks';
import { Muted, MutedInline } from '@/components/ui/text';
import { useMomentColumn } from '@/components/ui/time-style';
import { targetKey } from '@/lib/alerts/acknowledge';
import { useAcknowledgements } from '@/lib/alerts/client/use-acknowledgements';
import { countOf, groupDigits } from '@/lib/core/numbers';
import { clipped, shortenHex } from '@/lib/core/text';
import type { Verdict } from '@/lib/pending/pending-response';
import { incidentRowsPath } from '@/lib/pending/request-links';
import {
  groupMeaning,
  groupTitle,
  nextAction,
  nextOfSingles,
  RULE_TITLES,
} from '@/lib/pending/rules/rule-texts';
import { linkOfKey } from '@/lib/requests/request-address';
import { defaultRequestsView } from '@/lib/requests/view';
import { formatRequestsUrl } from '@/lib/requests/view-url';
import classes from './cases.module.css';
import { Opener } from './opener';
import pending from './pending.module.css';
import { Age, caseDetails, type PendingCase, SeveralKeepers } from './pending-context';
import { SeverityMark } from './severity';

/** `isNarrow`: beside an open panel, with fewer columns. */
type Props = {
  label: string;
  isNarrow: boolean;
  cases: readonly PendingCase[];
  open: PendingCase | undefined;
  onToggle: (row: PendingCase) => void;
};

export function CaseTable({ label, isNarrow, cases, open, onToggle }: Props) {
  const hasSeveralKeepers = useContext(SeveralKeepers);
  const moments = useMomentColumn();
  const columns: Column<PendingCase>[] = [
    {
      name: 'Severity',
      kind: 'icon',
      cell: (row) => <SeverityMark severity={caseDetails(row)?.severity ?? 'warning'} />,
    },
    {
      name: 'Network',
      kind: 'head',
      cell: (row) => (
        <Opener id={row.id} name={row.name} isOpen={row.id === open?.id} onToggle={() => onToggle(row)}>
          <Where row={row} />
        </Opener>
      ),
    },
    ...(hasSeveralKeepers
      ? [
          {
            id: 'keeper',
            name: 'Keeper',
            isWide: 'md',
            cell: (row: PendingCase) => keeperOf(row) ?? <MutedInline>—</MutedInline>,
          } as const,
        ]
      : []),
    { name: 'Verdict', kind: 'rest', cell: (row) => <CaseTitle row={row} /> },
    {
      id: 'affected',
      name: 'Affected',
      cell: (row) => (
        <>
          <Affected row={row} />
          <RequestLinks row={row} />
        </>
      ),
    },
    {
      name: 'Pending',
      kind: 'figure',
      cell: (row) => groupDigits(sizeOf(row)),
      mark: ({ kind, ...rest }) =>
        kind === 'request' && 'single' in rest && rest.single !== undefined
          ? { title: `Sequence ${clipped(rest.single.sequence, 40)}` }
          : {},
    },
    {
      name: moments.header('Since'),
      isWide: true,
      cell: (row) => moments.text(caseDetails(row)?.sinceMs ?? 0),
    },
    { name: 'Age', cell: (row) => <OldestAge row={row} /> },
    { id: 'action', name: 'Action', cell: (row) => <Action row={row} /> },
  ];
  return (
    <DataTable
      label={label}
      className={`${pending.stacked} ${classes.cases}`}
      columns={isNarrow ? columns.filter(({ id }) => id === undefined || !BESIDE_PANEL.has(id)) : columns}
      rows={cases}
      onRow={onToggle}
      rowProps={(row) => ({
        key: row.id,
        [DATA_NAMES[row.kind]]: row.id,
        'data-rule': caseDetails(row)?.rule,
        'data-severity': caseDetails(row)?.severity,
        'data-network': row.kind === 'group' ? undefined : caseDetails(row)?.networkId,
      })}
    />
  );
}

/** The open panel shows the same. */
const BESIDE_PANEL: ReadonlySet<string> = new Set(['keeper', 'affected', 'action']);

const DATA_NAMES = { incident: 'data-incident', group: 'data-group', request: 'data-single' } as const;

function sizeOf(row: PendingCase): number {
  if (row.kind === 'incident') return row.incident.size;
  return row.kind === 'group' ? row.group.size : 1;
}

function keeperOf(row: PendingCase): string | undefined {
  return row.kind === 'group' ? undefined : caseDetails(row)?.keeper;
}

function titleOf(row: PendingCase): string {
  if (row.kind === 'group') return groupTitle(row.group);
  const item = caseDetails(row);
  const { cause } = chainOf(row) ?? {};
  return cause?.title ?? (item === undefined ? '' : RULE_TITLES[item.rule]);
}

/** Facts from the chain about an incident, or a request that is listed by itself. */
function chainOf(row: PendingCase) {
  if (row.kind === 'group') return undefined;
  return row.kind === 'incident' ? row.incident.chain : row.single?.chain;
}

function Where({ row }: { row: PendingCase }) {
  const nameOf = useNetworkName();
  const name = (id: string) => clipped(nameOf(id), 60);
  if (row.kind !== 'group') return <bdi>{name(caseDetails(row)?.networkId ?? '')}</bdi>;
  const { networks, networkIds } = row.group;
  const [first = ''] = networkIds;
  return (
    <span title={networkIds.map(name).join(', ')}>
      <bdi>{name(first)}</bdi>
      {networks > 1 ? <MutedInline> and {networks - 1} more</MutedInline> : null}
    </span>
  );
}

type VerdictTextProps = {
  title: string;
  badges?: ReactNode;
  headline: string | undefined;
  next: string | undefined;
};

/** Title, the sentence of the verdict, and the next step. Each sentence takes the lines that it needs. */
export function VerdictText({ title, badges, headline, next }: VerdictTextProps) {
  return (
    <>
      <Text size="md">
        <strong>{title}</strong> {badges}
      </Text>
      {headline === undefined ? null : (
        <Text title={headline}>
          <bdi>{headline}</bdi>
        </Text>
      )}
      {next === undefined ? null : (
        <Muted title={next}>
          <strong>Next:</strong> <bdi>{next}</bdi>
        </Muted>
      )}
    </>
  );
}

function CaseTitle({ row }: { row: PendingCase }) {
  const lead = row.kind === 'incident' ? row.incident.verdicts[0] : undefined;
  const cause = chainOf(row)?.cause;
  const headline = cause === undefined ? headlineOf(row) : clipped(cause.headline, 400);
  const next = cause === undefined ? nextOf(row) : clipped(cause.next, 400);
  return (
    <VerdictText
      title={titleOf(row)}
      badges={
        <>
          {cause !== undefined ? (
            <Badge size="sm" miw="max-content">
              On-chain
            </Badge>
          ) : lead?.basis === 'estimate' ? (
            <Estimate verdict={lead} />
          ) : null}{' '}
          <Mark row={row} />
        </>
      }
      headline={headline}
      next={next}
    />
  );
}

/** A sentence without a full stop; undefined if the title suffices. */
function headlineOf(row: PendingCase): string | undefined {
  if (row.kind === 'incident') return row.incident.verdicts[0]?.headline;
  return row.kind === 'group' ? groupMeaning(row.group) : undefined;
}

/** Next step according to the log. */
function nextOf(row: PendingCase): string {
  const isOpen = chainOf(row)?.isOpen;
  if (row.kind === 'incident') return nextAction(row.incident.verdicts[0], row.incident.verdicts, isOpen);
  const single = row.kind === 'group' ? row.group : row.single;
  return single === undefined ? nextAction(undefined, []) : nextOfSingles(single, isOpen);
}

function Estimate({ verdict: { missing } }: { verdict: Verdict }) {
  return (
    <Badge size="sm" title={missing === undefined ? 'Estimate' : `Estimate. Unknown: ${missing}`}>
      Estimate
    </Badge>
  );
}

/** Mark of a case; of a group, the number of its acknowledged requests. */
function Mark({ row }: { row: PendingCase }) {
  if (row.kind !== 'group') return <AcknowledgedMark target={row.target} />;
  const { size, acknowledged } = row.group;
  if (acknowledged === 0) return null;
  return (
    <AcknowledgedBadge text={acknowledged < size ? `${groupDigits(acknowledged)} acknowledged` : undefined} />
  );
}

function Affected({ row }: { row: PendingCase }) {
  if (row.owner === undefined) {
    const senders =
      row.kind === 'incident' ? row.incident.senders : row.kind === 'group' ? row.group.senders : 0;
    return <MutedInline>{senders === 0 ? '' : countOf(senders, 'sender')}</MutedInline>;
  }
  const { label, value } = row.owner;
  if (label === 'Sequences') return <bdi title={`${label} ${value}`}>{value.split(',')[0]}</bdi>;
  return <Owner label={label} value={value} />;
}

/** Leads to all requests of the sender, of the provider or in the transaction. */
export function Owner({ label, value }: { label: string; value: string }) {
  const rows = formatRequestsUrl({ ...defaultRequestsView(), q: value });
  return (
    <Group gap={2} wrap="nowrap" display="inline-flex" className={classes.owner}>
      <Link href={rows} title={`${label} ${value}`} className="mono">
        {shortenHex(value)}
      </Link>
      <CopyButton value={value} label={`Copy ${label.toLowerCase()}`} />
    </Group>
  );
}

function RequestLinks({ row }: { row: PendingCase }) {
  if (row.kind === 'group') return null;
  const oldestKey = row.kind === 'incident' ? row.incident.oldestKey : row.id;
  const oldest = oldestKey === undefined ? undefined : linkOfKey(oldestKey);
  const others = sizeOf(row) - 1;
  if (oldest === undefined) return null;
  return (
    <Text size="sm" className="num">
      <Link href={oldest.href} title={others > 0 ? 'Oldest request' : undefined}>
        {clipped(oldest.label, 24)}
      </Link>
      {row.kind === 'incident' && others > 0 ? (
        <>
          {' '}
          <Link
            href={incidentRowsPath(row.incident)}
            aria-label={`+${groupDigits(others)} more requests, ${row.name}`}
          >
            +{groupDigits(others)} more
          </Link>
        </>
      ) : null}
    </Text>
  );
}

/** An acknowledged case has a mark instead, and Undo in its panel. */
function Action({ row }: { row: PendingCase }) {
  const acknowledged = useAcknowledgements();
  const isDone =
    row.kind === 'group'
      ? row.group.acknowledged >= row.group.size
      : acknowledged?.get(targetKey(row.target)) !== undefined;
  return (
    <Box miw="6rem">
      {isDone ? null : <Acknowledge targets={[row.target]} what={row.name} variant="light" />}
    </Box>
  );
}

/** Age of the oldest request, since which the case lasts. */
function OldestAge({ row }: { row: PendingCase }) {
  const sinceMs = caseDetails(row)?.sinceMs;
  return sinceMs === undefined ? null : <Age sinceMs={sinceMs} />;
}
