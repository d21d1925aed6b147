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
import { useServerNow } from '@/components/ui/clock';
import { useNetwork } from '@/components/ui/networks';
import { useMoment, useRelative, useTimeStyle } from '@/components/ui/time-style';
import { explorerAddressUrl, explorerTxUrl } from '@/lib/core/network';
import { groupDigits, groupDigitsBriefly } from '@/lib/core/numbers';
import { decodeFailure } from '@/lib/core/request-failure';
import { isFinished, requestDuration, type WireTime } from '@/lib/core/request-record';
import { clipped, shortenHex } from '@/lib/core/text';
import { formatAge, formatDuration } from '@/lib/core/time';
import { momentHeader, type Zone } from '@/lib/core/time-text';
import { COLUMN_SCHEMA, type ColumnSchema, cellText } from '@/lib/requests/column-schema';
import {
  COLUMN_IDS,
  type ColumnId,
  type ColumnLayout,
  MAX_COLUMN_PX,
  MIN_COLUMN_PX,
} from '@/lib/requests/columns';
import { requestPath } from '@/lib/requests/request-address';
import type { ListedRecord, ListedRow } from '@/lib/requests/requests-response';
import type { Sort } from '@/lib/requests/view';
import { NetworkName } from './requests-context';
import { StateBadge } from './state-badge';
import classes from './table.module.css';

const CELLS: Partial<Record<ColumnId, (record: ListedRecord) => ReactNode>> = {
  network: (record) => <NetworkCell record={record} />,
  sequence: (record) => <SequenceCell record={record} />,
  created: ({ createdAt }) => <MomentCell time={createdAt} />,
  updated: ({ updatedAt }) => updatedAt && <MomentCell time={updatedAt} />,
  duration: (record) => <DurationCell record={record} />,
  state: ({ state }) => <StateBadge state={state} />,
  'gas-share': gasShareCell,
  failure: (record) => <FailureCell record={record} />,
};

const MAX_TEXT_LENGTH = 80;

export function cellOf(id: ColumnId, record: ListedRecord): ReactNode {
  const cell = CELLS[id];
  if (cell !== undefined) return cell(record);
  const { kind, hash } = COLUMN_SCHEMA[id];
  const value = cellText(record, id);
  if (value === undefined) return null;
  if (hash !== undefined) return <Hash networkId={record.networkId} value={value} {...hash} />;
  const text = clipped(value, MAX_TEXT_LENGTH);
  return kind === 'digits' ? groupDigitsBriefly(text) || null : <bdi>{text}</bdi>;
}

export function cellTitle(id: ColumnId, record: ListedRecord): string | undefined {
  if (id === 'duration') return durationTitle(record);
  if (id === 'gas-share') return gasShareTitle(record);
  return COLUMN_SCHEMA[id].kind === 'digits' ? cellText(record, id)?.slice(0, 200) : undefined;
}

export const isFigureColumn = (id: ColumnId) => ['figure', 'digits'].includes(COLUMN_SCHEMA[id].kind);

/** Headers of times name the zone. */
export function headerLabel(id: ColumnId, zone: Zone): string {
  const { label, kind } = COLUMN_SCHEMA[id];
  return kind === 'time' ? momentHeader(label, zone) : label;
}

/** Ids of networks with several providers among the rows on screen. */
export const SharedNetworks = createContext<ReadonlySet<string>>(new Set());

/** Whether rows name their keeper, because the table may mix several. */
export const SeveralKeepers = createContext(false);

/** Characters of a hash that fit into its column. */
export const HashRoom = createContext(0);

/** Hashes grow on a wide screen. */
export const isHashColumn = (id: ColumnId) => COLUMN_SCHEMA[id].kind === 'hash';

