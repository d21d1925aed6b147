'use client';
import { Text } from '@mantine/core';
import { type ReactNode, useContext } from 'react';
import { type Column, DataTable } from '@/components/ui/data-table';
import { Icon } from '@/components/ui/icons';
import { Link } from '@/components/ui/link';
import { MutedInline } from '@/components/ui/text';
import { useSteadyWords } from '@/components/ui/time-style';
import { countOf, groupDigits } from '@/lib/core/numbers';
import { answeredOf, finishedOf } from '@/lib/core/span-figures';
import { clipped } from '@/lib/core/text';
import { formatDuration } from '@/lib/core/time';
import type { Anomaly } from '@/lib/insights/insights-response';
import { networkProblemId, type Problem } from '@/lib/insights/problem';
import type { Incident, NetworkActivity } from '@/lib/pending/pending-response';
import { useRevision } from '@/lib/requests/client/revision-stream';
import { STALE_AFTER_MS } from '@/lib/requests/keeper-status';
import { defaultRequestsView } from '@/lib/requests/view';
import { formatRequestsUrl } from '@/lib/requests/view-url';
import classes from './pending.module.css';
import { Age, MomentLabel, NetworkText, SeveralKeepers } from './pending-context';

type Props = {
  rows: readonly NetworkActivity[];
  incidents: readonly Incident[];
  degraded: readonly Problem[];
  isNarrow: boolean;
};

type ColumnId =
  | 'network'
  | 'keeper'
  | 'last-request'
  | 'interval'
  | 'pending'
  | 'stuck'
  | 'unanswered'
  | 'callbacks-failed'
  | 'p50'
  | 'p95';
type ActivityColumn = Column<NetworkActivity> & { id: ColumnId };

/** Columns that show why a network is degraded. They have the colour of its problem. */
const ANOMALY_OF: Partial<Record<ColumnId, Anomaly['kind']>> = {
  unanswered: 'failing',
  'callbacks-failed': 'callbacks-failing',
  p95: 'slow',
};
const TONE_OF = { bad: 'bad', warning: 'warn', notice: undefined } as const;

export function Activity({ rows, incidents, degraded, isNarrow }: Props) {
  const hasSeveralKeepers = useContext(SeveralKeepers);
  const levels = new Map(degraded.map(({ id, level }) => [id, level]));
  const isCritical = ({ keeper, networkId }: NetworkActivity) =>
    incidents.some(
      (incident) =>
        incident.keeper === keeper && incident.networkId === networkId && incident.severity === 'critical',
    );
  const columns = ACTIVITY.map((column): ActivityColumn => {
    if (column.id === 'stuck') {
      const stuckTone = (row: NetworkActivity) =>
        (row.stuck ?? 0) === 0 ? undefined : isCritical(row) ? 'bad' : 'warn';
      return { ...column, mark: (row) => ({ ...column.mark?.(row), 'data-tone': stuckTone(row) }) };
    }
    const kind = ANOMALY_OF[column.id];
    if (kind === undefined) return column;
    const toneOf = ({ keeper, networkId }: NetworkActivity) =>
      TONE_OF[levels.get(networkProblemId(keeper, networkId, kind)) ?? 'notice'];
    return { ...column, mark: (row) => ({ ...column.mark?.(row), 'data-tone': toneOf(row) }) };
  });
  const isShown = ({ id }: ActivityColumn) =>
    (hasSeveralKeepers || id !== 'keeper') && !(isNarrow && HIDDEN_BESIDE_PANEL.has(id));
  return (
    <DataTable
      label="Activity of networks"
      className={`${classes.activity} ${isNarrow ? classes.beside : ''}`}
      hasCards
      columns={columns.filter(isShown)}
      rows={rows}
      // Keyed by position, because a row that moves would count as layout shift.
      rowProps={({ keeper, networkId, quiet }, at) => ({
        key: `${at} ${keeper}/${networkId}`,
        'data-network': networkId,
        'data-keeper': keeper,
        'data-quiet': quiet.holds === 'yes' ? 'yes' : 'no',
      })}
    />
  );
}

const HIDDEN_BESIDE_PANEL: ReadonlySet<ColumnId> = new Set(['keeper', 'interval', 'p50']);

const grouped = (value: number | undefined) =>
  value === 0 ? <MutedInline>0</MutedInline> : value && groupDigits(value);

/** `text` returns undefined both for an unknown figure and for none. */
function activityFigure(
  id: ColumnId,
  name: string,
  text: (row: NetworkActivity) => ReactNode,
  countOfRow?: (row: NetworkActivity) => number | undefined,
): ActivityColumn {
  return {
    id,
    name,
    kind: 'figure',
    isWide: id === 'stuck' || id === 'pending' ? false : id === 'p95' || 'md',
    cell: (row) => text(row) ?? <Absent missing={row.missing} />,
    mark: (row) => ({ 'data-zero': countOfRow?.(row) === 0 ? '' : undefined }),
  };
}

function Absent({ missing }: Pick<NetworkActivity, 'missing'>) {
  const why = missing.length === 0 ? undefined : clipped(missing.join('\n'), 400);
  return (
    <span title={why}>
      <span aria-hidden="true">—</span>
      <span className="sr-only">{why === undefined ? 'none' : 'unknown'}</span>
    </span>
  );
}

