'use client';
import { Badge, Group, NativeSelect, Stack, Title } from '@mantine/core';
import type { Route } from 'next';
import { useRouter } from 'next/navigation';
import { useMemo } from 'react';
import { type Column, DataTable } from '@/components/ui/data-table';
import { Link } from '@/components/ui/link';
import { useLive } from '@/components/ui/live-controls';
import { Section, Soft } from '@/components/ui/text';
import { useMomentColumn, useMomentWords } from '@/components/ui/time-style';
import { type History, lengthMs, type Week } from '@/lib/alerts/history';
import type { IncidentEvent } from '@/lib/core/incident-record';
import { unknownNetwork } from '@/lib/core/network';
import { groupDigits } from '@/lib/core/numbers';
import { clipped, shortened } from '@/lib/core/text';
import { formatDuration, formatSpan } from '@/lib/core/time';
import { incidentPath, type RuleId } from '@/lib/pending/answers';
import { RULE_TITLES } from '@/lib/pending/rules/verdict';
import classes from './pending.module.css';

type Chosen = { network: string | undefined; keeper: string | undefined };
type Kept = History['incidents'][number];

type Props = { history: History; chosen: Chosen; keepers: readonly string[] };

/** What was stuck in the last 90 days, for how long and why, and the figures of each week. */
export function HistoryScreen({ history, chosen, keepers }: Props) {
  const { incidents, weeks, indexedFromMs, networks, nowMs, isWhole } = history;
  const names = useMemo(() => new Map(networks.map(({ networkId, name }) => [networkId, name])), [networks]);
  const nameOf = (id: string) => clipped(names.get(id) ?? unknownNetwork(id).name, 60);
  const moments = useMomentColumn();
  const columns: Column<Kept>[] = [
    { name: 'Network', kind: 'head', cell: ({ networkId }) => <bdi>{nameOf(networkId)}</bdi> },
    { name: 'Keeper', isWide: true, cell: ({ keeper }) => keeper },
    { name: moments.header('Opened'), isWide: true, cell: ({ openedMs }) => moments.text(openedMs) },
    {
      name: 'Duration',
      cell: (one) => (
        <>
          {formatSpan(lengthMs(one, nowMs))}{' '}
          {one.closedMs !== null ? null : <Link href={incidentPath(one.id)}>Open</Link>}
        </>
      ),
    },
    { name: 'Peak', kind: 'figure', isWide: true, cell: ({ peak }) => groupDigits(peak) },
    { name: 'Likely cause', cell: (one) => <Cause of={one} /> },
  ];
  return (
    <Stack gap="md" className={`page ${classes.screen}`}>
      <Group justify="space-between" align="end">
        <div>
          <Title order={1}>Incident history</Title>
          <Group gap="md">
            <Link href="/pending">Pending requests</Link>
            <Link href="/pending/alerts">Alerts sent</Link>
          </Group>
        </div>
        <Filters chosen={chosen} keepers={keepers} networks={networks} />
      </Group>
      <Section title="Weekly figures">
        <DataTable
          label="Figures of each week"
          columns={WEEK}
          rows={weeks}
          rowProps={({ fromMs }) => ({ key: dayOf(fromMs), 'data-week': dayOf(fromMs) })}
        />
        {indexedFromMs === null ? null : <Soft>Indexed since {dayOf(indexedFromMs)}.</Soft>}
      </Section>
      <Section title="Incidents, last 90 days">
        {incidents.length === 0 ? (
          <Soft>No incidents recorded.</Soft>
        ) : (
          <DataTable
            label="Incidents"
            className={classes.stacked}
            columns={keepers.length > 1 ? columns : columns.filter(({ name }) => name !== 'Keeper')}
            rows={incidents}
            rowProps={({ key, id, rules, closedMs }) => ({
              key,
              'data-incident': id,
              'data-rule': rules[0],
              'data-closed': closedMs === null ? 'no' : 'yes',
            })}
          />
        )}
        {isWhole ? null : <Soft>Older ones are not listed. Choose a network.</Soft>}
      </Section>
    </Stack>
  );
}

function Filters({ chosen, keepers, networks }: Omit<Props, 'history'> & Pick<History, 'networks'>) {
  const router = useRouter();
  const live = useLive();
  const show = (change: Partial<Chosen>) => {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries({ ...chosen, ...change })) if (value) query.set(name, value);
    router.push(`/pending/history?${query}` as Route, { scroll: false });
  };
  return (
    <Group gap="xs">
      <NativeSelect
        label="Network"
        disabled={!live}
        value={chosen.network ?? ''}
        onChange={(event) => show({ network: event.currentTarget.value })}
        data={[
          { value: '', label: 'All networks' },
          ...networks.map(({ networkId, name }) => ({ value: networkId, label: clipped(name, 60) })),
        ]}
      />
      {keepers.length < 2 ? null : (
        <NativeSelect
          label="Keeper"
          disabled={!live}
          value={chosen.keeper ?? ''}
          onChange={(event) => show({ keeper: event.currentTarget.value })}
          data={[{ value: '', label: 'All keepers' }, ...keepers]}
        />
      )}
    </Group>
  );
}

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

