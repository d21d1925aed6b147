import type { ColumnPinningState, ColumnSizingState, SortingState } from '@tanstack/react-table';
import { COLUMN_IDS, type ColumnId, type ColumnLayout } from '@/lib/requests/columns';
import type { Sort } from '@/lib/requests/view';

/** The layout and the order of the rows as the table model has them, and back. */

/** Which columns, in which order, and which stay at the left edge. */
export type ColumnsState = {
  columnOrder: ColumnId[];
  columnVisibility: Record<string, boolean>;
  columnPinning: ColumnPinningState;
};

export function columnsState(columns: ColumnLayout['columns']): ColumnsState {
  const shown = columns.map(({ id }) => id);
  return {
    columnOrder: shown,
    columnVisibility: Object.fromEntries(COLUMN_IDS.map((id) => [id, shown.includes(id)])),
    columnPinning: { start: columns.flatMap(({ id, pinned }) => (pinned ? id : [])), end: [] },
  };
}

/** Widths that somebody chose, in CSS pixels, by column. */
export function sizingState(columns: ColumnLayout['columns']): ColumnSizingState {
  return Object.fromEntries(columns.flatMap(({ id, width }) => (width === undefined ? [] : [[id, width]])));
}

/** One order, of one column. */
export function sortingState(sort: Sort): SortingState {
  const dot = sort.lastIndexOf('.');
  return [{ id: sort.slice(0, dot), desc: sort.slice(dot + 1) === 'desc' }];
}

/** Undefined for what is no order by a column of ours. */
export function sortOf([first]: SortingState): Sort | undefined {
  const id = COLUMN_IDS.find((known) => known === first?.id);
  return id === undefined ? undefined : `${id}.${first?.desc ? 'desc' : 'asc'}`;
}
