'use client';
import { Badge, Group, NativeSelect, Paper, Text } from '@mantine/core';
import { parseAsString, useQueryStates } from 'nuqs';
import { type ReactNode, useMemo } from 'react';
import { EventAuthor } from '@/components/alerts/acknowledge';
import { type Column, DataTable } from '@/components/ui/data-table';
import { Link } from '@/components/ui/link';
import { useLive } from '@/components/ui/live-controls';
import { Muted, MutedInline, Section } from '@/components/ui/text';
import { useMomentColumn, useMomentWords, useSteadyWords } from '@/components/ui/time-style';
import {
  beganMs,
  type Day,
  type History,
  type HistoryRow,
  historyRows,
  lengthMs,
  type PastIncident,
  type Period,
  type Week,
} from '@/lib/alerts/history';
import type { IncidentEvent } from '@/lib/core/incident-record';
import { unknownNetwork } from '@/lib/core/network';
import { countOf, groupDigits } from '@/lib/core/numbers';
import { shareText } from '@/lib/core/span-figures';
import { clipped, shortenHex } from '@/lib/core/text';
import { formatDuration, formatIsoMillis, formatSpan } from '@/lib/core/time';
import { incidentPath, type RuleId, type Severity } from '@/lib/pending/pending-response';
import { RULE_TITLES } from '@/lib/pending/rules/verdict';
import { defaultRequestsView, formatRequestsUrl } from '@/lib/requests/view';
import { IncidentTimeline } from './incident-timeline';
import classes from './pending.module.css';
import { PendingPage } from './pending-context';
import { SeverityMark } from './severity';

type Props = { history: History; keepers: readonly string[] };

/** History: a bar for each recorded day, incidents by the period in which anything was stuck, weekly figures. */
export function HistoryScreen({ history, keepers }: Props) {
  const { incidents, weeks, indexedFromMs, recordedFromMs, networks, nowMs, isWhole } = history;
  const names = useMemo(() => new Map(networks.map(({ networkId, name }) => [networkId, name])), [networks]);
  const nameOf = (id: string) => clipped(names.get(id) ?? unknownNetwork(id).name, 60);
  const moment = useSteadyWords();
  return (
    <PendingPage title="History" aside={<Filters keepers={keepers} networks={networks} />}>
      <Totals history={history} />
      <div className={classes.charts}>
        <DayStrip history={history} nameOf={nameOf} />
        <IncidentTimeline
          history={history}
          nameOf={nameOf}
          titleOf={({ rules, chain }) => chain?.cause?.title ?? ruleTitle(rules[0])}
          rowsOf={requestsOf}
        />
      </div>
      <Section title="Incidents" isRegion>
        {incidents.length === 0 ? (
          <Muted>Nothing was stuck while the dashboard ran.</Muted>
        ) : (
          <IncidentTable history={history} nameOf={nameOf} keepers={keepers} />
        )}
        {isWhole ? null : <Muted>Older ones are not listed. Choose a network.</Muted>}
      </Section>
      <Section title="Weekly figures">
        <DataTable
          label="Figures of each week"
          columns={WEEK}
          rows={weeks}
          rowProps={({ fromMs }) => ({ key: dayOf(fromMs), 'data-week': dayOf(fromMs) })}
        />
        <Muted size="sm">
          {indexedFromMs === null ? '' : `Indexed since ${dayOf(indexedFromMs)}. `}
          {recordedFromMs === null ? '' : `Incidents recorded since ${dayOf(recordedFromMs)}. `}
          Updated {moment(nowMs)}.
        </Muted>
      </Section>
    </PendingPage>
  );
}

type NameOf = (networkId: string) => string;

/** `Base`, `Base and Blast`, `Base, Blast and 3 more`. */
function networkNames(ids: readonly string[], nameOf: NameOf): string {
  const [first = '', second, ...others] = ids;
  if (second === undefined) return nameOf(first);
  return others.length === 0
    ? `${nameOf(first)} and ${nameOf(second)}`
    : `${nameOf(first)}, ${nameOf(second)} and ${others.length} more`;
}

/** Link to the log table with the requests of these networks in a time range. @param toMs null: until now */
function rowsPath(fromMs: number, toMs: number | null, networks: readonly string[], keepers: string[] = []) {
  const to = toMs === null ? {} : { to: formatIsoMillis(toMs) };
  const time = { kind: 'between', from: formatIsoMillis(fromMs), ...to } as const;
  return formatRequestsUrl({ ...defaultRequestsView(), networks: [...networks], keepers, time });
}

/** Link to the requests of an incident. */
const requestsOf = (incident: PastIncident) =>
  rowsPath(beganMs(incident), incident.closedMs, [incident.networkId], [incident.keeper]);