function weekFigure(
  id: string,
  name: string,
  text: (week: Week) => string | undefined,
  isWide = false,
): Column<Week> {
  return {
    name,
    kind: 'figure',
    isWide,
    cell: (week) => text(week) ?? '—',
    mark: () => ({ 'data-figure': id }),
  };
}

const WEEK: readonly Column<Week>[] = [
  {
    name: 'Week from (UTC)',
    kind: 'head',
    cell: ({ fromMs, isCovered }) => (
      <>
        {dayOf(fromMs)}{' '}
        {isCovered ? null : <Badge title="Some requests of this week are not indexed">Partial</Badge>}
      </>
    ),
  },
  weekFigure('requests', 'Requests', ({ requests }) => groupDigits(requests)),
  // Rounded down: one failure is not 100%.
  weekFigure('success-rate', 'Success rate', ({ successRate: share }) =>
    share === null ? undefined : `${(Math.floor(share * 1000) / 10).toFixed(1)}%`,
  ),
  weekFigure('p95', 'p95', ({ p95Us }) => (p95Us === null ? undefined : formatDuration(p95Us / 1000)), true),
  weekFigure('incidents', 'Incidents', ({ incidents }) => groupDigits(incidents)),
  weekFigure(
    'longest',
    'Longest',
    ({ longestMs }) => (longestMs === null ? undefined : formatSpan(longestMs)),
    true,
  ),
];

const SEVERITIES: Record<string, { label: string; color: string }> = {
  critical: { label: 'Critical', color: 'bad' },
  warning: { label: 'Warning', color: 'warn' },
};

function Cause({ of: { id, rules, headline, severity, events } }: { of: Kept }) {
  const [cause, ...later] = rules;
  const owner = ownerOf(id);
  const grave = SEVERITIES[severity];
  return (
    <div className={classes.wrapped}>
      <strong>{ruleTitle(cause)}</strong>{' '}
      {grave === undefined ? null : <Badge color={grave.color}>{grave.label}</Badge>}
      <Soft>
        {headline}
        {owner === undefined ? null : (
          <>
            {'. '}
            {owner.label} <bdi className="mono">{shortened(owner.value)}</bdi>
          </>
        )}
      </Soft>
      {later.length === 0 ? null : <Soft>Later: {later.map(ruleTitle).join(', ')}</Soft>}
      <details>
        <summary>
          {events.length} {events.length === 1 ? 'event' : 'events'}
        </summary>
        <ol className={classes.bullets}>
          {events.map((event) => (
            <EventLine key={`${event.atMs} ${event.kind} ${event.rule}`} event={event} />
          ))}
        </ol>
      </details>
    </div>
  );
}

function ruleTitle(rule: string | null | undefined): string {
  return RULE_TITLES[rule as RuleId] ?? String(rule);
}

/** The sender or the transaction that an incident is about, as its id has it. */
function ownerOf(id: string): { label: string; value: string } | undefined {
  const [, , kind, value] = id.split('/');
  if (value === undefined || (kind !== 'sender' && kind !== 'transaction')) return undefined;
  return { label: kind === 'sender' ? 'Sender' : 'Transaction', value: decodeURIComponent(value) };
}

const EVENT_WORDS: Record<IncidentEvent['kind'], string> = {
  opened: 'Opened',
  grew: 'Grew',
  explained: 'Likely cause',
  acknowledged: 'Acknowledged',
  undone: 'Acknowledgement undone',
  returned: 'Acknowledgement ended',
  closed: 'Closed',
};

function EventLine({ event }: { event: IncidentEvent }) {
  const moment = useMomentWords();
  const { atMs, kind, size, rule, by, note, untilMs } = event;
  const pending = ['opened', 'grew', 'returned'].includes(kind) ? `: ${groupDigits(size)} pending` : '';
  return (
    <li data-event={kind}>
      <span className="num">{moment(atMs)}</span> {EVENT_WORDS[kind]}
      {kind === 'explained' ? ` ${ruleTitle(rule)}` : pending}
      {by === null ? null : (
        <>
          {' by '}
          <bdi>{clipped(by, 80)}</bdi>
        </>
      )}
      {untilMs === null ? null : `, until ${moment(untilMs)}`}
      {note === null || note === '' ? null : (
        <>
          {': '}
          <q className="foreign">{clipped(note, 500)}</q>
        </>
      )}
    </li>
  );
}
