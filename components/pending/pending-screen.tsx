'use client';
import { Group, Paper, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useContext, useId, useMemo } from 'react';
import { useNow } from '@/components/ui/clock';
import { type Column, DataTable } from '@/components/ui/data-table';
import { Icon, type IconName } from '@/components/ui/icons';
import { Link } from '@/components/ui/link';
import { NetworksProvider } from '@/components/ui/networks';
import { ErrorText, Muted, MutedInline, Section } from '@/components/ui/text';
import { useSteadyWords } from '@/components/ui/time-style';
import { targetKey } from '@/lib/alerts/acknowledge';
import { useAcknowledgements } from '@/lib/alerts/client';
import { explainFailure, RETRYING } from '@/lib/core/explain-failure';
import { clockSkewSentence } from '@/lib/core/health';
import type { Network } from '@/lib/core/network';
import { countOf, groupDigits } from '@/lib/core/numbers';
import { answeredOf, finishedOf } from '@/lib/core/span-figures';
import { clipped } from '@/lib/core/text';
import { formatAge, formatDuration, formatSpan, MINUTE_MS } from '@/lib/core/time';
import { useProblems } from '@/lib/insights/client';
import type { Problem, ProblemsAnswer } from '@/lib/insights/problem';
import {
  isWhole,
  type KnownIndex,
  type ShownStatus,
  shownStatus,
  type TriageView,
  useStuckCount,
  useTriage,
} from '@/lib/pending/client';
import type { Incident, NetworkActivity, Severity, TriageAnswer } from '@/lib/pending/pending-response';
import { mostSevere, NO_OUTCOME, STUCK_EXPLANATION } from '@/lib/pending/rules/verdict';
import type { KeeperStatus } from '@/lib/requests/keeper-status';
import { useNetworksById } from '@/lib/requests/networks';
import { useRevision } from '@/lib/requests/revision-stream';
import { defaultRequestsView, formatRequestsUrl } from '@/lib/requests/view';
import { Cases } from './cases';
import { degradedOf } from './degraded';
import { Limitations } from './diagnosis';
import classes from './pending.module.css';
import { Age, MomentText, NetworkName, PendingPage, SeveralKeepers } from './pending-context';
import { WatchPanel } from './watch-panel';

/** `first`, `problems`: the answers at render time; undefined without a keeper, or if they took too long. */
type Props = {
  first: TriageAnswer | undefined;
  problems: ProblemsAnswer | undefined;
  known: KnownIndex;
  keepers: readonly string[];
  networks: readonly Network[];
};

/** Page of pending requests: incidents first, then single requests by cause, then the networks. */
export function PendingScreen({ first, problems: begun, known, keepers, networks: offered }: Props) {
  const view = useTriage(first);
  const problems = useProblems(begun);
  const degraded = useMemo(() => degradedOf(problems.answer?.problems), [problems.answer]);
  const { answer } = view;
  const ids = useMemo(
    () =>
      answer === undefined
        ? []
        : [
            ...[...answer.incidents, ...answer.activity].map(({ networkId }) => networkId),
            ...answer.groups.flatMap(({ networkIds }) => networkIds),
          ],
    [answer],
  );
  const isSyncing = answer?.state === 'syncing';
  const networks = useNetworksById(offered, ids);
  return (
    <SeveralKeepers value={keepers.length > 1}>
      <NetworksProvider networks={networks}>
        <PendingPage title="Pending requests">
          <StatusLine view={view} known={known} degraded={degraded.length} />
          {keepers.length === 0 ? (
            <p>No request log service is configured. Set LOGS_URL in .env.local and start again.</p>
          ) : null}
          {answer === undefined ? null : (
            <>
              <Cases answer={answer} problems={problems}>
                {/* Hidden during the first sync: the first incidents would push it down. */}
                {isSyncing
                  ? () => null
                  : (isBesidePanel) => (
                      <>
                        <WatchPanel>
                          {answer.activity.length === 0 ? null : (
                            <Section title="Network activity">
                              <Activity
                                rows={answer.activity}
                                incidents={answer.incidents}
                                degraded={degraded}
                                isNarrow={isBesidePanel}
                              />
                            </Section>
                          )}
                        </WatchPanel>
                        <Limitations isPending />
                      </>
                    )}
              </Cases>
              {/* Notes stand below the requests, so that they move none of them. */}
              <Stack gap={4} className={classes.notes}>
                <ClockNote clocks={answer.clocks} />
                <SyncNotes index={answer.index} />
              </Stack>
            </>
          )}
        </PendingPage>
      </NetworksProvider>
    </SeveralKeepers>
  );
}

