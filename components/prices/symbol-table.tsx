'use client';
import { ActionIcon, Badge, Checkbox, Group, Pagination } from '@mantine/core';
import type { Route } from 'next';
import { type ReactNode, useState } from 'react';
import { CopyButton } from '@/components/ui/copy-button';
import { type Column, type ColumnSort, DataTable } from '@/components/ui/data-table';
import { Icon } from '@/components/ui/icons';
import { Link } from '@/components/ui/link';
import { Muted } from '@/components/ui/text';
import { useMomentWords } from '@/components/ui/time-style';
import {
  differenceInBps,
  formatScaled,
  groupDigits,
  percentText,
  type ScaledInteger,
} from '@/lib/core/numbers';
import { clipped, shortenHex } from '@/lib/core/text';
import { formatIsoMicros } from '@/lib/core/time';
import { feedPagePath } from '@/lib/feeds/page-url';
import { useLastPrices } from '@/lib/prices/client/use-last-prices';
import type { SourceQuote } from '@/lib/prices/lookup';
import type { FeedSymbol } from '@/lib/prices/symbols-response';
import { lookupParsers, type SymbolSort } from '@/lib/prices/view';
import { AddToBoard } from './add-to-board';
import classes from './prices.module.css';
import { isPublished, keyOf, lookupPath, nameBeside, nameOf, UNKNOWN, wordsOf } from './symbol-names';

const ROWS_OF_PAGE = 50;

export type TableOrder = {
  readonly sort: SymbolSort;
  readonly order: 'ascending' | 'descending';
  readonly onSort: (sort: SymbolSort, order: 'ascending' | 'descending') => void;
};

type TableProps = {
  symbols: readonly FeedSymbol[];
  picked: ReadonlyMap<string, FeedSymbol>;
  selectAll: ReactNode;
  /** Whether the router can be queried for prices. */
  hasRouter: boolean;
  /** False if all symbols are of the class that is filtered for. */
  hasClass: boolean;
  order: TableOrder;
  onToggle: (feed: FeedSymbol) => void;
};

export function SymbolTable(props: TableProps) {
  const { symbols, hasRouter, onToggle } = props;
  const [page, setPage] = useState(1);
  const firstRow = (page - 1) * ROWS_OF_PAGE;
  const pages = Math.ceil(symbols.length / ROWS_OF_PAGE);
  const rows = symbols.slice(firstRow, firstRow + ROWS_OF_PAGE);
  const { prices, dayAgo, asOfMs } = useLastPrices(hasRouter ? rows.filter(isPublished) : []);
  const moment = useMomentWords();
  const columns = columnsOf({ ...props, prices, dayAgo });
  return (
    <>
      <DataTable
        label="Symbols"
        variant="text"
        miw={900}
        mah="100%"
        hasCards
        className={classes.symbols}
        aria-rowcount={symbols.length + 1}
        columns={columns}
        rows={rows}
        onRow={onToggle}
        rowProps={(feed, at) => ({ key: keyOf(feed), 'aria-rowindex': firstRow + at + 2 })}
      />
      {pages < 2 && asOfMs === undefined ? null : (
        <Group gap="sm">
          {pages < 2 ? null : (
            <>
              <Pagination
                size="sm"
                total={pages}
                value={page}
                onChange={setPage}
                aria-label="Pages of symbols"
                getItemProps={(number) => ({ 'aria-label': `Page ${number}` })}
                getControlProps={(control) => ({ 'aria-label': `${control} page` })}
              />
              <Muted className="num">
                {groupDigits(firstRow + 1)}–{groupDigits(firstRow + rows.length)} of{' '}
                {groupDigits(symbols.length)}
              </Muted>
            </>
          )}
          {asOfMs === undefined ? null : (
            <Muted size="xs" ml="auto" className="num">
              Last prices: router, {lookupParsers.channel.defaultValue}, as of {moment(asOfMs)}
            </Muted>
          )}
        </Group>
      )}
    </>
  );
}

type ColumnsProps = Pick<TableProps, 'picked' | 'selectAll' | 'hasClass' | 'order' | 'onToggle'> & {
  prices: ReadonlyMap<string, SourceQuote>;
  dayAgo: ReadonlyMap<string, SourceQuote>;
};