/** Parts of a bar, named by colour; the legend has those that are on screen. */
const LEGEND = [
  { state: 'calm', label: 'Nothing stuck' },
  { state: 'notice', label: 'Notice' },
  { state: 'warning', label: 'Warning' },
  { state: 'critical', label: 'Critical' },
  { state: 'unknown', label: 'Not recorded' },
] as const;

/** Figures of the recorded time. */
function Totals({ history: { periods, incidents, recordedFromMs, nowMs } }: { history: History }) {
  const moment = useSteadyWords();
  const lengths = periods.map(({ fromMs, toMs }) => (toMs ?? nowMs) - fromMs);
  const total = lengths.reduce((sum, ms) => sum + ms, 0);
  const open = incidents.filter(({ closedMs }) => closedMs === null).length;
  return (
    <Paper withBorder px="md" py="sm" component="dl" className={classes.totals}>
      <Figure name="Incidents">{groupDigits(incidents.length)}</Figure>
      <Figure name="Ongoing">{groupDigits(open)}</Figure>
      <Figure name="Stuck time">{total === 0 ? '—' : formatSpan(total)}</Figure>
      <Figure name="Longest">{total === 0 ? '—' : formatSpan(Math.max(...lengths))}</Figure>
      <Figure name="Recorded since">{recordedFromMs === null ? 'not yet' : moment(recordedFromMs)}</Figure>
    </Paper>
  );
}

/** Days up to which the strip leaves its room to the timeline. */
const MAX_FEW_DAYS = 7;

type StripProps = { history: History; nameOf: NameOf };

/** Bars of days: height is the share of the day with stuck requests; each links to the requests of the day. */
function DayStrip({ history: { days }, nameOf }: StripProps) {
  const present = new Set(
    days.flatMap(({ severity, incidents: count, calmMs, unknownMs }) => [
      count > 0 && severity,
      calmMs > 0 && 'calm',
      unknownMs > 0 && 'unknown',
    ]),
  );
  const legend = LEGEND.filter(({ state }) => present.has(state));
  return (
    <Section
      title="Share of each day stuck, UTC"
      isRegion
      className={classes.strip}
      data-few={days.length <= MAX_FEW_DAYS ? '' : undefined}
    >
      <Paper withBorder radius="lg" p="md" flex={1}>
        <div className={classes.chart}>
          <div className={classes.axis} aria-hidden="true">
            <span>100%</span>
            <span>50%</span>
            <span>0%</span>
          </div>
          <ol className={classes.days} aria-label="Days, oldest first">
            {days.map((day, at) => (
              <DayBar key={day.fromMs} day={day} nameOf={nameOf} at={at} of={days.length} />
            ))}
          </ol>
        </div>
        <Group component="ul" gap="4px var(--ks-gap-md)" className={classes.legend} aria-label="Legend">
          {legend.map(({ label, state }) => (
            <Muted component="li" key={label} size="sm">
              <i data-part={state} aria-hidden="true" /> {label}
            </Muted>
          ))}
        </Group>
      </Paper>
    </Section>
  );
}

function Figure({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <Muted component="dt" size="sm">
        {name}
      </Muted>
      <Text component="dd" size="lg" fw={650} className="num">
        {children}
      </Text>
    </div>
  );
}

/** From the bottom: the shares of the day with stuck requests, without any, and not recorded; hours to come are empty. */
function DayBar({ day, nameOf, at, of }: { day: Day; nameOf: NameOf; at: number; of: number }) {
  const { fromMs, stuckMs, calmMs, unknownMs, incidents, severity, networkIds } = day;
  const state = incidents > 0 ? 'stuck' : calmMs > 0 ? 'calm' : 'unknown';
  const found = `stuck for ${formatSpan(stuckMs)}, ${countOf(incidents, 'incident')}, ${networkNames(networkIds, nameOf)}`;
  const unknown = state === 'unknown' ? 'not recorded' : `not recorded for ${formatSpan(unknownMs)}`;
  const texts = [
    state === 'stuck' && found,
    state === 'calm' && 'nothing stuck',
    unknownMs > 0 && unknown,
  ].filter(Boolean);
  const isToday = at === of - 1;
  const words = `${dayOf(fromMs)}${isToday ? ' (so far)' : ''}: ${texts.join('; ')}`;
  return (
    <li title={words} data-day={state}>
      <div>
        {incidents === 0 ? null : (
          <i className={classes.bar} data-part={severity} style={shareOfDay(stuckMs)} />
        )}
        {calmMs > 0 ? <i data-part="calm" style={shareOfDay(calmMs)} /> : null}
        {unknownMs > 0 ? <i data-part="unknown" style={shareOfDay(unknownMs)} /> : null}
      </div>
      <Tick fromMs={fromMs} at={at} of={of} />
      {incidents === 0 ? (
        <span className="sr-only">{words}</span>
      ) : (
        <Link href={rowsPath(fromMs, fromMs + DAY_MS, networkIds)} aria-label={words} />
      )}
    </li>
  );
}