const LOOKS: Record<ShownStatus['kind'], { icon: IconName; tone: string }> = {
  syncing: { icon: 'dotted', tone: 'idle' },
  stuck: { icon: 'alert', tone: 'bad' },
  calm: { icon: 'check', tone: 'good' },
  unknown: { icon: 'question', tone: 'odd' },
};

/** Colour of the status line by the most severe of what is stuck. */
const TONES: Partial<Record<Severity, string>> = { critical: 'bad', warning: 'warn', notice: 'wait' };

type StatusProps = { view: TriageView; known: KnownIndex; degraded: number };

function StatusLine({ view, known, degraded }: StatusProps) {
  const { kind, title, detail, checkedAtMs } = shownStatus(view, useStuckCount(known));
  const acknowledged = useAcknowledgements();
  const titleId = useId();
  const { answer } = view;
  const { icon, tone: usualTone } = LOOKS[kind];
  const stuck = [
    ...(answer?.incidents ?? []).filter(({ id }) => !acknowledged?.has(targetKey({ kind: 'incident', id }))),
    ...(answer?.groups ?? []).filter((one) => !one.isParked && one.acknowledged < one.size),
  ];
  const worst = mostSevere(stuck.map(({ severity }) => severity));
  const tone = kind === 'stuck' ? (TONES[worst] ?? usualTone) : usualTone;
  return (
    <Paper
      component="section"
      withBorder
      px="md"
      py="xs"
      // Height of its longest usual text, so that later sentences and counts move nothing below.
      mih={{ base: '7.5rem', sm: '4.5rem' }}
      style={{ borderInlineStart: `4px solid var(--ks-${tone})` }}
      data-status={kind}
      aria-labelledby={titleId}
    >
      <Group justify="space-between" gap="xs">
        <div role="status">
          <Title order={2} size="xl" id={titleId}>
            <Text span inherit c={`var(--ks-${tone})`}>
              <Icon name={icon} size={18} />
            </Text>{' '}
            {title}
          </Title>
          <Muted title={kind === 'stuck' ? STUCK_EXPLANATION : undefined}>
            {detail}
            {degraded === 0 ? null : ` ${countOf(degraded, 'network')} degraded.`}
          </Muted>
        </div>
        <Group gap="2px var(--ks-gap-lg)">
          {answer === undefined || answer.state === 'syncing' ? null : (
            <Counts counts={answer.counts} isWhole={isWhole(view)} />
          )}
          {checkedAtMs === undefined ? (
            <Muted size="sm">{kind === 'stuck' ? 'Still syncing' : 'Not synced yet'}</Muted>
          ) : (
            <SyncedAt atMs={checkedAtMs} />
          )}
        </Group>
      </Group>
    </Paper>
  );
}

/** When the figures were synced; from two minutes on with their age, by the server's clock, and in the colour of warnings. */
function SyncedAt({ atMs }: { atMs: number }) {
  const moment = useSteadyWords();
  const clockMs = useNow();
  const news = useRevision();
  const ageMs = news === undefined ? 0 : news.nowMs + Math.max(0, clockMs - news.receivedAtMs) - atMs;
  const isOld = ageMs >= 2 * MINUTE_MS;
  return (
    <Text size="sm" className="num" c={isOld ? 'var(--ks-wait)' : 'dimmed'}>
      Synced {moment(atMs)}
      {isOld && `, ${formatAge(ageMs)} ago`}
    </Text>
  );
}

/** Notes about keepers that are out of date, unreachable or not fully indexed; renders nothing if there are none. */
function SyncNotes({ index: known }: { index: readonly KeeperStatus[] }) {
  const shown = (useRevision()?.index ?? known).filter(({ state }) => state !== 'live');
  if (shown.length === 0) return null;
  return (
    <Stack component="ul" gap="xs" aria-label="Sync">
      {shown.map((status) => (
        <Paper component="li" withBorder p="xs" key={status.keeper} data-state={status.state}>
          {status.state === 'syncing' ? <Syncing status={status} /> : <Behind status={status} />}
        </Paper>
      ))}
    </Stack>
  );
}

function Syncing({ status: { keeper, history, coveredFromMs } }: { status: KeeperStatus }) {
  const words = useSteadyWords();
  const expected = history?.expected == null ? '' : ` of ${groupDigits(`${history.expected}`)}`;
  const progress = history && `: ${groupDigits(`${history.done}`)}${expected}`;
  return (
    <p className="num">
      Syncing history of keeper {keeper}
      {progress}.
      {coveredFromMs === null ? null : (
        <Text span visibleFrom="sm">
          {' '}
          Complete since {words(coveredFromMs)}.
        </Text>
      )}
    </p>
  );
}

