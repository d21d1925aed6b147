'use client';
import { Badge, Group, NativeSelect } from '@mantine/core';
import { parseAsString, useQueryStates } from 'nuqs';
import { useMemo } from 'react';
import { ByWhom } from '@/components/alerts/acknowledge';
import { type Column, DataTable } from '@/components/ui/data-table';
import { Link } from '@/components/ui/link';
import { useLive } from '@/components/ui/live-controls';
import { Section, Soft } from '@/components/ui/text';
import { useMomentColumn, useMomentWords } from '@/components/ui/time-style';
import { type History, lengthMs, type Week } from '@/lib/alerts/history';
import type { IncidentEvent } from '@/lib/core/incident-record';
import { unknownNetwork } from '@/lib/core/network';
import { countOf, groupDigits } from '@/lib/core/numbers';
import { shareText } from '@/lib/core/span-figures';
import { clipped, shortenHex } from '@/lib/core/text';
import { formatDuration, formatSpan } from '@/lib/core/time';
import { incidentPath, type RuleId, type Severity } from '@/lib/pending/answers';
import { RULE_TITLES } from '@/lib/pending/rules/verdict';
import { SeverityMark } from './diagnosis';
import classes from './pending.module.css';
import { HISTORY, PastPage } from './pending-context';

type Kept = History['incidents'][number];

type Props = { history: History; keepers: readonly string[] };

/** What was stuck in the last 90 days, for how long and why, and the figures of each week. */
export function HistoryScreen({ history, keepers }: Props) {
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
    { name: 'Verdict', cell: (one) => <Cause of={one} /> },
  ];
  return (
    <PastPage title={HISTORY} aside={<Filters keepers={keepers} networks={networks} />}>
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
    </PastPage>
  );
}

/** They stand in the address: the server chooses by them. */
function Filters({ keepers, networks }: Pick<Props, 'keepers'> & Pick<History, 'networks'>) {
  const live = useLive();
  const [chosen, show] = useQueryStates(
    { network: parseAsString.withDefault(''), keeper: parseAsString.withDefault('') },
    { history: 'push', shallow: false, scroll: false },
  );
  const names = networks.map(({ networkId, name }) => ({ value: networkId, label: clipped(name, 60) }));
  const filters = [
    { of: 'network', label: 'Network', data: [{ value: '', label: 'All networks' }, ...names] },
    { of: 'keeper', label: 'Keeper', data: [{ value: '', label: 'All keepers' }, ...keepers] },
  ] as const;
  return (
    <Group gap="xs">
      {filters.slice(0, keepers.length < 2 ? 1 : 2).map(({ of, label, data }) => (
        <NativeSelect
          key={of}
          label={label}
          disabled={!live}
          value={chosen[of]}
          onChange={(event) => void show({ [of]: event.currentTarget.value || null })}
          data={data}
        />
      ))}
    </Group>
  );
}

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** @param text undefined where there is none */
const weekFigure = (id: string, name: string, text: (week: Week) => string | undefined): Column<Week> => ({
  ...{ name, kind: 'figure', isWide: ['callbacks-ok', 'p95', 'longest'].includes(id) },
  cell: (week) => text(week) ?? '—',
  mark: () => ({ 'data-figure': id }),
});

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
  weekFigure('answered', 'Answered', ({ answered }) => (answered === null ? undefined : shareText(answered))),
  weekFigure('callbacks-ok', 'Callbacks OK', ({ callbacksOk }) =>
    callbacksOk === null ? undefined : shareText(callbacksOk),
  ),
  weekFigure('p95', 'p95', ({ p95Us: us }) => (us === null ? undefined : formatDuration(us / 1000))),
  weekFigure('incidents', 'Incidents', ({ incidents }) => groupDigits(incidents)),
  weekFigure('longest', 'Longest', ({ longestMs: ms }) => (ms === null ? undefined : formatSpan(ms))),
];

function Cause({ of: { id, rules, headline, severity, events } }: { of: Kept }) {
  const [cause, ...later] = rules;
  const owner = ownerOf(id);
  return (
    <div className={classes.wrapped}>
      <strong>{ruleTitle(cause)}</strong> <SeverityMark severity={severity as Severity} />
      <Soft>
        {headline}
        {owner === undefined ? null : (
          <>
            {'. '}
            {owner.label} <bdi className="mono">{shortenHex(owner.value)}</bdi>
          </>
        )}
      </Soft>
      {later.length === 0 ? null : <Soft>Later: {later.map(ruleTitle).join(', ')}</Soft>}
      <details>
        <summary>{countOf(events.length, 'event')}</summary>
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
  explained: 'Verdict',
  acknowledged: 'Acknowledged',
  undone: 'Acknowledgement undone',
  returned: 'Acknowledgement ended',
  closed: 'Closed',
};

function EventLine({ event }: { event: IncidentEvent }) {
  const moment = useMomentWords();
  const { atMs, kind, size, rule } = event;
  const pending = ['opened', 'grew', 'returned'].includes(kind) ? `: ${groupDigits(size)} pending` : '';
  return (
    <li data-event={kind}>
      <span className="num">{moment(atMs)}</span> {EVENT_WORDS[kind]}
      {kind === 'explained' ? ` ${ruleTitle(rule)}` : pending}
      <ByWhom {...event} />
    </li>
  );
}
