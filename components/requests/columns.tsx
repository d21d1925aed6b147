'use client';
import {
  columnOrderingFeature,
  columnPinningFeature,
  columnSizingFeature,
  columnVisibilityFeature,
  createColumnHelper,
  functionalUpdate,
  type Header,
  rowSortingFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { createContext, type ReactNode, useContext } from 'react';
import { useNow } from '@/components/ui/clock';
import { useNetwork } from '@/components/ui/networks';
import { useAge, useMoment, useTimeStyle } from '@/components/ui/time-style';
import { decodeFailure } from '@/lib/core/failure';
import { explorerAddressUrl, explorerTxUrl, type Network } from '@/lib/core/network';
import { groupDigits, groupDigitsBriefly } from '@/lib/core/numbers';
import { requestDuration, type WireTime } from '@/lib/core/request-record';
import { clipped, shortenHex } from '@/lib/core/text';
import { formatAge, formatDuration } from '@/lib/core/time';
import { momentHeader, type Zone } from '@/lib/core/time-text';
import type { ListedRecord, ListedRow } from '@/lib/requests/answers';
import { cellText } from '@/lib/requests/cell-text';
import {
  COLUMN_IDS,
  type ColumnId,
  type ColumnLayout,
  MAX_COLUMN_PX,
  MIN_COLUMN_PX,
} from '@/lib/requests/columns';
import { requestPath } from '@/lib/requests/request-address';
import type { Sort } from '@/lib/requests/view';
import { NetworkName } from './requests-context';
import { StateBadge } from './state-badge';
import classes from './table.module.css';

type Column = {
  label: string;
  first: 'asc' | 'desc';
  /** Default width, CSS pixels. */
  px: number;
  /** Right-aligned, with tabular digits. */
  figure?: true;
  /** Exact value for a cell whose text is shortened. */
  title?: (record: ListedRecord) => string | undefined;
  cell: (record: ListedRecord) => ReactNode;
};

type Draw = Column['cell'];

const column = (label: string, first: 'asc' | 'desc', px: number, cell: Draw): Column => {
  return { label, first, px, cell };
};

const figure = (label: string, px: number, cell: Draw, title: Required<Column>['title']): Column => ({
  ...column(label, 'desc', px, cell),
  figure: true,
  title,
});

const digits = (id: ColumnId, label: string, px: number) =>
  figure(
    label,
    px,
    (record) => groupDigitsBriefly(clipped(cellText(record, id) ?? '', 80)) || null,
    (record) => cellText(record, id)?.slice(0, 200),
  );

type Explorer = (network: Network, value: string | undefined) => string | undefined;

const HASH_PX = 138;

function hex(id: ColumnId, label: string, what: string, explorer?: Explorer): Column {
  return column(label, 'asc', HASH_PX, (record) => {
    const value = cellText(record, id);
    if (value === undefined) return null;
    return <Hash networkId={record.networkId} value={value} what={what} explorer={explorer} />;
  });
}

/** All columns, in the order of the column menu. */
export const COLUMNS: Record<ColumnId, Column> = {
  keeper: column('Keeper', 'asc', 88, ({ keeper }) => <bdi>{clipped(keeper, 40)}</bdi>),
  network: column('Network', 'asc', 140, (record) => <NetworkCell record={record} />),
  sequence: column('Sequence', 'desc', 84, (record) => <SequenceCell record={record} />),
  created: column('Created', 'desc', 184, ({ createdAt }) => <MomentCell time={createdAt} />),
  updated: column('Updated', 'desc', 184, ({ updatedAt }) => updatedAt && <MomentCell time={updatedAt} />),
  duration: figure('Logged after', 118, (record) => <DurationCell record={record} />, durationTitle),
  state: column('State', 'asc', 150, ({ state }) => <StateBadge state={state} />),
  sender: hex('sender', 'Sender', 'sender', explorerAddressUrl),
  provider: hex('provider', 'Provider', 'provider', explorerAddressUrl),
  'request-tx': hex('request-tx', 'Request tx', 'request transaction', explorerTxUrl),
  'reveal-tx': hex('reveal-tx', 'Callback tx', 'callback transaction', explorerTxUrl),
  block: digits('block', 'Request block', 116),
  'gas-limit': digits('gas-limit', 'Gas limit', 100),
  'gas-used': digits('gas-used', 'Gas used', 100),
  'gas-share': figure('Gas share', 96, gasShareCell, gasShareTitle),
  failure: column('Failure', 'asc', 200, (record) => <FailureCell record={record} />),
  'user-random': hex('user-random', 'User random', 'random number of the user'),
  'provider-random': hex('provider-random', 'Provider random', 'random number of the provider'),
  'random-number': hex('random-number', 'Random number', 'random number'),
};

/** Text of a header; those of times name the zone. */
export function headerLabel(id: ColumnId, zone: Zone): string {
  const { label } = COLUMNS[id];
  return id === 'created' || id === 'updated' ? momentHeader(label, zone) : label;
}

/** Networks with several providers among the rows on screen. */
export const SharedNetworks = createContext<ReadonlySet<string>>(new Set());

/** Whether the table may mix rows of several keepers; each row names its keeper then. */
export const SeveralKeepers = createContext(false);

/** Characters of a hash that fit into its column. */
export const HashRoom = createContext(0);

/** Whether a column holds hashes, which grow on a wide screen. */
export const isHashColumn = (id: ColumnId) => COLUMNS[id].px === HASH_PX;

/** Sequence, an id without commas; with the end of its provider if the network has several, since each numbers its own. */
function SequenceCell({ record }: { record: ListedRecord }) {
  const { networkId, sequence, provider } = record;
  const isShared = useContext(SharedNetworks).has(networkId) && provider !== undefined;
  return (
    <>
      <a className={classes.sequence} href={requestPath(record)} tabIndex={-1} data-row-link="">
        {clipped(sequence, 40)}
      </a>
      {isShared ? (
        <span className="faint" title={`Provider ${clipped(provider, 80)}`}>
          {` ·${clipped(provider.slice(-4), 4)}`}
        </span>
      ) : null}
    </>
  );
}

function NetworkCell({ record: { networkId, chainName, keeper } }: { record: ListedRecord }) {
  const network = useNetwork(networkId);
  const hasKeepers = useContext(SeveralKeepers);
  const keeperName = clipped(chainName, 60);
  const title = `Network id ${networkId}${keeperName === '' ? '' : `, “${keeperName}” for the keeper`}`;
  return (
    <>
      <NetworkName network={network} title={title} />
      {network.known || keeperName === '' ? null : <bdi className="faint">{keeperName}</bdi>}
      {hasKeepers ? <bdi className={`faint ${classes.keeper}`}>{clipped(keeper, 20)}</bdi> : null}
    </>
  );
}

const DAY = /^\d{4}-(\d\d-\d\d )/;

function MomentCell({ time }: { time: WireTime }) {
  const { zone } = useTimeStyle();
  const { text, title, iso } = useMoment(time.ms, time.text);
  const age = useAge(time.ms);
  if (zone === 'relative') {
    return (
      <time dateTime={iso} title={title}>
        {text}
      </time>
    );
  }
  return (
    <time dateTime={iso} title={title}>
      <span className={classes.day}>{DAY.exec(text)?.[1]}</span>
      {`${text.replace(DAY, '')} `}
      <span className="faint">{age}</span>
    </time>
  );
}

function isFinished({ state }: ListedRecord): boolean {
  return state.kind === 'completed' || state.kind === 'failed';
}

function DurationCell({ record }: { record: ListedRecord }) {
  if (!isFinished(record)) return <Age record={record} />;
  const length = requestDuration(record, record.createdAt.ms);
  return length === undefined ? null : formatDuration(length.ms);
}

function Age({ record }: { record: ListedRecord }) {
  const length = requestDuration(record, useNow());
  return <span className={classes.age}>{formatAge(length?.ms ?? 0)}</span>;
}

function durationTitle(record: ListedRecord): string | undefined {
  if (!isFinished(record)) return 'Age: no outcome logged yet';
  const ms = cellText(record, 'duration');
  return ms === undefined
    ? undefined
    : `${groupDigits(ms)} ms from creation until the keeper logged the outcome`;
}

/** Gas used of the limit, percent with one decimal, rounded down. */
function gasShareCell(record: ListedRecord): string | null {
  const percent = cellText(record, 'gas-share');
  if (percent === undefined) return null;
  const [whole = '', decimals = ''] = percent.split('.');
  return `${groupDigitsBriefly(whole)}.${decimals.slice(0, 1)}%`;
}

function gasShareTitle(record: ListedRecord): string | undefined {
  const percent = cellText(record, 'gas-share');
  const { state } = record;
  if (percent === undefined || state.kind !== 'completed') return undefined;
  const used = groupDigits(state.gasUsed ?? '');
  const callback =
    state.callbackGasUsed === undefined ? '' : `\nCallback: ${groupDigits(state.callbackGasUsed)}`;
  return `${percent}%: ${used} gas used, limit ${groupDigits(record.gasLimit ?? '')}${callback}`;
}

const BARE_HEX = /^[0-9a-fA-F]{16,128}$/;

/** Shortens a hex value (with or without `0x`) to both ends; other text is clipped. */
export function shortHex(value: string): string {
  return BARE_HEX.test(value) ? `${value.slice(0, 6)}…${value.slice(-4)}` : shortenHex(value);
}

/** Id of the one note that describes the explorer links of all hashes of a table. */
export const EXPLORER_NOTE = 'leads-to-explorer';

/** With less room than this the short form is used. */
const MIN_ROOM = 18;

/** Shortens a hex value to the room. @param room characters */
function fittingHex(value: string, room: number): string {
  if (room < MIN_ROOM || !/^(0x)?[0-9a-fA-F]+$/.test(value)) return shortHex(value);
  return value.length <= room ? value : `${value.slice(0, room - 9)}…${value.slice(-8)}`;
}

type HashProps = { networkId: string; value: string; what: string; explorer: Explorer | undefined };

function Hash({ networkId, value, what, explorer }: HashProps) {
  const network = useNetwork(networkId);
  const url = explorer?.(network, value);
  const shown = fittingHex(value, useContext(HashRoom));
  return (
    <>
      {url === undefined ? (
        <bdi className={classes.hex} title={clipped(value, 200)}>
          {shown}
        </bdi>
      ) : (
        <a
          className={classes.hex}
          href={url}
          target="_blank"
          rel="noreferrer"
          tabIndex={-1}
          title={value}
          aria-describedby={EXPLORER_NOTE}
        >
          {shown}
        </a>
      )}
      <button type="button" tabIndex={-1} data-copy="" aria-label={`Copy ${what}`} />
    </>
  );
}

function FailureCell({ record }: { record: ListedRecord }) {
  const failure = decodeFailure(record);
  if (failure === undefined) return null;
  const { text, name, meaning, raw } = failure;
  const title = [name === text ? undefined : name, meaning, clipped(raw, 500)].filter(Boolean).join('\n');
  return <bdi title={title}>{clipped(text, 120)}</bdi>;
}

const FEATURES = tableFeatures({
  columnOrderingFeature,
  columnPinningFeature,
  columnSizingFeature,
  columnVisibilityFeature,
  rowSortingFeature,
});

const helper = createColumnHelper<typeof FEATURES, ListedRow>();

const TABLE_COLUMNS = COLUMN_IDS.map((id) =>
  helper.display({
    id,
    size: COLUMNS[id].px,
    minSize: MIN_COLUMN_PX,
    maxSize: MAX_COLUMN_PX,
    enableSorting: true,
    sortDescFirst: COLUMNS[id].first === 'desc',
  }),
);

export type TableHeader = Header<typeof FEATURES, ListedRow>;

type TableProps = {
  rows: readonly ListedRow[];
  layout: ColumnLayout;
  /** Widths that differ from the default, CSS pixels. */
  widths: Partial<Record<ColumnId, number>>;
  sort: Sort;
  onSort: (sort: Sort) => void;
};

/** Table model of the columns. Their order, sizes and sort come from the layout and the URL. */
export function useTableModel({ rows, layout, widths, sort, onSort }: TableProps) {
  const shown = layout.columns.map(({ id }) => id);
  const [sorted = '', direction] = sort.split('.');
  const sorting = [{ id: sorted, desc: direction === 'desc' }];
  const table = useTable({
    features: FEATURES,
    columns: TABLE_COLUMNS,
    data: rows,
    getRowId: (row: ListedRow) => row.key,
    state: {
      columnOrder: shown,
      columnVisibility: Object.fromEntries(COLUMN_IDS.map((id) => [id, shown.includes(id)])),
      columnPinning: { start: layout.columns.flatMap(({ id, pinned }) => (pinned ? id : [])), end: [] },
      columnSizing: widths,
      sorting,
    },
    onSortingChange: (updater) => {
      const [next] = functionalUpdate(updater, sorting);
      const id = COLUMN_IDS.find((known) => known === next?.id);
      if (id !== undefined) onSort(`${id}.${next?.desc ? 'desc' : 'asc'}`);
    },
    manualSorting: true,
    enableSortingRemoval: false,
    enableMultiSort: false,
  });
  const headers: readonly TableHeader[] = table.getHeaderGroups()[0]?.headers ?? [];
  return { headers, widthPx: table.getTotalSize() };
}

/** Column as rows see it: without its width. `pinnedAt`: CSS pixels from the left. */
export type PlacedColumn = { id: ColumnId; pinnedAt?: number; isLastPinned?: boolean };

export function placedColumns(headers: readonly TableHeader[]): PlacedColumn[] {
  return headers.map(({ column }, at) => {
    const id = column.id as ColumnId;
    if (!column.getIsPinned()) return { id };
    return { id, pinnedAt: column.getStart('start'), isLastPinned: !headers[at + 1]?.column.getIsPinned() };
  });
}