function Behind({ status: { keeper, failure, late, syncedAtMs } }: { status: KeeperStatus }) {
  const words = useSteadyWords();
  const hasSeveralKeepers = useContext(SeveralKeepers);
  const explained =
    failure && explainFailure({ service: 'logs', ...failure }, hasSeveralKeepers ? keeper : undefined);
  const lines = [
    syncedAtMs === null ? 'Not synced yet.' : `Synced ${words(syncedAtMs)}.`,
    late === 'dashboard' && 'Dashboard is busy.',
    failure?.nextTryMs && `Retrying ${words(failure.nextTryMs)}.`,
    explained?.quote && `“${explained.quote}”`,
    // The time of the next attempt replaces the advice to wait.
    failure?.nextTryMs && explained?.todo === RETRYING ? undefined : explained?.todo,
  ];
  return (
    <ErrorText className="foreign">
      <Icon name="alert" size={14} /> <strong>{explained?.title ?? `Keeper ${keeper} is not synced`}.</strong>{' '}
      {lines.filter(Boolean).join(' ')}
    </ErrorText>
  );
}

const CLOCK_EFFECTS = {
  ahead: 'requests look younger than they are; what is stuck is judged by its own clock',
  behind: 'requests look older than they are; what is stuck is judged by its own clock',
};

/** Warning that a service's clock differs from ours: every age on the page is off by the difference. */
function ClockNote({ clocks }: { clocks: TriageAnswer['clocks'] }) {
  const hasSeveralKeepers = useContext(SeveralKeepers);
  const skewText = clockSkewSentence(clocks, CLOCK_EFFECTS, hasSeveralKeepers);
  return skewText === undefined ? null : (
    <Paper component="p" withBorder p="xs">
      <Icon name="clock" size={14} /> {skewText}
    </Paper>
  );
}

type CountsProps = { counts: TriageAnswer['counts']; isWhole: boolean };

/** Counts of pending requests: all, and those not stuck. */
function Counts({ counts, isWhole }: CountsProps) {
  const all = formatRequestsUrl({ ...defaultRequestsView(), states: ['pending'], time: { kind: 'all' } });
  const unseen = counts.missing + counts.unreadable;
  const shown: [string, string, number][] = [
    ['slow', 'Slow', counts.slow],
    ['within-normal', 'Within normal', counts.withinNormal],
    ['unseen', 'Unreadable or too many', unseen],
    ['gone', 'No longer served', counts.gone],
  ];
  return (
    <Group component="dl" gap="2px var(--ks-gap-md)">
      <Count id="pending" name="Pending" means={NO_OUTCOME}>
        {isWhole ? '' : 'at least '}
        <Link href={all} aria-label={`${groupDigits(counts.pending)} pending, view requests`}>
          {groupDigits(counts.pending)}
        </Link>
      </Count>
      {shown.map(([id, name, value]) =>
        value === 0 ? null : (
          <Count key={id} id={id} name={name}>
            {groupDigits(value)}
          </Count>
        ),
      )}
    </Group>
  );
}

type CountProps = { id: string; name: string; means?: string; children: ReactNode };

function Count({ id, name, means, children }: CountProps) {
  return (
    <Group gap={6} data-count={id} title={means}>
      <Muted component="dt">{name}</Muted>
      <Text component="dd" fw={650} className="num">
        {children}
      </Text>
    </Group>
  );
}

type ActivityProps = {
  rows: readonly NetworkActivity[];
  incidents: readonly Incident[];
  degraded: readonly Problem[];
  isNarrow: boolean;
};

/** Columns that show why a network is degraded, in the colour of its problem. */
const ANOMALY_OF: Record<string, string> = {
  'Not answered, 1 h': 'failing',
  'Callbacks failed, 1 h': 'callbacks-failing',
  'p95, 1 h': 'slow',
};
const TONE_OF = { bad: 'bad', warning: 'warn', notice: undefined } as const;

