'use client';
import { functionalUpdate, type ReactTable, useTable } from '@tanstack/react-table';
import { useMemo, useState } from 'react';
import { withWidths } from '@/lib/client/column-layout';
import type { ListedRow } from '@/lib/contract/codec/listing';
import { type ColumnId, type ColumnLayout, formatColumns, readColumns } from '@/lib/requests/columns';
import type { Sort } from '@/lib/requests/view';
import { TABLE_COLUMNS, TABLE_FEATURES, type TableHeader } from './columns';
import { columnsState, sizingState, sortingState, sortOf } from './table-state';

type Props = {
  rows: readonly ListedRow[];
  layout: ColumnLayout;
  onLayout: (layout: ColumnLayout) => void;
  sort: Sort;
  onSort: (sort: Sort) => void;
};

export type TableModel = Pick<
  ReactTable<typeof TABLE_FEATURES, ListedRow>,
  'getHeaderGroups' | 'getRowModel' | 'getTotalSize' | 'getStartTotalSize'
>;

const nothing = () => {};
const keyOf = (row: ListedRow) => row.key;

/** Rows know nothing of widths, so that none of them is drawn again while an edge is dragged. */
function useColumnsState(layout: ColumnLayout) {
  const order = formatColumns(layout.columns.map(({ width: _, ...column }) => column));
  return useMemo(() => columnsState(readColumns(order, nothing)), [order]);
}

/** The rows and columns of the table. What is chosen is the layout's and the URL's; the model only holds it. */
export function useTableModel({ rows, layout, onLayout, sort, onSort }: Props) {
  const [draft, setDraft] = useState<{ id: ColumnId; width: number }>();
  const columnSizing = sizingState(layout.columns);
  const shownSizing = draft === undefined ? columnSizing : { ...columnSizing, [draft.id]: draft.width };
  const sorting = sortingState(sort);
  const table = useTable({
    features: TABLE_FEATURES,
    columns: TABLE_COLUMNS,
    data: rows,
    getRowId: keyOf,
    state: { ...useColumnsState(layout), columnSizing: shownSizing, sorting },
    onColumnSizingChange: (updater) => onLayout(withWidths(layout, functionalUpdate(updater, columnSizing))),
    onSortingChange: (updater) => {
      const next = sortOf(functionalUpdate(updater, sorting));
      if (next !== undefined) onSort(next);
    },
    manualSorting: true,
    enableSortingRemoval: false,
    enableMultiSort: false,
  });
  /** A width that is being dragged is the table's own; the layout learns it when the edge is let go. */
  const preview = (id: ColumnId, width: number | undefined) =>
    setDraft(width === undefined ? undefined : { id, width });
  return { table, preview };
}

/** Of the columns that are shown, from left to right: pinned ones first. */
export function headersOf(table: Pick<TableModel, 'getHeaderGroups'>): readonly TableHeader[] {
  return table.getHeaderGroups()[0]?.headers ?? [];
}
