import { Badge, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { EventAuthor } from '@/components/alerts/acknowledge';
import { type Column, DataTable } from '@/components/ui/data-table';
import { Link } from '@/components/ui/link';
import { Muted, MutedInline } from '@/components/ui/text';
import { useMomentColumn, useMomentWords, useSteadyWords } from '@/components/ui/time-style';
import {
  beganMs,
  type HistoryCounts,
  type HistoryRow,
  historyRows,
  type IncidentHistory,
  incidentSegments,
  isBackdated,
  isStartKnown,
  leftText,
  type PastIncident,
  type Period,
  timeToAcknowledgeMs,
} from '@/lib/alerts/history';
import { type IncidentEvent, isFromLog } from '@/lib/core/incident-record';
import { countOf } from '@/lib/core/numbers';
import { clipped, shortenHex } from '@/lib/core/text';
import { formatSpan } from '@/lib/core/time';
import type { Severity } from '@/lib/pending/pending-response';
import {
  countsText,
  incidentLengthText,
  incidentRequestsPath,
  type NameOf,
  networkNames,
  openPath,
  ruleTitle,
  sizeText,
  spanRowsPath,
  startText,
} from './incident-words';
import classes from './pending.module.css';
import { SeverityMark } from './severity';

type PeriodProps = { period: Period; counts: HistoryCounts; nowMs: number; nameOf: NameOf };

/** `28 Nov 23:44:15 – open`. */
function PeriodHead({ period: { fromMs, toMs, networkIds }, counts, nowMs, nameOf }: PeriodProps) {
  const moment = useMomentWords();
  return (
    <Group gap="2px var(--ks-gap-md)">
      <strong>
        {moment(fromMs)} – {toMs === null ? 'open' : moment(toMs)}
      </strong>
      <span>
        {formatSpan(Math.max(0, (toMs ?? nowMs) - fromMs))} · {countsText(counts)} on{' '}
        <bdi>{networkNames(networkIds, nameOf)}</bdi>
      </span>
      <Link href={spanRowsPath({ fromMs, toMs }, networkIds)}>View all requests</Link>
    </Group>
  );
}

type IncidentProps = { history: IncidentHistory; nameOf: NameOf; keepers: readonly string[] };

export function IncidentTable({ history, nameOf, keepers }: IncidentProps) {
  const { nowMs } = history;
  const moments = useMomentColumn();
  const timeColumn = (
    column: Omit<Column<HistoryRow>, 'cell'> & { show: (incident: PastIncident) => ReactNode },
  ): Column<HistoryRow> => {
    const { show, ...rest } = column;
    return { ...rest, cell: (row) => ('incident' in row ? show(row.incident) : null) };
  };
  const columns: Column<HistoryRow>[] = [
    timeColumn({
      name: 'Severity',
      kind: 'icon',
      show: ({ severity }) => <SeverityMark severity={severity as Severity} />,
    }),
    timeColumn({ name: 'Network', kind: 'head', show: ({ networkId }) => <bdi>{nameOf(networkId)}</bdi> }),
    timeColumn({ name: 'Keeper', isWide: 'md', show: ({ keeper }) => keeper }),
    timeColumn({
      name: 'Verdict',
      kind: 'rest',
      show: (incident) =>
        isFromLog(incident) ? <Reconstructed incident={incident} /> : <Cause incident={incident} />,
    }),
    timeColumn({
      name: 'Peak',
      kind: 'figure',
      show: (incident) => (
        <Link
          href={incidentRequestsPath(incident)}
          aria-label={`${sizeText(incident, incident.peak)} at the peak, view requests`}
          title="View requests"
        >
          {sizeText(incident, incident.peak)}
        </Link>
      ),
    }),
    timeColumn({
      name: moments.header('Started'),
      show: (incident) => (
        <>
          {startText(incident, moments.text)}
          {isBackdated(incidentSegments(incident, history.unrecorded, nowMs)) ? (
            <Muted
              size="sm"
              data-backdated=""
              title={
                isFromLog(incident)
                  ? 'Reconstructed from times of its requests: not recorded as it happened'
                  : 'It began while nothing was recorded'
              }
            >
              From the log
            </Muted>
          ) : null}
        </>
      ),
    }),
    timeColumn({
      name: moments.header('Ended'),
      isWide: 'md',
      show: (incident) =>
        incident.closedMs === null ? (
          <Link href={openPath(incident)}>
            <Badge color="warn">Ongoing</Badge>
          </Link>
        ) : (
          moments.text(incident.closedMs)
        ),
    }),
    timeColumn({ name: 'Duration', kind: 'figure', show: (incident) => incidentLengthText(incident, nowMs) }),
  ];
  return (
    <DataTable
      label="Incidents and degraded networks"
      className={`${classes.stacked} ${classes.past}`}
      columns={keepers.length > 1 ? columns : columns.filter(({ name }) => name !== 'Keeper')}
      rows={historyRows(history)}
      first={{ count: 50, noun: 'rows' }}
      whole={(row) =>
        'period' in row ? (
          <PeriodHead period={row.period} counts={row.counts} nowMs={nowMs} nameOf={nameOf} />
        ) : undefined
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

/** Nothing but times of requests is known. */
function Reconstructed({ incident: { rules, headline } }: { incident: PastIncident }) {
  return (
    <div className={classes.wrapped}>
      <strong>{ruleTitle(rules[0])}</strong>
      <Muted size="sm">{headline}. Cause not recorded.</Muted>
    </div>
  );
}

/** A cause that the chain names replaces the verdict of the log, which is then among the events. */
function Cause({ incident }: { incident: PastIncident }) {
  const { id, rules, headline, chain, events, openedMs } = incident;
  const [rule, ...later] = rules;
  const { cause } = chain ?? {};
  const owner = ownerOf(id);
  const waitedMs = timeToAcknowledgeMs(incident);
  const moment = useSteadyWords();
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
            <EventLine key={`${event.atMs} ${event.kind} ${event.rule}`} event={event} incident={incident} />
          ))}
          {cause === undefined ? null : <li>Verdict of the log: {rules.map(ruleTitle).join(', ')}</li>}
        </ol>
      </details>
      <Muted size="sm">
        {/* The record has the headline of its opening, with figures of then. */}
        {cause === undefined && headline !== '' ? `${moment(openedMs)}: ` : null}
        <bdi>{cause === undefined ? headline : clipped(cause.headline, 400)}</bdi>
        {cause === undefined && later.length > 0 ? `. Later: ${later.map(ruleTitle).join(', ')}` : null}
      </Muted>
      <Muted size="sm" className="num" data-times="">
        {[
          isStartKnown(incident) && `Noticed after ${formatSpan(openedMs - beganMs(incident))}`,
          waitedMs !== undefined && `Acknowledged after ${formatSpan(waitedMs)}`,
        ]
          .filter(Boolean)
          .join(' · ')}
      </Muted>
    </div>
  );
}

/** The owner that the id contains. */
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

function EventLine({ event, incident }: { event: IncidentEvent; incident: PastIncident }) {
  const moment = useMomentWords();
  const { atMs, kind, size, rule } = event;
  const hasSize = ['opened', 'grew', 'returned'].includes(kind);
  const left = kind === 'closed' ? leftText(event) : '';
  const count = hasSize ? `: ${sizeText(incident, size)}` : left;
  return (
    <li data-event={kind}>
      <span className="num">{moment(atMs)}</span> {EVENT_WORDS[kind]}
      {kind === 'explained' ? ` ${ruleTitle(rule)}` : count}
      <EventAuthor {...event} />
    </li>
  );
}
