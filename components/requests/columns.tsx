'use client';
import { createColumnHelper, metaHelper, type Row, tableFeatures, useTable } from '@tanstack/react-table';
import type { ReactNode } from 'react';
import type { LogRow, RequestRecord } from '@/lib/domain/request-record';
import { CreatedCell, DurationCell, GasLimitCell, NetworkCell, SenderCell, TransactionCell } from './cells';
import { StateBadge } from './state-badge';

/** `width` in rem; `figure` columns are set flush right with figures of one width. */
type ColumnMeta = { width: number; figure?: 'yes' };

const features = tableFeatures({ columnMeta: metaHelper<ColumnMeta>() });
const helper = createColumnHelper<typeof features, LogRow>();

export type RequestsRow = Row<typeof features, LogRow>;

function column(id: string, header: string, meta: ColumnMeta, show: (record: RequestRecord) => ReactNode) {
  return helper.display({
    id,
    header,
    meta,
    cell: ({ row }) => (row.original.kind === 'record' ? show(row.original) : null),
  });
}

/** The columns of the log table, in their order. */
export const COLUMNS = helper.columns([
  column('network', 'Network', { width: 11 }, (record) => <NetworkCell record={record} />),
  column('sequence', 'Sequence', { width: 11.75, figure: 'yes' }, (record) => record.sequence),
  column('created', 'Created (UTC)', { width: 11.25 }, (record) => <CreatedCell record={record} />),
  column('state', 'State', { width: 9.25 }, (record) => <StateBadge state={record.state} />),
  column('duration', 'Duration or age', { width: 8, figure: 'yes' }, (record) => (
    <DurationCell record={record} />
  )),
  column('sender', 'Sender', { width: 10.5 }, (record) => <SenderCell record={record} />),
  column('transaction', 'Request transaction', { width: 10.5 }, (record) => (
    <TransactionCell record={record} />
  )),
  column('gas-limit', 'Gas limit', { width: 11.25, figure: 'yes' }, (record) => (
    <GasLimitCell record={record} />
  )),
]);

/** The rows in the order of the service; nothing is sorted or filtered here. */
export function useRequestsTable(rows: LogRow[]) {
  return useTable({ features, columns: COLUMNS, data: rows, getRowId: (row) => row.key });
}
