'use client';
import { Badge, Button, Table } from '@mantine/core';
import Link from 'next/link';
import { type ReactNode, useContext, useState } from 'react';
import { Icon } from '@/components/ui/icons';
import { useMomentText } from '@/components/ui/time-style';
import { clipped } from '@/lib/core/text';
import type { NetworkInsight } from '@/lib/insights/answer';
import { successRate } from '@/lib/insights/figures';
import { countText, lengthText, shareText, sortedBy } from '@/lib/insights/format';
import { pendingPath, rowsPath, type Scope } from '@/lib/insights/links';
import { usualSentence } from '@/lib/insights/problems';
import { isSlow } from '@/lib/insights/usual';
import classes from './overview.module.css';
import { Panel, Sparkline } from './panel';
import { OverviewContext, useInsights, useNetworkName } from './use-insights';

const KINDS: Record<NetworkInsight['unusual'][number]['kind'], string> = {
  silent: 'Silent',
  failing: 'Failing',
  'callbacks-failing': 'Callbacks failing',
  slow: 'Slow',
  busy: 'Busy',
};
const TONES = { bad: 'bad', warning: 'warn', notice: 'idle' };

type Cells = { scope: Scope; total: number; moment: ReturnType<typeof useMomentText> };
type Column = {
  name: string;
  /** What it is sorted by; the highest first. Null stands last. */
  value: (network: NetworkInsight) => number | null;
  cell: (network: NetworkInsight, cells: Cells) => ReactNode;
  tone?: (network: NetworkInsight) => 'bad' | 'warn' | undefined;
};

const has = ({ unusual }: NetworkInsight, kind: NetworkInsight['unusual'][number]['kind']) =>
  unusual.some((one) => one.kind === kind);

/** Its own rows: of its keeper too, since several keepers may serve one network. */
const ofNetwork = ({ view, ...scope }: Scope, { keeper, networkId }: NetworkInsight): Scope => ({
  ...scope,
  view: { ...view, networks: [networkId], keepers: scope.keepers.length > 1 ? [keeper] : view.keepers },
});

const link = (count: number, href: Parameters<typeof Link>[0]['href']) =>
  count === 0 ? (
    '0'
  ) : (
    <Link href={href} prefetch={false}>
      {countText(count)}
    </Link>
  );
const length = (us: number | null) => (us === null ? '–' : lengthText(us));

const COLUMNS: readonly Column[] = [
  {
    name: 'Requests',
    value: ({ now }) => now.requests,
    cell: (network, { scope }) => link(network.now.requests, rowsPath(ofNetwork(scope, network))),
  },
  {
    name: 'Share',
    value: ({ now }) => now.requests,
    cell: ({ now }, { total }) => (total === 0 ? '–' : shareText(now.requests / total)),
  },
  {
    name: 'Success rate',
    value: ({ now }) => successRate(now),
    cell: ({ now }) => {
      const rate = successRate(now);
      return rate === null ? '–' : shareText(rate);
    },
    tone: (network) => (has(network, 'failing') ? 'bad' : undefined),
  },
  {
    name: 'Callback failed',
    value: ({ now }) => now.callbackFailed,
    cell: (network, { scope }) =>
      link(network.now.callbackFailed, rowsPath(ofNetwork(scope, network), { states: ['callback-failed'] })),
    tone: (network) => (has(network, 'callbacks-failing') ? 'warn' : undefined),
  },
  {
    name: 'Failed',
    value: ({ now }) => now.failed,
    cell: (network, { scope }) =>
      link(network.now.failed, rowsPath(ofNetwork(scope, network), { states: ['failed'] })),
    tone: (network) => (has(network, 'failing') ? 'bad' : undefined),
  },
  { name: 'p50', value: ({ now }) => now.p50Us, cell: ({ now }) => length(now.p50Us) },
  {
    name: 'p95',
    value: ({ now }) => now.p95Us,
    cell: ({ now }) => length(now.p95Us),
    tone: ({ now, weekP95Us }) => (isSlow(now.p95Us, weekP95Us) ? 'warn' : undefined),
  },
  { name: 'p95, 7 d', value: ({ weekP95Us }) => weekP95Us, cell: ({ weekP95Us }) => length(weekP95Us) },
  {
    name: 'Pending',
    value: ({ pending }) => pending.pending,
    cell: (network, { scope }) => link(network.pending.pending, pendingPath(ofNetwork(scope, network))),
  },
  {
    name: 'Stuck',
    value: ({ pending }) => pending.stuck,
    cell: ({ pending }) => link(pending.stuck, '/pending'),
    tone: ({ pending }) => (pending.stuck > 0 ? 'bad' : undefined),
  },
  {
    name: 'Last request',
    value: ({ lastUs }) => lastUs,
    cell: ({ lastUs }, { moment }) => {
      const { text, title } = moment(Math.floor(lastUs / 1000));
      return <span title={title}>{text}</span>;
    },
  },
];

const ROW_PX = 33;
/** So many are looked over without being in the way of what stands below. */
const MOST_SHOWN = 8;

