'use client';
import { type ReactNode, type RefObject, useLayoutEffect, useRef } from 'react';
import type { Mark } from '@/lib/client/following';
import type { ListedRow } from '@/lib/contract/codec/listing';
import type { Network } from '@/lib/domain/network';
import type { ColumnLayout } from '@/lib/requests/columns';
import type { Cell, Sort } from '@/lib/requests/view';
import { CellTools } from './cell-tools';
import { NetworksProvider } from './networks-context';
import classes from './requests-table.module.css';
import { TableFrame } from './requests-table-frame';
import { RowsBody } from './row-body';
import { useRowFocus } from './row-focus';
import { rowHeights, useCards } from './row-height';
import placeholder from './table-placeholder.module.css';
import { headersOf, useTableModel } from './use-table-model';

export type RequestsTableProps = {
  /** In the order in which they are shown. */
  rows: readonly ListedRow[];
  /** Of which view and page they are: with other ones the table begins at its top, with newer ones it stays. */
  rowsKey: string;
  /** Rows that are new or have changed, by key. */
  marks: ReadonlyMap<string, Mark>;
  layout: ColumnLayout;
  onLayout: (layout: ColumnLayout) => void;
  sort: Sort;
  onSort: (sort: Sort) => void;
  /** The row that is open beside the table. */
  openKey: string | undefined;
  onOpen: (key: string | undefined) => void;
  onOnly: (cell: Cell) => void;
  onNot: (cell: Cell) => void;
  networks: readonly Network[];
  /** Other rows are on their way, and these are dimmed. */
  busy: boolean;
  /** What stands in the scrolling area under the table. */
  below?: ReactNode;
};

function useTopOf(rowsKey: string, scroller: RefObject<HTMLElement | null>) {
  const shown = useRef(rowsKey);
  useLayoutEffect(() => {
    if (shown.current !== rowsKey) scroller.current?.scrollTo({ top: 0 });
    shown.current = rowsKey;
  }, [rowsKey, scroller]);
}

/** The log rows, unreadable ones in their place. Up to 48em wide they are cards, by style alone. */
export function RequestsTable(props: RequestsTableProps) {
  const { layout, openKey, busy, below, onOpen, onOnly, onNot } = props;
  const scroller = useRef<HTMLElement>(null);
  const { table, preview } = useTableModel(props);
  const headers = headersOf(table);
  const model = table.getRowModel();
  const heights = rowHeights(layout.columns, layout.density);
  const rowPx = useCards() === 'cards' ? heights.cardPx : heights.rowPx;
  const focus = useRowFocus({ model, rowPx, scroller, openKey, onOpen });
  useTopOf(props.rowsKey, scroller);
  const rowOf = (key: string) => model.rowsById[key]?.original;
  return (
    <NetworksProvider networks={props.networks}>
      <TableFrame
        table={table}
        density={layout.density}
        busy={busy}
        onPreview={preview}
        scroller={scroller}
        beside={
          <>
            <CellTools scroller={scroller} rowOf={rowOf} onOnly={onOnly} onNot={onNot} />
            {below}
          </>
        }
      >
        <RowsBody
          rows={model.rows}
          headers={headers}
          marks={props.marks}
          openKey={openKey}
          busy={busy}
          rowPx={rowPx}
          scroller={scroller}
          focus={focus}
        />
      </TableFrame>
    </NetworksProvider>
  );
}

/** As many placeholder rows as fill a large screen; each as high as a row that will take its place. */
const PLACEHOLDERS = Array.from({ length: 24 }, (_, index) => `placeholder-${index}`);

const NO_ROWS: readonly ListedRow[] = [];
const nothing = () => {};

/** What stands where the first rows will be: the same frame, the same heights. */
export function RequestsTableSkeleton({ layout }: { layout: ColumnLayout }) {
  const still = { rows: NO_ROWS, sort: 'created.desc', onLayout: nothing, onSort: nothing } as const;
  const { table } = useTableModel({ ...still, layout });
  return (
    <TableFrame table={table} density={layout.density} busy onPreview={nothing}>
      <tbody className={classes.body} aria-hidden="true">
        {PLACEHOLDERS.map((key) => (
          <tr key={key} className={classes.row} data-row="placeholder">
            {headersOf(table).map(({ id }) => (
              <td key={id} data-column={id}>
                <span className={placeholder.bar} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </TableFrame>
  );
}