/** An id, so without commas. Each provider has its own sequence, so the end of one of several providers follows. */
function SequenceCell({ record }: { record: ListedRecord }) {
  const { networkId, sequence, provider } = record;
  const isShared = useContext(SharedNetworks).has(networkId) && provider !== undefined;
  return (
    <>
      <a className={classes.sequence} href={requestPath(record)} tabIndex={-1} data-row-link="">
        {clipped(sequence, 40)}
      </a>
      {isShared ? (
        <span
          className="faint"
          title={`Provider ${clipped(provider, 80)}: this network has several, each with sequences of its own`}
        >
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
  const age = useRelative(time.ms).replace(' ago', '');
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

function DurationCell({ record }: { record: ListedRecord }) {
  if (!isFinished(record)) return <Age record={record} />;
  const length = requestDuration(record, record.createdAt.ms);
  return length === undefined ? null : formatDuration(length.ms);
}

function Age({ record }: { record: ListedRecord }) {
  const length = requestDuration(record, useServerNow());
  return <span className={classes.age}>{formatAge(length?.ms ?? 0)}</span>;
}

function durationTitle(record: ListedRecord): string | undefined {
  if (!isFinished(record)) return 'Age: no outcome logged yet';
  const ms = cellText(record, 'duration');
  return ms === undefined
    ? undefined
    : `${groupDigits(ms)} ms from creation until the keeper logged the outcome`;
}

/** Percent of the limit with one decimal, rounded down. */
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

/** The two ends of a hex value, with or without `0x`. Other text is clipped. */
export function shortHex(value: string): string {
  return BARE_HEX.test(value) ? `${value.slice(0, 6)}…${value.slice(-4)}` : shortenHex(value);
}

/** Id of the one note that describes the explorer links of all hashes in a table. */
export const EXPLORER_NOTE = 'leads-to-explorer';

/** Width in characters below which a hex value has its short form. */
const MIN_ROOM = 18;

/** `room` is a number of characters. */
function hexForRoom(value: string, room: number): string {
  if (room < MIN_ROOM || !/^(0x)?[0-9a-fA-F]+$/.test(value)) return shortHex(value);
  return value.length <= room ? value : `${value.slice(0, room - 9)}…${value.slice(-8)}`;
}

const EXPLORER_URLS = { address: explorerAddressUrl, tx: explorerTxUrl };

type HashProps = { networkId: string; value: string } & Required<ColumnSchema>['hash'];

function Hash({ networkId, value, name, explorer }: HashProps) {
  const network = useNetwork(networkId);
  const url = explorer && EXPLORER_URLS[explorer](network, value);
  const shown = hexForRoom(value, useContext(HashRoom));
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
      <button type="button" tabIndex={-1} data-copy="" aria-label={`Copy ${name}`} />
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
    size: COLUMN_SCHEMA[id].px,
    minSize: MIN_COLUMN_PX,
    maxSize: MAX_COLUMN_PX,
    enableSorting: true,
    sortDescFirst: COLUMN_SCHEMA[id].initialDirection === 'desc',
  }),
);

export type TableHeader = Header<typeof FEATURES, ListedRow>;

type TableProps = {
  rows: readonly ListedRow[];
  layout: ColumnLayout;
  /** CSS pixels, where they differ from the default. */
  widths: Partial<Record<ColumnId, number>>;
  sort: Sort;
  onSort: (sort: Sort) => void;
};

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
      const id = COLUMN_IDS.find((columnId) => columnId === next?.id);
      if (id !== undefined) onSort(`${id}.${next?.desc ? 'desc' : 'asc'}`);
    },
    manualSorting: true,
    enableSortingRemoval: false,
    enableMultiSort: false,
  });
  const headers: readonly TableHeader[] = table.getHeaderGroups()[0]?.headers ?? [];
  return { headers, widthPx: table.getTotalSize() };
}

/** A column as rows see it, without its width. `pinnedAt` is the distance from the left, CSS pixels. */
export type PlacedColumn = { id: ColumnId; pinnedAt?: number; isLastPinned?: boolean };

export function placedColumns(headers: readonly TableHeader[]): PlacedColumn[] {
  return headers.map(({ column }, at) => {
    const id = column.id as ColumnId;
    if (!column.getIsPinned()) return { id };
    return { id, pinnedAt: column.getStart('start'), isLastPinned: !headers[at + 1]?.column.getIsPinned() };
  });
}