/** Figures of the hour before the keeper's last read, which is not the last hour if that was long ago. */
function OfHour({ keeper, children }: { keeper: string; children: ReactNode }) {
  const update = useRevision();
  const words = useSteadyWords();
  const readMs = update?.index.find((status) => status.keeper === keeper)?.syncedAtMs ?? undefined;
  if (update === undefined || readMs === undefined || update.nowMs - readMs <= STALE_AFTER_MS)
    return children;
  const moment = words(readMs);
  return (
    <MutedInline title={`The hour before ${moment}`}>
      {children}
      <span className="sr-only">, in the hour before {moment}</span>
    </MutedInline>
  );
}

const ofHour = (row: NetworkActivity, children: ReactNode) =>
  row.lastHour === undefined ? undefined : <OfHour keeper={row.keeper}>{children}</OfHour>;

/** Callbacks below which no percentile is shown: it would hardly be more than one of them. */
const MIN_SURE_CALLBACKS = 5;

/** An hour without callbacks is shown as none, not as unknown. */
const latency = (percentile: 'p50' | 'p95') =>
  activityFigure(percentile, `${percentile}, 1 h`, (row) => {
    const { lastHour } = row;
    if (lastHour === undefined) return undefined;
    const ms = lastHour[`${percentile}Ms`];
    if (ms === undefined) return ofHour(row, <MutedInline>none</MutedInline>);
    const callbacks = answeredOf(lastHour);
    if (callbacks >= MIN_SURE_CALLBACKS) return ofHour(row, formatDuration(ms));
    const title = `Of ${countOf(callbacks, 'callback')}`;
    return ofHour(row, <MutedInline title={title}>{formatDuration(ms)}</MutedInline>);
  });

const ACTIVITY: readonly ActivityColumn[] = [
  {
    id: 'network',
    name: 'Network',
    hint: '· stuck first',
    kind: 'head',
    cell: ({ networkId, keeper, quiet }) => (
      <span className={classes.network}>
        <Link
          href={formatRequestsUrl({ ...defaultRequestsView(), networks: [networkId], keepers: [keeper] })}
        >
          <NetworkText networkId={networkId} />
        </Link>
        {quiet.holds === 'yes' ? (
          <Text span ml="xs" size="sm" c="var(--ks-warn)" title={quiet.headline}>
            <Icon name="alert" size={13} /> Quiet
          </Text>
        ) : null}
      </span>
    ),
  },
  { id: 'keeper', name: 'Keeper', isWide: true, cell: ({ keeper }) => keeper },
  {
    id: 'last-request',
    name: 'Last request',
    cell: ({ lastRequestMs, missing }) =>
      lastRequestMs === undefined ? (
        <Absent missing={missing} />
      ) : (
        <div className={classes.moment}>
          <Age sinceMs={lastRequestMs} /> ago{' '}
          <MutedInline size="sm" visibleFrom="md">
            (<MomentLabel ms={lastRequestMs} />)
          </MutedInline>
        </div>
      ),
    mark: ({ quiet }) => ({ 'data-tone': quiet.holds === 'yes' ? 'warn' : undefined }),
  },
  activityFigure(
    'interval',
    'Usual interval',
    ({ usualGapMs: ms }) =>
      ms && (
        <span title="Mean of the last 24 h, of a silent network of the 24 h before its last request">
          {formatDuration(ms)}
        </span>
      ),
  ),
  activityFigure(
    'pending',
    'Pending',
    ({ pending }) => grouped(pending),
    ({ pending }) => pending,
  ),
  activityFigure(
    'stuck',
    'Stuck',
    ({ stuck }) => grouped(stuck),
    ({ stuck }) => stuck,
  ),
  activityFigure('unanswered', 'Failed, 1 h', (row) => ofHour(row, <LastHour row={row} state="failed" />)),
  activityFigure('callbacks-failed', 'Callbacks failed, 1 h', (row) =>
    ofHour(row, <LastHour row={row} state="callback-failed" />),
  ),
  latency('p50'),
  latency('p95'),
];

/** `2 of 140`, with a link to the 2. `2 of 140 sampled` if the rows that were read reach back less than an hour. */
function LastHour({ row, state }: { row: NetworkActivity; state: 'failed' | 'callback-failed' }) {
  const { lastHour, networkId, keeper } = row;
  if (lastHour === undefined) return undefined;
  const [count, total] =
    state === 'failed'
      ? [lastHour.failed, finishedOf(lastHour)]
      : [lastHour.callbackFailed, answeredOf(lastHour)];
  if (total === 0 && lastHour.isWhole)
    return <MutedInline>{state === 'failed' ? 'none finished' : 'no callbacks'}</MutedInline>;
  const text = `${groupDigits(count)} of ${groupDigits(total)}${lastHour.isWhole ? '' : ' sampled'}`;
  if (count === 0) return <MutedInline>{text}</MutedInline>;
  const time = { kind: 'last', range: '1h' } as const;
  const view = { ...defaultRequestsView(), networks: [networkId], keepers: [keeper], states: [state], time };
  return <Link href={formatRequestsUrl(view)}>{text}</Link>;
}
