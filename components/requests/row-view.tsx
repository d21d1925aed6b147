'use client';
import { constructCell, flexRender } from '@tanstack/react-table';
import { type CSSProperties, memo, type ReactNode, type Ref } from 'react';
import type { Mark } from '@/lib/client/following';
import type { CellInput, TableHeader, TableRow } from './columns';
import classes from './requests-table.module.css';
import { type MarksRound, RowMark } from './row-mark';
import { stateToken } from './state-words';
import { UnreadableCell } from './unreadable-cell';

/** A column that is shown, and what its cells have in common as attributes. */
export type ShownColumn = {
  column: TableHeader['column'];
  attributes: Readonly<Record<`data-${string}`, string | undefined>> & { style: CSSProperties | undefined };
};

type Props = {
  row: TableRow;
  /** The same object as long as no column comes, goes or moves: widths are the style's. */
  columns: readonly ShownColumn[];
  mark: Mark | undefined;
  round: MarksRound;
  open: 'yes' | undefined;
  /** 0 for the one row that the Tab key reaches, -1 for the others. */
  tabIndex: 0 | -1;
  /** For rows whose height cannot be foreseen. */
  measure: Ref<HTMLTableRowElement> | undefined;
};

/** Header rows count as rows, and counting begins at 1. */
const FIRST_ROW_INDEX = 2;

/** `last` where the columns that scroll begin. */
function pinnedPlace(column: TableHeader['column']): 'inner' | 'last' | undefined {
  if (column.getIsPinned() === false) return undefined;
  return column.getIsLastColumn('start') ? 'last' : 'inner';
}

/** A pinned column stays where the table's style says, by its place. */
export function shownColumn({ column, index }: TableHeader): ShownColumn {
  const pinned = pinnedPlace(column);
  const attributes = {
    'data-column': column.id,
    'data-label': column.columnDef.meta?.label,
    'data-figure': column.columnDef.meta?.figure,
    'data-pinned': pinned,
    style: pinned === undefined ? undefined : { insetInlineStart: `var(--edge-${index})` },
  };
  return { column, attributes };
}

/** One row, drawn again only when something of it changes. */
export const RowView = memo(function RowView(props: Props) {
  const { row, columns, tabIndex, measure } = props;
  const { index, original } = row;
  const place = { 'data-index': index, 'aria-rowindex': index + FIRST_ROW_INDEX, tabIndex };
  if (original.kind === 'unreadable') {
    return (
      <tr ref={measure} className={classes.row} data-row="unreadable" data-key={row.id} {...place}>
        <td colSpan={columns.length}>
          <UnreadableCell row={original} />
        </td>
      </tr>
    );
  }
  return (
    <tr
      ref={measure}
      className={classes.row}
      data-row="record"
      data-key={row.id}
      data-state={stateToken(original.state)}
      data-mark={props.mark}
      aria-current={props.open === undefined ? undefined : 'true'}
      {...place}
    >
      {recordCells(props)}
    </tr>
  );
});

/** The exact value where the column tells one; else that there is none. */
function titleOf(
  row: TableRow,
  { accessorFn, columnDef: { meta } }: TableHeader['column'],
): string | undefined {
  const exact = row.original.kind === 'record' ? meta?.title?.(row.original) : undefined;
  // Straight from the accessor: the model would remember every value of every row.
  return exact ?? (accessorFn?.(row.original, row.index) === undefined ? `No ${meta?.what}` : undefined);
}

/**
 * The model's cell, made for the one time that it is drawn: a row that keeps its cells makes those of hidden columns
 * as well, and that costs more than all else here.
 */
function contentOf(row: TableRow, column: TableHeader['column']): ReactNode {
  const { table } = row;
  const cell = constructCell(column, row, table);
  const input: CellInput = {
    cell,
    column,
    row,
    table,
    getValue: () => cell.getValue(),
    renderValue: () => cell.renderValue(),
  };
  return flexRender(column.columnDef.cell, input);
}

function recordCells({ row, columns, mark, round }: Props) {
  return columns.map(({ column, attributes }, place) => (
    <td key={column.id} {...attributes} title={titleOf(row, column)}>
      {contentOf(row, column)}
      {place === 0 && mark !== undefined ? (
        <RowMark key={round.number} word={mark} rowKey={row.id} round={round} />
      ) : null}
    </td>
  ));
}