function columnsOf(props: ColumnsProps): Column<FeedSymbol>[] {
  const { picked, selectAll, prices, dayAgo, hasClass, order, onToggle } = props;
  const sorted = (by: SymbolSort): ColumnSort => {
    const current = order.sort === by ? order.order : undefined;
    const next = current === 'ascending' ? ('descending' as const) : ('ascending' as const);
    return { order: current, onSort: () => order.onSort(by, next) };
  };
  return [
    {
      name: 'Selected',
      kind: 'unnamed',
      head: selectAll,
      cell: (feed) => (
        <Checkbox
          aria-label={`Select ${nameOf(feed)}`}
          checked={picked.has(keyOf(feed))}
          onChange={() => onToggle(feed)}
        />
      ),
    },
    { name: 'Symbol', kind: 'head', sort: sorted('symbol'), cell: (feed) => <SymbolName feed={feed} /> },
    {
      name: 'Last price',
      kind: 'figure',
      cell: ({ routerId = '' }) => <LastPrice quote={prices.get(routerId)} />,
    },
    {
      name: '24 h',
      kind: 'figure',
      cell: ({ routerId = '' }) => (
        <DayMove from={dayAgo.get(routerId)?.price} to={prices.get(routerId)?.price} />
      ),
    },
    ...(hasClass
      ? [
          {
            name: 'Class',
            sort: sorted('class'),
            isWide: true,
            cell: ({ assetType }: FeedSymbol) => shown(wordsOf(assetType)),
          },
        ]
      : []),
    { name: 'State', sort: sorted('state'), cell: ({ state }) => <State state={state} /> },
    {
      name: 'Minimum channel',
      sort: sorted('channel'),
      isWide: true,
      cell: ({ minChannel }) => shown(wordsOf(minChannel)),
    },
    {
      name: 'Router id',
      sort: sorted('router'),
      isWide: true,
      cell: (feed) => <Id id={feed.routerId} what={`router id of ${nameOf(feed)}`} service="router" />,
    },
    {
      name: 'Feed id',
      isWide: true,
      cell: (feed) => (
        <Id id={feed.feedId} what={`feed id of ${nameOf(feed)}`} service="price update service" />
      ),
    },
    { name: 'Actions', kind: 'unnamed', cell: (feed) => <Actions feed={feed} /> },
  ];
}

/** The name stands beside the symbol on a wide screen, and below it on others. */
function SymbolName({ feed }: { feed: FeedSymbol }) {
  return (
    <>
      {feed.feedId === undefined || !isPublished(feed) ? (
        <bdi>{nameOf(feed)}</bdi>
      ) : (
        <Link href={feedPagePath(feed.feedId) as Route} aria-label={`Open the chart of ${nameOf(feed)}`}>
          <bdi>{nameOf(feed)}</bdi>
        </Link>
      )}
      <Muted component="bdi" size="xs" fw={400} className={classes.symbolName}>
        {nameBeside(feed)}
      </Muted>
    </>
  );
}

function LastPrice({ quote: { price, publishUs } = {} }: { quote: Partial<SourceQuote> | undefined }) {
  if (price === undefined)
    return (
      <span className={classes.soft} title="No price from the router">
        —
      </span>
    );
  const published = publishUs === undefined ? '' : `Published ${formatIsoMicros(publishUs)}`;
  return <span title={published}>{formatScaled(price, { groupSeparator: ',' })}</span>;
}

type MoveProps = { from: ScaledInteger | undefined; to: ScaledInteger | undefined };

function DayMove({ from, to }: MoveProps) {
  const bps = from && to && differenceInBps(to, from);
  if (bps === undefined) return null;
  const percent = percentText(bps);
  const tone = { '+': 'good', '−': 'bad' }[percent.charAt(0)] ?? 'text-faint';
  return <span style={{ color: `var(--ks-${tone})` }}>{percent}</span>;
}

function State({ state }: Pick<FeedSymbol, 'state'>) {
  if (!state) return shown();
  return (
    <Badge
      color={state === 'stable' ? 'good' : 'warn'}
      miw="max-content"
      title={clipped(state, 24)}
      data-well={state === 'stable' || undefined}
    >
      <bdi>{clipped(wordsOf(state), 24)}</bdi>
    </Badge>
  );
}

function Actions({ feed }: { feed: FeedSymbol }) {
  return (
    <Group gap="xs" wrap="nowrap">
      <ActionIcon
        component={Link}
        href={lookupPath([feed])}
        c="var(--ks-accent)"
        aria-label={`Look up ${nameOf(feed)}`}
        title="Look up"
      >
        <Icon name="search" size={14} />
      </ActionIcon>
      <AddToBoard symbols={[feed]} of={nameOf(feed)} isIcon />
    </Group>
  );
}

const shown = (text = '') =>
  text === '' ? <span className={classes.soft}>{UNKNOWN}</span> : <bdi>{clipped(text, 24)}</bdi>;

/** A dash names the service that would list the id. */
function Id({ id, what, service }: { id: string | undefined; what: string; service: string }) {
  if (id === undefined) return <span title={`Not listed by the ${service}`}>—</span>;
  return (
    <Group gap={2} wrap="nowrap">
      <code title={id}>{id.length > 16 ? shortenHex(`0x${id}`) : id}</code>
      <CopyButton value={id} label={`Copy the ${what}`} />
    </Group>
  );
}
