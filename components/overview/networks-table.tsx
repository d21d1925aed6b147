'use client';
import { Badge, Box, Group } from '@mantine/core';
import { type ReactNode, useContext } from 'react';
import { type Column, DataTable } from '@/components/ui/data-table';
import { Link } from '@/components/ui/link';
import { useNetworkName } from '@/components/ui/networks';
import { MutedInline } from '@/components/ui/text';
import { answeredShare, callbacksOkShare, shareText } from '@/lib/core/span-figures';
import { clipped } from '@/lib/core/text';
import { ANOMALY_TITLES, anomalySentence } from '@/lib/insights/anomaly';
import { isSlow } from '@/lib/insights/baseline';
import { countText, lengthText, orDash } from '@/lib/insights/format';
import type { Insights, NetworkInsight } from '@/lib/insights/insights-response';
import { rowsPath, type Scope } from '@/lib/insights/links';
import { ofWholeBuckets } from '@/lib/insights/over-time';
import type { Problem } from '@/lib/insights/problem';
import type { RequestsView } from '@/lib/requests/view';
import classes from './overview.module.css';
import { Panel, Sparkline } from './panel';
import { byProblem } from './problem-order';
import { stuckTone } from './stuck-tone';
import { Ago, MAX_SHOWN, Rows, rowsHeight, share } from './table-cells';
import { OverviewContext, useInsights, useProblemsOfOverview } from './use-insights';

const TONES = { bad: 'bad', warning: 'warn', notice: 'idle' };

/** Networks with problems first, in the order of the problems above. Height is reserved for `expected` rows. */
export function Networks({ expected }: { expected: number }) {
  const state = useInsights('networks');
  const { keepers, view } = useContext(OverviewContext);
  const { shown } = state;
  const problems = useProblemsOfOverview().answer?.problems;
  const typicalRows = expected === 0 ? MAX_SHOWN : expected;
  const rooms = view.networks.length === 0 ? typicalRows : view.networks.length * Math.max(1, keepers.length);
  const networks = byProblem(shown?.networks ?? [], problems ?? []);
  return (
    <Panel
      title="Networks"
      className={classes.early}
      state={state}
      height={rowsHeight(Math.max(1, rooms))}
      empty={networks.length === 0 ? 'No requests in this range or the last 8 days' : undefined}
    >
      {shown === undefined ? null : (
        <DataTable
          label="Networks"
          variant="plain"
          hasCards
          miw="70rem"
          className={classes.sticky}
          columns={networkColumns({ ...shown, problems }, networks)}
          rows={networks}
          // Keyed by position, because a row that moves would count as layout shift.
          rowProps={({ keeper, networkId }, at) => ({
            key: `${at} ${keeper} ${networkId}`,
            'data-network': networkId,
          })}
          first={{ count: MAX_SHOWN, noun: 'networks' }}
          unsorted="Problems first"
        />
      )}
    </Panel>
  );
}

type NetworkFigure = Pick<Column<NetworkInsight>, 'name'> & {
  value: (network: NetworkInsight) => number | null;
  /** Formats the value. Without it, the value is a count that links to its rows. */
  text?: (value: number) => ReactNode;
  view?: Partial<RequestsView>;
  href?: '/pending';
  isWide?: true;
  /** The figure is unknown until each keeper was queried for its pending requests. */
  isOfPending?: true;
  tone?: (network: NetworkInsight, scope: Shown) => 'bad' | 'warn' | false;
};

type Shown = Scope &
  Pick<Insights, 'buckets' | 'pendingUnread'> & { problems: readonly Problem[] | undefined };

const hasAnomaly = ({ unusual }: NetworkInsight, kind: keyof typeof ANOMALY_TITLES) =>
  unusual.some((anomaly) => anomaly.kind === kind);
const failing: NetworkFigure['tone'] = (network) => hasAnomaly(network, 'failing') && 'bad';