const shareOfDay = (ms: number) => ({ height: `${(ms / DAY_MS) * 100}%` });

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
/** Up to this number of days each one is labelled. */
const MAX_LABELLED = 21;
/** Bars at either side of a longer label, which takes the room of theirs. */
const LABEL_BARS = { few: 1, many: 6 };

type TickProps = { fromMs: number; at: number; of: number };

/** Label below a bar: the month on its first day and at the start, today, and between them Mondays, or each day of few. */
function Tick({ fromMs, at, of }: TickProps) {
  const date = new Date(fromMs);
  const day = date.getUTCDate();
  const month = MONTHS[date.getUTCMonth()];
  const isFew = of <= MAX_LABELLED;
  const apart = isFew ? LABEL_BARS.few : LABEL_BARS.many;
  const left = of - 1 - at;
  if (left === 0) {
    return (
      <span className={classes.tick} data-at="end" aria-hidden="true">
        Today <MutedInline inherit>(so far)</MutedInline>
      </span>
    );
  }
  const isFirst = at === 0 || day === 1;
  const daysToFirst = (Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) - fromMs) / DAY_MS;
  const isFree = left > apart && at > apart && day > 3 && daysToFirst > 2;
  const isLabelled = isFirst ? left > apart : isFew ? left > apart : date.getUTCDay() === 1 && isFree;
  if (!isLabelled) return null;
  return (
    <span className={classes.tick} data-at={isFirst ? 'month' : undefined} aria-hidden="true">
      {isFirst ? `${month} ${day}` : day}
    </span>
  );
}

type PeriodProps = { period: Period; nowMs: number; nameOf: NameOf };

/** Head of a period: `28 Nov 23:44:15 – open`, its length, its networks, and its requests. */
function PeriodHead({ period: { fromMs, toMs, networkIds, incidents }, nowMs, nameOf }: PeriodProps) {
  const moment = useMomentWords();
  return (
    <Group gap="2px var(--ks-gap-md)">
      <strong>
        {moment(fromMs)} – {toMs === null ? 'open' : moment(toMs)}
      </strong>
      <span>
        {formatSpan(Math.max(0, (toMs ?? nowMs) - fromMs))} · {countOf(incidents.length, 'incident')} on{' '}
        <bdi>{networkNames(networkIds, nameOf)}</bdi>
      </span>
      <Link href={rowsPath(fromMs, toMs, networkIds)}>View requests</Link>
    </Group>
  );
}

type IncidentProps = { history: History; nameOf: NameOf; keepers: readonly string[] };

function IncidentTable({ history, nameOf, keepers }: IncidentProps) {
  const { nowMs } = history;
  const moments = useMomentColumn();
  const of = (
    column: Omit<Column<HistoryRow>, 'cell'> & { show: (one: PastIncident) => ReactNode },
  ): Column<HistoryRow> => {
    const { show, ...rest } = column;
    return { ...rest, cell: (row) => ('incident' in row ? show(row.incident) : null) };
  };
  const columns: Column<HistoryRow>[] = [
    of({
      name: 'Severity',
      kind: 'icon',
      show: ({ severity }) => <SeverityMark severity={severity as Severity} />,
    }),
    of({ name: 'Network', kind: 'head', show: ({ networkId }) => <bdi>{nameOf(networkId)}</bdi> }),
    of({ name: 'Keeper', isWide: 'md', show: ({ keeper }) => keeper }),
    of({ name: 'Verdict', kind: 'rest', show: (one) => <Cause incident={one} /> }),
    of({ name: 'Peak', kind: 'figure', isWide: true, show: ({ peak }) => groupDigits(peak) }),
    of({
      name: moments.header('Started'),
      show: (one) => moments.text(beganMs(one)),
    }),
    of({
      name: moments.header('Ended'),
      isWide: 'md',
      show: ({ id, closedMs }) =>
        closedMs === null ? (
          <Link href={incidentPath(id)}>
            <Badge color="warn">Ongoing</Badge>
          </Link>
        ) : (
          moments.text(closedMs)
        ),
    }),
    of({ name: 'Duration', kind: 'figure', show: (one) => formatSpan(lengthMs(one, nowMs)) }),
    of({
      name: 'Requests',
      show: (one) => <Link href={requestsOf(one)}>View requests</Link>,
    }),
  ];
  return (
    <DataTable
      label="Incidents"
      className={classes.stacked}
      columns={keepers.length > 1 ? columns : columns.filter(({ name }) => name !== 'Keeper')}
      rows={historyRows(history)}
      first={{ count: 50, noun: 'rows' }}
      whole={(row) =>
        'period' in row ? <PeriodHead period={row.period} nowMs={nowMs} nameOf={nameOf} /> : undefined
      }
      rowProps={(row) => {
        if ('period' in row) {
          const { fromMs, toMs } = row.period;
          return { key: `${fromMs}`, 'data-period': toMs === null ? 'open' : 'over' };
        }
        const { key, id, rules, closedMs } = row.incident;
        return {
          key,
          'data-incident': id,
          'data-rule': rules[0],
          'data-closed': closedMs === null ? 'no' : 'yes',
        };
      }}
    />
  );
}