/** Activity of each network against its usual rhythm, silent ones first. */
function Activity({ rows, incidents, degraded, isNarrow }: ActivityProps) {
  const hasSeveralKeepers = useContext(SeveralKeepers);
  const levels = new Map(degraded.map(({ id, level }) => [id, level]));
  const isCritical = ({ keeper, networkId }: NetworkActivity) =>
    incidents.some(
      (one) => one.keeper === keeper && one.networkId === networkId && one.severity === 'critical',
    );
  const columns = ACTIVITY.map((column): Column<NetworkActivity> => {
    if (column.name === 'Stuck') {
      const stuckTone = (row: NetworkActivity) =>
        (row.stuck ?? 0) === 0 ? undefined : isCritical(row) ? 'bad' : 'warn';
      return { ...column, mark: (row) => ({ ...column.mark?.(row), 'data-tone': stuckTone(row) }) };
    }
    const kind = ANOMALY_OF[column.name];
    if (kind === undefined) return column;
    const toneOf = ({ keeper, networkId }: NetworkActivity) =>
      TONE_OF[levels.get(`network/${keeper}/${networkId}/${kind}`) ?? 'notice'];
    return { ...column, mark: (row) => ({ ...column.mark?.(row), 'data-tone': toneOf(row) }) };
  });
  const isShown = ({ name }: { name: string }) =>
    (hasSeveralKeepers || name !== 'Keeper') && !(isNarrow && HIDDEN_BESIDE_PANEL.has(name));
  return (
    <DataTable
      label="Activity of networks"
      className={`${classes.activity} ${isNarrow ? classes.beside : ''}`}
      hasCards
      columns={columns.filter(isShown)}
      rows={rows}
      // Keyed by place too: a moved element would count as layout shift.
      rowProps={({ keeper, networkId, quiet }, at) => ({
        key: `${at} ${keeper}/${networkId}`,
        'data-network': networkId,
        'data-keeper': keeper,
        'data-quiet': quiet.holds === 'yes' ? 'yes' : 'no',
      })}
    />
  );
}

/** Columns hidden while the panel is open, so that the others fit. */
const HIDDEN_BESIDE_PANEL: ReadonlySet<string> = new Set(['Keeper', 'Typical interval', 'p50, 1 h']);

/** A count; zero is muted, so that the others stand out. */
const grouped = (value: number | undefined) =>
  value === 0 ? <MutedInline>0</MutedInline> : value && groupDigits(value);

/** Column of a figure. @param text undefined: unknown, or none */
function activityFigure(
  name: string,
  text: (row: NetworkActivity) => ReactNode,
  countOfRow?: (row: NetworkActivity) => number | undefined,
): Column<NetworkActivity> {
  return {
    name,
    kind: 'figure',
    isWide: name === 'Stuck' || name === 'Pending' ? false : name === 'p95, 1 h' || 'md',
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

/** Latency column; an hour without callbacks is shown as none, not as unknown. */
const latency = (percentile: 'p50Ms' | 'p95Ms') =>
  activityFigure(`${percentile.slice(0, 3)}, 1 h`, ({ lastHour }) => {
    const ms = lastHour?.[percentile];
    return ms === undefined ? lastHour && <MutedInline>none</MutedInline> : formatDuration(ms);
  });

const ACTIVITY: readonly Column<NetworkActivity>[] = [
  {
    name: 'Network',
    kind: 'head',
    cell: ({ networkId, keeper, quiet }) => (
      <span className={classes.network}>
        <Link
          href={formatRequestsUrl({ ...defaultRequestsView(), networks: [networkId], keepers: [keeper] })}
        >
          <NetworkName networkId={networkId} />
        </Link>
        {quiet.holds === 'yes' ? (
          <Text span ml="xs" size="sm" c="var(--ks-warn)" title={quiet.headline}>
            <Icon name="alert" size={13} /> Quiet
          </Text>
        ) : null}
      </span>
    ),
  },
  { name: 'Keeper', isWide: true, cell: ({ keeper }) => keeper },
  {
    name: 'Last request',
    cell: ({ lastRequestMs, missing }) =>
      lastRequestMs === undefined ? (
        <Absent missing={missing} />
      ) : (
        <div className={classes.moment}>
          <Age sinceMs={lastRequestMs} /> ago{' '}
          <MutedInline size="sm" visibleFrom="md">
            (<MomentText ms={lastRequestMs} />)
          </MutedInline>
        </div>
      ),
    mark: ({ quiet }) => ({ 'data-tone': quiet.holds === 'yes' ? 'warn' : undefined }),
  },
  activityFigure(
    'Typical interval',
    ({ usualGapMs: ms }) => ms && (ms < 10_000 ? formatDuration(ms) : formatSpan(ms)),
  ),
  activityFigure(
    'Pending',
    ({ pending }) => grouped(pending),
    ({ pending }) => pending,
  ),
  activityFigure(
    'Stuck',
    ({ stuck }) => grouped(stuck),
    ({ stuck }) => stuck,
  ),
  activityFigure('Not answered, 1 h', (row) => <LastHour row={row} state="failed" />),
  activityFigure('Callbacks failed, 1 h', (row) => <LastHour row={row} state="callback-failed" />),
  latency('p50Ms'),
  latency('p95Ms'),
];

/** `2 of 140`, linked to the 2; `2 of 140 sampled` if the rows read reach back less than an hour. */
function LastHour({ row, state }: { row: NetworkActivity; state: 'failed' | 'callback-failed' }) {
  const { lastHour, networkId, keeper, missing } = row;
  if (lastHour === undefined) return <Absent missing={missing} />;
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