/** Each network against its own usual, the unusual ones first. @param expected how many there may be, for the room they need */
export function Networks({ expected }: { expected: number }) {
  const state = useInsights('networks');
  const { keepers, view } = useContext(OverviewContext);
  const [sort, setSort] = useState<Sort>();
  const [isAll, setAll] = useState(false);
  const { shown } = state;
  const usual = expected === 0 ? MOST_SHOWN : expected;
  const rooms = view.networks.length === 0 ? usual : view.networks.length * Math.max(1, keepers.length);
  const all = shown?.networks ?? [];
  const listed = sortNetworks(all, sort);
  return (
    <Panel
      title="Networks"
      state={state}
      height={ROW_PX * (1 + Math.min(MOST_SHOWN, Math.max(1, rooms)))}
      empty={all.length === 0 ? 'No network has requests in this span or the last 8 days' : undefined}
      beside={
        sort === undefined ? null : (
          <Button size="compact-xs" onClick={() => setSort(undefined)}>
            Unusual first
          </Button>
        )
      }
    >
      {shown === undefined ? null : (
        <>
          <NetworksTable
            networks={isAll ? listed : listed.slice(0, MOST_SHOWN)}
            scope={shown}
            total={all.reduce((sum, { now }) => sum + now.requests, 0)}
            hasKeepers={keepers.length > 1}
            sort={sort}
            onSort={setSort}
          />
          {listed.length <= MOST_SHOWN || isAll ? null : (
            <Button size="compact-xs" mt="xs" onClick={() => setAll(true)}>
              All {countText(listed.length)} networks
            </Button>
          )}
        </>
      )}
    </Panel>
  );
}

type Sort = { by: string; order: 'descending' | 'ascending' };

function sortNetworks(networks: readonly NetworkInsight[], sort: Sort | undefined): NetworkInsight[] {
  const column = COLUMNS.find(({ name }) => name === sort?.by);
  return sort === undefined || column === undefined
    ? [...networks]
    : sortedBy(networks, column.value, sort.order);
}

function NetworksTable({
  networks,
  scope,
  total,
  hasKeepers,
  sort,
  onSort,
}: {
  networks: readonly NetworkInsight[];
  scope: Scope;
  total: number;
  hasKeepers: boolean;
  sort: Sort | undefined;
  onSort: (sort: Sort) => void;
}) {
  const moment = useMomentText();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls is reached by keyboard
    <section className={classes.scroller} aria-label="Networks, scrollable" tabIndex={0}>
      <Table
        className={`${classes.table} ${classes.right} num`}
        aria-label="Networks"
        style={{ minWidth: '70rem' }}
      >
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Network</Table.Th>
            {COLUMNS.map(({ name }) => (
              <SortHeader key={name} name={name} sort={sort} onSort={onSort} />
            ))}
            <Table.Th scope="col">Trend</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {networks.map((network) => (
            <Table.Tr key={`${network.keeper} ${network.networkId}`} data-network={network.networkId}>
              <NameCell network={network} scope={scope} hasKeepers={hasKeepers} />
              {COLUMNS.map(({ name, cell, tone }) => (
                <Table.Td key={name} data-tone={tone?.(network)}>
                  {cell(network, { scope, total, moment })}
                </Table.Td>
              ))}
              <Table.Td className={classes.trend}>
                <Sparkline values={network.overTime} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

function SortHeader({
  name,
  sort,
  onSort,
}: {
  name: string;
  sort: Sort | undefined;
  onSort: (sort: Sort) => void;
}) {
  const order = sort?.by === name ? sort.order : undefined;
  const next = order === 'descending' ? 'ascending' : 'descending';
  return (
    <Table.Th scope="col" aria-sort={order ?? 'none'}>
      <button type="button" className={classes.sort} onClick={() => onSort({ by: name, order: next })}>
        {name}
        <span data-order={order}>
          <Icon name="down" size={11} />
        </span>
      </button>
    </Table.Th>
  );
}

/** The name, the keeper where there are several, and what is unusual of the last hour. */
function NameCell({
  network,
  scope,
  hasKeepers,
}: {
  network: NetworkInsight;
  scope: Scope;
  hasKeepers: boolean;
}) {
  const nameOf = useNetworkName();
  const { keeper, networkId, unusual } = network;
  return (
    <Table.Th scope="row" className={classes.name}>
      <Link href={rowsPath(ofNetwork(scope, network))} prefetch={false}>
        <bdi>{clipped(nameOf(networkId), 40)}</bdi>
      </Link>
      {hasKeepers ? <span className={classes.keeper}>{clipped(keeper, 20)}</span> : null}
      {unusual.map((one) => (
        <Badge key={one.kind} size="sm" color={TONES[one.level]} title={usualSentence(one, network.usual)}>
          {KINDS[one.kind]}
          <span className="sr-only">: {usualSentence(one, network.usual)}</span>
        </Badge>
      ))}
    </Table.Th>
  );
}