const DAY_MS = 86_400_000;

/** Filters, kept in the URL and applied by the server. */
function Filters({ keepers, networks }: Pick<Props, 'keepers'> & Pick<History, 'networks'>) {
  const live = useLive();
  const [chosen, show] = useQueryStates(
    { network: parseAsString.withDefault(''), keeper: parseAsString.withDefault('') },
    { history: 'push', shallow: false, scroll: false },
  );
  const names = networks.map(({ networkId, name }) => ({ value: networkId, label: clipped(name, 60) }));
  const filters = [
    { param: 'network', label: 'Network', data: [{ value: '', label: 'All networks' }, ...names] },
    { param: 'keeper', label: 'Keeper', data: [{ value: '', label: 'All keepers' }, ...keepers] },
  ] as const;
  return (
    <Group gap="xs">
      {filters.slice(0, keepers.length < 2 ? 1 : 2).map(({ param, label, data }) => (
        <NativeSelect
          key={param}
          label={label}
          disabled={!live}
          value={chosen[param]}
          onChange={(event) => void show({ [param]: event.currentTarget.value || null })}
          data={data}
        />
      ))}
    </Group>
  );
}

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** @param text undefined where there is none */
const weekFigure = (id: string, name: string, text: (week: Week) => string | undefined): Column<Week> => ({
  name,
  kind: 'figure',
  isWide: ['callbacks-ok', 'p95', 'longest'].includes(id),
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
  weekFigure('incidents', 'Incidents', ({ incidents }) =>
    incidents === null ? undefined : groupDigits(incidents),
  ),
  weekFigure('longest', 'Longest', ({ longestMs: ms }) => (ms === null ? undefined : formatSpan(ms))),
];

/** Cause with its events to unfold. A cause found on the chain replaces that of the log. */
function Cause({ incident: { id, rules, headline, chain, events } }: { incident: PastIncident }) {
  const [rule, ...later] = rules;
  const { cause } = chain ?? {};
  const owner = ownerOf(id);
  const also = [cause === undefined ? undefined : rule, ...later].filter((one) => one !== undefined);
  return (
    <div className={classes.wrapped}>
      <details>
        <summary>
          <strong>{cause?.title ?? ruleTitle(rule)}</strong>{' '}
          {cause === undefined ? null : <Badge size="sm">On-chain</Badge>}{' '}
          <MutedInline>
            {owner === undefined ? null : (
              <>
                <bdi className="mono" title={`${owner.label} ${owner.value}`}>
                  {shortenHex(owner.value)}
                </bdi>
                {' · '}
              </>
            )}
            {countOf(events.length, 'event')}
          </MutedInline>
        </summary>
        <ol className={classes.bullets}>
          {events.map((event) => (
            <EventLine key={`${event.atMs} ${event.kind} ${event.rule}`} event={event} />
          ))}
        </ol>
      </details>
      <Muted size="sm">
        <bdi>{cause === undefined ? headline : clipped(cause.headline, 400)}</bdi>
        {also.length === 0
          ? null
          : `. ${cause === undefined ? 'Later' : 'By the log'}: ${also.map(ruleTitle).join(', ')}`}
      </Muted>
    </div>
  );
}

function ruleTitle(rule: string | null | undefined): string {
  return RULE_TITLES[rule as RuleId] ?? String(rule);
}

/** Sender or transaction of an incident, read from its id. */
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
  const count = ['opened', 'grew', 'returned'].includes(kind) ? `: ${groupDigits(size)} stuck` : '';
  return (
    <li data-event={kind}>
      <span className="num">{moment(atMs)}</span> {EVENT_WORDS[kind]}
      {kind === 'explained' ? ` ${ruleTitle(rule)}` : count}
      <EventAuthor {...event} />
    </li>
  );
}