const networkFigures = (total: number): NetworkFigure[] => [
  { name: 'Requests', value: ({ now }) => now.requests },
  { name: 'Share', isWide: true, value: ({ now }) => now.requests, text: (count) => share(count, total) },
  { name: 'Answered', value: ({ now }) => answeredShare(now), text: shareText, tone: failing },
  {
    name: 'Callbacks OK',
    isWide: true,
    value: ({ now }) => callbacksOkShare(now),
    text: shareText,
    tone: (network) => hasAnomaly(network, 'callbacks-failing') && 'warn',
  },
  {
    name: 'Callback failed',
    isWide: true,
    value: ({ now }) => now.callbackFailed,
    view: { states: ['callback-failed'] },
  },
  {
    name: 'Failed',
    isWide: true,
    value: ({ now }) => now.failed,
    view: { states: ['failed'] },
    tone: failing,
  },
  { name: 'p50', isWide: true, value: ({ now }) => now.p50Us, text: lengthText },
  {
    name: 'p95',
    value: ({ now }) => now.p95Us,
    text: lengthText,
    tone: ({ now, weekP95Us }) => isSlow(now.p95Us, weekP95Us) && 'warn',
  },
  { name: 'p95, 7 d', isWide: true, value: ({ weekP95Us }) => weekP95Us, text: lengthText },
  {
    name: 'Pending',
    isWide: true,
    isOfPending: true,
    value: ({ pending }) => pending.pending,
    view: { states: ['pending'], time: { kind: 'all' } },
  },
  {
    name: 'Stuck',
    isOfPending: true,
    value: ({ pending }) => pending.stuck,
    href: '/pending',
    tone: ({ pending, networkId }, { problems }) => pending.stuck > 0 && stuckTone(problems, networkId),
  },
  {
    name: 'Last request',
    isWide: true,
    value: ({ lastUs }) => lastUs,
    text: (us) => <Ago us={us} />,
    tone: (network) => (hasAnomaly(network, 'silent') ? 'bad' : network.isQuiet && 'warn'),
  },
];

/** Includes the keeper, because several keepers may serve one network. */
function networkHref(scope: Shown, { keeper, networkId }: NetworkInsight, change?: Partial<RequestsView>) {
  const keepers = scope.keepers.length > 1 ? [keeper] : scope.view.keepers;
  return rowsPath({ ...scope, view: { ...scope.view, networks: [networkId], keepers } }, change);
}

function networkColumns(scope: Shown, networks: readonly NetworkInsight[]): Column<NetworkInsight>[] {
  const total = networks.reduce((sum, { now }) => sum + now.requests, 0);
  return [
    { name: 'Network', kind: 'head', cell: (network) => <NetworkCell network={network} scope={scope} /> },
    ...(scope.keepers.length > 1 ? [KEEPER] : []),
    {
      name: 'Problem',
      isWide: true,
      cell: (network) => (
        <Group gap="xs" wrap="nowrap" miw="7rem">
          <Troubles network={network} scope={scope} />
        </Group>
      ),
    },
    ...networkFigures(total).map((figure) => figureColumn(scope, figure)),
    {
      name: 'Trend',
      isWide: true,
      cell: ({ overTime }) => <Sparkline values={ofWholeBuckets(overTime, scope)} text={countText} />,
    },
  ];
}

function figureColumn(scope: Shown, figure: NetworkFigure): Column<NetworkInsight> {
  const { name, text, view, href, tone, isOfPending = false, isWide = false } = figure;
  const isUnread = isOfPending && scope.pendingUnread === true;
  const value = (network: NetworkInsight) => (isUnread ? null : figure.value(network));
  return {
    name,
    value,
    isWide,
    kind: 'figure',
    cell: (network) =>
      text ? (
        orDash(value(network), text)
      ) : (
        <Rows count={value(network)} href={href ?? networkHref(scope, network, view)} />
      ),
    mark: (network) => ({ 'data-tone': (!isUnread && tone?.(network, scope)) || undefined }),
  };
}

const KEEPER: Column<NetworkInsight> = {
  name: 'Keeper',
  isWide: true,
  cell: ({ keeper }) => clipped(keeper, 20),
};

type NetworkProps = { network: NetworkInsight; scope: Shown };

/** The network; on a phone also with the keeper and the problems. */
function NetworkCell({ network, scope }: NetworkProps) {
  const nameOf = useNetworkName();
  const { keeper, networkId } = network;
  return (
    <Group component="span" gap="0 var(--ks-gap-sm)">
      <Link href={networkHref(scope, network)}>
        <bdi>{clipped(nameOf(networkId), 40)}</bdi>
      </Link>
      <Box component="span" hiddenFrom="sm">
        {scope.keepers.length > 1 ? <MutedInline size="sm">{clipped(keeper, 20)} </MutedInline> : null}
        <Troubles network={network} scope={scope} />
      </Box>
    </Group>
  );
}

function Troubles({ network, scope }: NetworkProps) {
  const { networkId, pending, unusual, usual } = network;
  return (
    <>
      {!scope.pendingUnread && pending.stuck > 0 ? (
        <Badge size="sm" flex="none" color={stuckTone(scope.problems, networkId)}>
          {countText(pending.stuck)} stuck
        </Badge>
      ) : null}
      {unusual.map((anomaly) => (
        <Badge
          key={anomaly.kind}
          size="sm"
          flex="none"
          color={TONES[anomaly.level]}
          title={anomalySentence(anomaly, usual)}
        >
          {ANOMALY_TITLES[anomaly.kind]}
          <span className="sr-only">: {anomalySentence(anomaly, usual)}</span>
        </Badge>
      ))}
    </>
  );
}
