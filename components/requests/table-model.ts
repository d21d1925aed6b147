'use client';
import {
  columnOrderingFeature,
  columnPinningFeature,
  columnResizingFeature,
  columnSizingFeature,
  columnVisibilityFeature,
  createColumnHelper,
  functionalUpdate,
  type Header,
  rowSortingFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { useMemo, useRef, useState } from 'react';
import { withWidths } from '@/lib/requests/column-layout';
import {
  COLUMN_IDS,
  type ColumnId,
  type ColumnLayout,
  MAX_COLUMN_PX,
  MIN_COLUMN_PX,
} from '@/lib/requests/columns';
import type { ListedRow } from '@/lib/requests/listing';
import type { Sort } from '@/lib/requests/view-shape';
import { COLUMNS } from './columns';

const FEATURES = tableFeatures({
  columnOrderingFeature,
  columnPinningFeature,
  columnResizingFeature,
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

type Props = {
  rows: readonly ListedRow[];
  layout: ColumnLayout;
  onLayout: (layout: ColumnLayout) => void;
  sort: Sort;
  onSort: (sort: Sort) => void;
  /** Widths of columns that nobody sized, by what stands in them, CSS pixels. */
  wanted: Partial<Record<ColumnId, number>>;
};

/** A shown column, and how far from the left edge it stays where it is pinned, CSS pixels. */
export type ShownColumn = { id: ColumnId; pinnedAt: number | undefined; isLastPinned: boolean };

/** Columns, widths and order of the table. What is chosen is the layout's and the URL's; this only holds it. */
export function useTableModel({ rows, layout, onLayout, sort, onSort, wanted }: Props) {
  const [drag, setDrag] = useState<Record<string, number>>();
  const dragged = useRef(drag);
  const chosen = Object.fromEntries(
    layout.columns.flatMap(({ id, width }) => (width === undefined ? [] : [[id, width]])),
  );
  const shown = layout.columns.map(({ id }) => id);
  const dot = sort.lastIndexOf('.');
  const sorting = [{ id: sort.slice(0, dot), desc: sort.slice(dot + 1) === 'desc' }];
  const table = useTable({
    features: FEATURES,
    columns: TABLE_COLUMNS,
    data: rows,
    getRowId: (row: ListedRow) => row.key,
    state: {
      columnOrder: shown,
      columnVisibility: Object.fromEntries(COLUMN_IDS.map((id) => [id, shown.includes(id)])),
      columnPinning: { start: layout.columns.flatMap(({ id, pinned }) => (pinned ? id : [])), end: [] },
      columnSizing: { ...wanted, ...chosen, ...drag },
      sorting,
    },
    columnResizeMode: 'onChange',
    // While an edge is dragged its width is the table's own; the layout learns it when the edge is let go.
    onColumnSizingChange: (updater) => {
      const all = functionalUpdate(updater, { ...wanted, ...chosen, ...dragged.current });
      const own = Object.entries(all).filter(([id, px]) => px !== wanted[id as ColumnId] || id in chosen);
      dragged.current = Object.fromEntries(own);
      setDrag(dragged.current);
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
  const settle = () => {
    if (dragged.current !== undefined) onLayout(withWidths(layout, dragged.current));
    dragged.current = undefined;
    setDrag(undefined);
  };
  /** Sets one width; undefined for the usual one. */
  const setWidth = (id: ColumnId, px: number | undefined) => {
    const { [id]: _, ...others } = chosen;
    onLayout(withWidths(layout, px === undefined ? others : { ...others, [id]: px }));
  };
  const headers: readonly TableHeader[] = table.getHeaderGroups()[0]?.headers ?? [];
  const places = headers.map(({ column }) => (column.getIsPinned() ? column.getStart('start') : undefined));
  const identity = JSON.stringify(headers.map(({ id }, at) => [id, places[at]]));
  // Rows know nothing of widths, so that none of them is drawn again while an edge is dragged.
  const columns = useMemo(
    () =>
      (JSON.parse(identity) as [ColumnId, number | null][]).map(
        ([id, pinnedAt], at, all): ShownColumn => ({
          id,
          pinnedAt: pinnedAt ?? undefined,
          isLastPinned: pinnedAt !== null && (all[at + 1]?.[1] ?? null) === null,
        }),
      ),
    [identity],
  );
  return { headers, columns, widthPx: table.getTotalSize(), settle, setWidth };
}
