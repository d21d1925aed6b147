'use client';
import { FlexRender } from '@tanstack/react-table';
import type { ReactNode } from 'react';
import type { LogRow } from '@/lib/domain/request-record';
import { COLUMNS, type RequestsRow, useRequestsTable } from './columns';
import classes from './requests-table.module.css';
import { stateToken } from './state-words';
import { UnreadableCell } from './unreadable-cell';

const MIN_WIDTH_REM = COLUMNS.reduce((sum, column) => sum + (column.meta?.width ?? 0), 0);

/** It scrolls by itself, so the keyboard must be able to reach it, also while it holds nothing to focus. */
const SCROLLABLE = { tabIndex: 0 };

/** The table's frame with fixed column widths: the same for the rows and for what stands in before they come. */
function TableFrame({
  children,
  below,
  busy,
}: {
  children: ReactNode;
  /** What stands in the scrolling area under the table. */
  below?: ReactNode;
  busy: boolean;
}) {
  return (
    <section className={classes.scroller} aria-label="Rows" {...SCROLLABLE}>
      <table
        className={classes.table}
        aria-label="Requests"
        aria-busy={busy}
        style={{ minWidth: `${MIN_WIDTH_REM}rem` }}
      >
        <colgroup>
          {COLUMNS.map((column) => (
            <col key={column.id} style={{ width: `${column.meta?.width}rem` }} />
          ))}
        </colgroup>
        <thead>
          <tr>
            {COLUMNS.map((column) => (
              <th
                key={column.id}
                scope="col"
                data-figure={column.meta?.figure}
                aria-sort={column.id === 'created' ? 'descending' : undefined}
              >
                {String(column.header)}
              </th>
            ))}
          </tr>
        </thead>
        {children}
      </table>
      {below}
    </section>
  );
}

function DataRow({ row }: { row: RequestsRow }) {
  const { original } = row;
  if (original.kind === 'unreadable') {
    return (
      <tr className={classes.row} data-row="unreadable">
        <td colSpan={COLUMNS.length}>
          <UnreadableCell row={original} />
        </td>
      </tr>
    );
  }
  return (
    <tr
      className={classes.row}
      data-row="record"
      data-key={original.key}
      data-state={stateToken(original.state)}
    >
      {row.getAllCells().map((cell) => (
        <td key={cell.id} data-figure={cell.column.columnDef.meta?.figure}>
          <FlexRender cell={cell} />
        </td>
      ))}
    </tr>
  );
}

/** The log rows, unreadable ones in their place. `busy`: other rows are on their way, and these are dimmed. */
export function RequestsTable({ rows, busy, below }: { rows: LogRow[]; busy: boolean; below?: ReactNode }) {
  const table = useRequestsTable(rows);
  return (
    <TableFrame busy={busy} below={below}>
      <tbody className={classes.body} data-dimmed={busy ? 'yes' : undefined}>
        {table.getRowModel().rows.map((row) => (
          <DataRow key={row.id} row={row} />
        ))}
      </tbody>
    </TableFrame>
  );
}

/** As many placeholder rows as fill a large screen; each as high as a row that will take its place. */
const PLACEHOLDERS = Array.from({ length: 24 }, (_, index) => `placeholder-${index}`);

/** What stands where the first rows will be: the same frame, the same heights. */
export function RequestsTableSkeleton() {
  return (
    <TableFrame busy>
      <tbody aria-hidden="true">
        {PLACEHOLDERS.map((key) => (
          <tr key={key} className={classes.row}>
            {COLUMNS.map((column) => (
              <td key={column.id}>
                <span className={classes.placeholder} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </TableFrame>
  );
}
