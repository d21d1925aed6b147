'use client';
import {
  type CellContext,
  columnOrderingFeature,
  columnPinningFeature,
  columnSizingFeature,
  columnVisibilityFeature,
  createColumnHelper,
  type Header,
  metaHelper,
  type Row,
  rowSortingFeature,
  tableFeatures,
} from '@tanstack/react-table';
import dynamic from 'next/dynamic';
import type { ReactNode } from 'react';
import { orNotice } from '@/components/ui/part-not-loaded';
import { cellText, type ListedRecord } from '@/lib/client/cell-text';
import { clipped } from '@/lib/client/foreign-text';
import type { ListedRow } from '@/lib/contract/codec/listing';
import { explorerAddressUrl, explorerTxUrl } from '@/lib/domain/network';
import { type ColumnId, MAX_COLUMN_PX, MIN_COLUMN_PX } from '@/lib/requests/columns';
import type { Zone } from '@/lib/requests/view';
import {
  DurationCell,
  durationTitle,
  figure,
  gasShareCell,
  gasShareTitle,
  MomentCell,
  NetworkCell,
} from './cells';
import { type Explorer, ExplorerCell, HexCell } from './hex-cell';
import { StateBadge } from './state-badge';

/** Few tables show it, and what it knows of errors weighs as much as all other cells. */
const FailureCell = dynamic(() => orNotice(import('./failure-cell').then((part) => part.FailureCell)));

/** What is known of a column beside its cells. */
export type ColumnMeta = {
  label: string;
  /** Within a sentence: `Copy the reveal transaction`. */
  what: string;
  /** The order that a first click on the header gives. */
  first: 'asc' | 'desc';
  /** Set flush right, with figures of one width. */
  figure?: 'yes';
  /** The exact value, where the cell shows a shorter text without a title of its own. */
  title?: (record: ListedRecord) => string | undefined;
};

/** What the table model can do. Rows are sorted before they come into it: exactly, which the model's own orders are not. */
export const TABLE_FEATURES = tableFeatures({
  columnOrderingFeature,
  columnPinningFeature,
  columnSizingFeature,
  columnVisibilityFeature,
  rowSortingFeature,
  columnMeta: metaHelper<ColumnMeta>(),
});

export type TableRow = Row<typeof TABLE_FEATURES, ListedRow>;
export type CellInput = CellContext<typeof TABLE_FEATURES, ListedRow>;
export type TableHeader = Header<typeof TABLE_FEATURES, ListedRow>;

const helper = createColumnHelper<typeof TABLE_FEATURES, ListedRow>();

/** `size` in CSS pixels: what the usual texts need. */
function column(id: ColumnId, size: number, meta: ColumnMeta, show: (record: ListedRecord) => ReactNode) {
  return helper.accessor((row) => cellText(row, id), {
    id,
    size,
    minSize: MIN_COLUMN_PX,
    maxSize: MAX_COLUMN_PX,
    sortDescFirst: meta.first === 'desc',
    header: meta.label,
    meta,
    cell: ({ row }) => (row.original.kind === 'record' ? show(row.original) : null),
  });
}

const digitsTitle = (id: ColumnId) => (record: ListedRecord) => cellText(record, id)?.slice(0, 200);

function figureColumn(id: ColumnId, size: number, label: string, what: string) {
  const meta = { label, what, first: 'desc', figure: 'yes', title: digitsTitle(id) } as const;
  return column(id, size, meta, figure(id));
}

function hexColumn(id: ColumnId, size: number, label: string, what: string, explorer?: Explorer) {
  return column(id, size, { label, what, first: 'asc' }, (record) => {
    const value = cellText(record, id);
    if (explorer === undefined) return <HexCell value={value} what={what} />;
    return <ExplorerCell networkId={record.networkId} value={value} what={what} explorer={explorer} />;
  });
}

/** The columns of the log table, in the order in which they are offered. */
export const TABLE_COLUMNS = helper.columns([
  column('keeper', 104, { label: 'Keeper', what: 'keeper', first: 'asc' }, (record) => (
    <bdi>{clipped(record.keeper, 40)}</bdi>
  )),
  column('network', 176, { label: 'Network', what: 'network id', first: 'asc' }, (record) => (
    <NetworkCell record={record} />
  )),
  column(
    'sequence',
    204,
    { label: 'Sequence', what: 'sequence number', first: 'desc', figure: 'yes' },
    (record) => clipped(record.sequence, 40),
  ),
  column('created', 180, { label: 'Created', what: 'creation time', first: 'desc' }, (record) => (
    <MomentCell time={record.createdAt} />
  )),
  column('updated', 180, { label: 'Updated', what: 'time of the last update', first: 'desc' }, (record) => (
    <MomentCell time={record.updatedAt} />
  )),
  column(
    'duration',
    128,
    {
      label: 'Duration or age',
      what: 'duration in milliseconds',
      first: 'desc',
      figure: 'yes',
      title: durationTitle,
    },
    (record) => <DurationCell record={record} />,
  ),
  column('state', 148, { label: 'State', what: 'state', first: 'asc' }, (record) => (
    <StateBadge state={record.state} />
  )),
  hexColumn('sender', 148, 'Sender', 'sender', explorerAddressUrl),
  hexColumn('provider', 148, 'Provider', 'provider', explorerAddressUrl),
  hexColumn('request-tx', 164, 'Request transaction', 'request transaction', explorerTxUrl),
  hexColumn('reveal-tx', 148, 'Reveal transaction', 'reveal transaction', explorerTxUrl),
  figureColumn('block', 124, 'Request block', 'request block'),
  figureColumn('gas-limit', 132, 'Gas limit', 'gas limit'),
  figureColumn('gas-used', 132, 'Gas used', 'gas used'),
  column(
    'gas-share',
    108,
    {
      label: 'Gas share',
      what: 'share of the gas limit in percent',
      first: 'desc',
      figure: 'yes',
      title: gasShareTitle,
    },
    gasShareCell,
  ),
  column(
    'failure',
    240,
    { label: 'Failure', what: 'failure as the service wrote it', first: 'asc' },
    (record) => <FailureCell record={record} />,
  ),
  hexColumn('user-random', 148, 'User random', 'random number of the user'),
  hexColumn('provider-random', 148, 'Provider random', 'random number of the provider'),
  hexColumn('random-number', 148, 'Random number', 'random number'),
]);

/** What is known of every column, by its id. */
export const COLUMNS = Object.fromEntries(TABLE_COLUMNS.map(({ id, meta }) => [id, meta])) as Record<
  ColumnId,
  ColumnMeta
>;

/** The words of a header: times say in which zone they are. */
export function headerLabel(id: ColumnId, zone: Zone): string {
  const { label } = COLUMNS[id];
  if (id !== 'created' && id !== 'updated') return label;
  return zone === 'relative' ? label : `${label} (${zone === 'utc' ? 'UTC' : 'local'})`;
}
